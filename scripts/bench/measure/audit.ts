/**
 * `holdfast audit` of 100 MB, as installed: megabytes a second, and the most memory that it ever held.
 *
 * The file is a session in the shape of Claude Code, written by the benchmark: lines of the sizes that
 * real tool results have, one request for every three of them. It is read once a round.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createWriteStream, readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { Readings } from "../report.ts"
import { type Folders, makeFolders, removeFolders } from "../runtime.ts"
import { type Amount, highest, nowNs } from "../sample.ts"
import { launcherPath } from "../serve-command.ts"

const megabytes = 100
const megabyte = 1_048_576
/** How often the size of the process is looked at; the system itself keeps the highest. */
const lookMs = 10

export async function measureAudit(amount: Amount): Promise<Readings> {
  const folders = makeFolders()
  try {
    const file = join(folders.root, "session.jsonl")
    const requests = await writeSession(file)
    const speeds: number[] = []
    const peaks: number[] = []
    for (let round = 0; round < amount.rounds; round++) {
      const { seconds, peakMegabytes, calls } = await auditOnce(folders, file)
      if (calls !== requests) throw new Error(`${calls} requests were counted of ${requests}.`)
      speeds.push(megabytes / seconds)
      peaks.push(peakMegabytes)
    }
    const weighed = { samples: 1, rounds: amount.rounds }
    return {
      "audit-100mb": { value: highest(speeds), ...weighed },
      "audit-100mb-memory": { value: highest(peaks), ...weighed },
    }
  } finally {
    removeFolders(folders)
  }
}

interface Audited {
  readonly seconds: number
  readonly peakMegabytes: number
  readonly calls: number
}

async function auditOnce({ root }: Folders, file: string): Promise<Audited> {
  const startedNs = nowNs()
  const child = spawn(process.execPath, [launcherPath(), "audit", file, "--json"], {
    env: { HOME: root, PATH: process.env["PATH"] },
    stdio: ["ignore", "pipe", "ignore"],
  })
  let told = ""
  child.stdout.on("data", (piece: Buffer) => {
    told = (told + piece.toString()).slice(-10_000)
  })
  const closed = once(child, "close")
  let peakMegabytes = 0
  while (child.exitCode === null && child.signalCode === null) {
    peakMegabytes = Math.max(peakMegabytes, peakOf(child.pid ?? 0))
    await Promise.race([closed, sleep(lookMs)])
  }
  await closed
  const seconds = (nowNs() - startedNs) / 1e9
  const { calls } = JSON.parse(told.trimEnd().split("\n").at(-1) ?? "{}") as { calls: number }
  return { seconds, peakMegabytes, calls }
}

/** The highest resident size so far; 0 once the process is gone, or where the system does not tell. */
function peakOf(pid: number): number {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
    return Number(kilobytes ?? 0) / 1_024
  } catch {
    // It has ended between two looks.
    return 0
  }
}

/** Characters of tool results as they were recorded: the middle, the ninetieth and the ninety-ninth of a hundred. */
const resultSizes = [463, 463, 900, 5_041, 463, 1_500, 29_597]

async function writeSession(path: string): Promise<number> {
  const out = createWriteStream(path)
  let bytes = 0
  let requests = 0
  const line = (type: string, uuid: string, message: object, more: object = {}): string =>
    `${JSON.stringify({ type, uuid, parentUuid: null, sessionId: "bench", cwd: "/w", timestamp: timeOf(requests), message, ...more })}\n`
  while (bytes < megabytes * megabyte) {
    const usage = {
      input_tokens: 3,
      cache_read_input_tokens: 50_000,
      cache_creation_input_tokens: 900,
      output_tokens: 200,
    }
    const answer = { id: `msg_${requests}`, role: "assistant", model: "claude-opus-4-6", usage }
    const call = { type: "tool_use", id: `toolu_${requests}`, name: "Bash", input: { command: "npm test" } }
    const size = resultSizes[requests % resultSizes.length] ?? 0
    const result = {
      type: "tool_result",
      tool_use_id: call.id,
      content: "a line of output\n".repeat(size / 17),
    }
    const more = { requestId: `req_${requests}` }
    const text =
      line(
        "assistant",
        `a${requests}`,
        { ...answer, content: [{ type: "text", text: "Let me look." }] },
        more,
      ) +
      line("assistant", `b${requests}`, { ...answer, content: [call] }, more) +
      line("user", `c${requests}`, { role: "user", content: [result] }, { toolUseResult: result.content })
    requests++
    bytes += text.length
    if (!out.write(text)) await once(out, "drain")
  }
  out.end()
  await once(out, "close")
  return requests
}

const timeOf = (request: number): string => new Date(Date.UTC(2026, 5, 1) + request * 20_000).toISOString()
