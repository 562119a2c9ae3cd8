/**
 * The system calls of real processes: no acknowledgement leaves before a sync that began after
 * the write it stands for.
 *
 *   pwrite(wal, …prompt…) ─▶ pwrite(wal, commit frame) ─▶ fsync(wal) begins ─▶ ends ─▶ write(stdout, receipt)
 *                                                                                     or write(socket, response)
 */
import type { ChildProcess } from "node:child_process"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test, type TestContext } from "vitest"
import { eventually } from "./eventually.ts"
import { script } from "./model.ts"
import { makePlace } from "./place.ts"
import { commandProgram } from "./program.ts"
import { readTrace, type SystemCall, tracers } from "./sync-trace.ts"

const receipts = 20
const startMsMax = 20_000

test("the trace keeps a call that a signal's handler writes inside of", async () => {
  await using place = await makePlace({ model: script })
  const file = join(place.root, "trace")
  const lines = [
    '7 write(9<socket:[1]>, "\\x61" <unfinished ...>',
    '7 write(4<pipe:[2]>, "\\x62" <unfinished ...>',
  ]
  const ends = ["7 <... write resumed>) = 1", "7 <... write resumed>) = 1"]
  await writeFile(file, [...lines, ...ends].join("\n"))
  expect(readTrace(file).map(({ target, data }) => `${target} ${data}`)).toEqual([
    "socket:[1] a",
    "pipe:[2] b",
  ])
})

for (const tracer of tracers) {
  test(
    `[PR1] no receipt leaves the process before its sync, seen by ${tracer.name}`,
    { timeout: 120_000 },
    async (context) => {
      await using place = await makePlace({ model: script })
      const file = join(place.root, "trace")
      const traced = tracer.prepare(place.root, file)
      if (traced === null) return skip(context, tracer.name)
      const driver = await place.openDriver(traced)
      const sessionID = (await driver.ask("create", { directory: place.project })).value.id
      const marks = Array.from({ length: receipts }, (_, index) => `mark-${index}-end`)
      const admit = (id: string) => driver.ask("prompt", { sessionID, id, text: id, resume: false })
      for (const mark of marks.slice(0, receipts / 2)) await admit(mark)
      await Promise.all(marks.slice(receipts / 2).map(admit))
      expect(await driver.close()).toMatchObject({ code: 0 })
      judge(readTrace(file), marks, isOutput)
    },
  )

  test(
    `[PR1] the command tells of an admission after its sync, seen by ${tracer.name}`,
    { timeout: 120_000 },
    async (context) => {
      await using place = await makePlace({ model: script })
      const file = join(place.root, "trace")
      const traced = tracer.prepare(place.root, file)
      if (traced === null) return skip(context, tracer.name)
      const child = place.start(await commandProgram(), ["run", "--json", "mark-0-end"], traced)
      child.stdin?.end()
      child.stdout?.resume()
      const complaint = textOf(child)
      const code = await new Promise((resolve) => child.once("close", resolve))
      expect({ code, complaint: code === 0 ? "" : complaint() }).toEqual({ code: 0, complaint: "" })
      judge(readTrace(file), ["mark-0-end"], isOutput)
    },
  )

  test(
    `[PR1] no response of the server leaves before its sync, seen by ${tracer.name}`,
    { timeout: 120_000 },
    async (context) => {
      await using place = await makePlace({ model: script })
      const file = join(place.root, "trace")
      const traced = tracer.prepare(place.root, file)
      if (traced === null) return skip(context, tracer.name)
      const child = place.start(await commandProgram(), ["serve", "--port", "0", "--json"], traced)
      const { pid, post } = await openServer(child)
      const { id: sessionID } = await post("/session", { directory: place.project })
      const marks = Array.from({ length: receipts }, (_, index) => `mark-${index}-end`)
      const admit = (id: string) => post(`/session/${sessionID}/prompt`, { id, text: "Wait.", resume: false })
      for (const mark of marks.slice(0, receipts / 2)) await admit(mark)
      await Promise.all(marks.slice(receipts / 2).map(admit))
      const ended = new Promise((resolve) => child.once("close", resolve))
      process.kill(pid, "SIGTERM")
      expect(await ended).toBe(0)
      judge(readTrace(file), marks, isResponse)
    },
  )
}

function skip(context: TestContext, tracer: string): void {
  console.warn(`SKIPPED: system calls cannot be seen by ${tracer} on this machine.`)
  context.skip()
}

interface Server {
  /** Its own, also where another program runs it. */
  readonly pid: number
  readonly post: (path: string, body: object) => Promise<Record<string, unknown>>
}

async function openServer(child: ChildProcess): Promise<Server> {
  let said = ""
  child.stdout?.on("data", (piece: Buffer) => (said += String(piece)))
  const complaint = textOf(child)
  await eventually("the server listens", startMsMax, () => {
    expect([child.exitCode, complaint()]).toEqual([null, expect.anything()])
    return said.endsWith("}\n")
  })
  const { pid, url, tokenFile } = JSON.parse(said) as { pid: number; url: string; tokenFile: string }
  const authorization = `Bearer ${(await readFile(tokenFile, "utf8")).trim()}`
  const headers = { authorization, "content-type": "application/json" }
  const post: Server["post"] = async (path, body) => {
    const response = await fetch(`${url}/api${path}`, { method: "POST", headers, body: JSON.stringify(body) })
    expect(response.ok).toBe(true)
    return (await response.json()) as Record<string, unknown>
  }
  return { pid, post }
}

/** What it has said on its error output so far. */
function textOf({ stderr }: ChildProcess): () => string {
  let text = ""
  stderr?.on("data", (piece: Buffer) => (text += String(piece)))
  return () => text
}

const isOutput = ({ fd }: SystemCall): boolean => fd === 1

/** With its first line: nothing of it has left before. The library names a socket as /proc does. */
const isResponse = ({ target, data }: SystemCall): boolean =>
  /^(TCP|socket):/.test(target) && data.includes("HTTP/1.1 200")

/** The call with which the answer began to leave: its body may follow its first line in a call of its own. */
function beginningOf(
  calls: readonly SystemCall[],
  said: readonly SystemCall[],
  mark: string,
): SystemCall | undefined {
  const whole = said.find(({ data }) => data.includes(mark))
  if (whole !== undefined) return whole
  const body = calls.find(
    ({ name, target, data }) =>
      /^writev?$/.test(name) && /^(TCP|socket):/.test(target) && data.includes(mark),
  )
  return body && said.findLast(({ fd, begun }) => fd === body.fd && begun < body.begun)
}

function judge(
  calls: readonly SystemCall[],
  marks: readonly string[],
  acknowledges: (call: SystemCall) => boolean,
): void {
  const writes = calls.filter(({ name, target }) => name === "pwrite64" && target.endsWith("-wal"))
  const syncs = calls.filter(({ name, target }) => /^f(data)?sync$/.test(name) && target.endsWith("-wal"))
  const said = calls.filter((call) => /^writev?$/.test(call.name) && acknowledges(call))
  console.log(`${marks.length} receipts: ${writes.length} writes and ${syncs.length} syncs of the WAL`)
  for (const mark of marks) {
    const page = writes.findIndex(({ data }) => data.includes(mark))
    expect(page, `${mark} is written`).toBeGreaterThan(-1)
    // The header of a frame goes before its page, so the commit frame may be that of this page.
    const commit = writes.findIndex((write, index) => index >= page - 1 && isCommitHeader(write))
    expect(commit, `${mark} is committed`).toBeGreaterThan(-1)
    const durable = writes[Math.max(page, commit + 1)]
    const receipt = beginningOf(calls, said, mark)
    expect(receipt, `${mark} is acknowledged`).toBeDefined()
    const sync = syncs.find(({ begun }) => begun > (durable?.ended ?? Number.POSITIVE_INFINITY))
    expect(sync, `a sync begins after the write of ${mark}`).toMatchObject({ result: 0 })
    expect(sync?.ended, `the sync of ${mark} ends before its receipt leaves`).toBeLessThan(
      receipt?.begun ?? -1,
    )
  }
}

/** A frame header of a WAL names the size of the database if its frame ends a transaction. */
const isCommitHeader = ({ data }: SystemCall): boolean => data.length === 24 && data.readUInt32BE(4) > 0
