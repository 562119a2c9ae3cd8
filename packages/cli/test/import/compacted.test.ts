/** A session that its own agent compacted: what it hid, and what it wrote in its place, stand in the next request. */
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { runCommand } from "../terminal.ts"

const rule = "From now on never put tabs into a generated file."
const summaries = ["Checkpoint: the parser is split.", "Checkpoint: the printer is split, too."] as const

/** As Pi writes it, invented: the rule, work, a summary, work, a summary, and the last words. */
function piLines(rounds: number): readonly string[] {
  const lines: object[] = [{ type: "session", version: 3, id: "pi-1", cwd: "/nowhere/app", timestamp: at(0) }]
  const add = (fields: object): void => {
    const parent = lines.length === 1 ? null : `e${lines.length - 1}`
    lines.push({ id: `e${lines.length}`, parentId: parent, timestamp: at(lines.length), ...fields })
  }
  const prompt = (text: string): void => add({ type: "message", message: { role: "user", content: text } })
  const work = (name: string): void => {
    for (let round = 0; round < rounds; round++) {
      prompt(`Look at ${name}-${round}.ts.`)
      const content = [
        { type: "text", text: `I looked at ${name}-${round}.ts. ${"It is fine. ".repeat(60)}` },
      ]
      const model = { provider: "anthropic", model: "claude-opus-4-5" }
      add({ type: "message", message: { role: "assistant", ...model, content, stopReason: "stop" } })
    }
  }
  prompt(rule)
  work("parser")
  add({
    type: "compaction",
    summary: summaries[0],
    firstKeptEntryId: `e${lines.length - 1}`,
    tokensBefore: 9,
  })
  work("printer")
  add({
    type: "compaction",
    summary: summaries[1],
    firstKeptEntryId: `e${lines.length - 1}`,
    tokensBefore: 9,
  })
  prompt("Where were we?")
  return lines.map((line) => JSON.stringify(line))
}

const at = (line: number): string => new Date(Date.parse("2026-03-01T10:00:00Z") + line * 1_000).toISOString()

test(
  "[IM1 HB4 HI1] what another agent compacted away stands in parts, the user's rules in their words, and its summaries are read",
  { timeout: 90_000 },
  async () => {
    const root = await realpath(await mkdtemp(join(tmpdir(), "holdfast-compacted-")))
    try {
      const environment = {
        HOME: root,
        HOLDFAST_DATA_DIR: join(root, "data"),
        HOLDFAST_CONFIG_DIR: join(root, "config"),
      }
      const run = (...argv: readonly string[]) => runCommand(argv, { directory: root, environment })
      const file = join(root, "pi.jsonl")
      await writeFile(file, `${piLines(20).join("\n")}\n`)
      const { session } = JSON.parse((await run("import", file, "--json")).out) as {
        readonly session: string
      }

      const rebuilt = await run("rebuild", session)
      expect([rebuilt.code, rebuilt.out]).toEqual([
        0,
        expect.stringContaining("written with the next request"),
      ])
      const { out } = await run("window", session, "--content")
      for (const words of [rule, ...summaries, "Where were we?"]) expect(out).toContain(words)
      expect(out).not.toContain("nothing was extracted")

      expect((await run("run", "--session", session, "Go on.", "--json")).code).toBe(0)
      expect((await run("turns", session, "--verify")).out.match(/same/g)).toEqual(["same"])
      expect((await run("window", session, "--content")).out).toContain(rule)
    } finally {
      await rm(root, { recursive: true, force: true, maxRetries: 5 })
    }
  },
)
