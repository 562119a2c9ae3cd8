/** Commands that put out more than anybody can read: what is shown stays small, all of it is stored, memory too stays small. */
import { createReadStream } from "node:fs"
import { stat } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { createBashTool } from "../../src/tools/bash.ts"
import { countLines, outputLimitsDefault } from "../../src/tools/bound.ts"
import { createOutputStore } from "../../src/tools/output/output-store.ts"
import { readTool } from "../../src/tools/read.ts"
import { createToolRegistry, type Settlement } from "../../src/tools/registry.ts"
import { createGrepTool } from "../../src/tools/search/grep.ts"
import { temporaryDirectory, uniqueCallId } from "./workspace.ts"

const registry = createToolRegistry([createBashTool(process.env), readTool, createGrepTool()])

async function place() {
  const directory = await temporaryDirectory()
  const outputs = createOutputStore(join(directory, "tool-output")).of("ses_0000000000000000000a")
  return (name: string, input: Record<string, string>): Promise<Settlement> =>
    Effect.runPromise(
      registry.settle({ callId: uniqueCallId(), name, input }, { directory: "/usr", outputs }),
    )
}

const isSmall = ({ output }: Settlement) =>
  Buffer.byteLength(output) <= outputLimitsDefault.bytesMax &&
  countLines(output) <= outputLimitsDefault.linesMax

describe("a command", () => {
  test("[TO1 TO3 TO8] of 50 MB is stored whole in little memory, read and searched", async () => {
    const settle = await place()
    await settle("bash", { command: "echo warm" })
    let highest = 0
    const before = process.memoryUsage.rss()
    const timer = setInterval(() => (highest = Math.max(highest, process.memoryUsage.rss())), 5)
    const line = "a line of output that is as long as lines often are, more or less, end"
    const settled = await settle("bash", { command: `yes '${line}' | head -n 700000; echo needle; exit 3` })
    clearInterval(timer)
    const { path = "", bytes, complete } = settled.outputFile ?? {}
    expect(isSmall(settled)).toBe(true)
    expect(settled.output).toMatch(/\nneedle\n\[exit code 3\]$/)
    expect([complete, bytes]).toEqual([true, 700_000 * (line.length + 1) + "needle\n[exit code 3]".length])
    expect((await stat(path)).size).toBe(bytes)
    expect(highest - before).toBeLessThan(96_000_000)
    expect((await settle("grep", { pattern: "^needle", path })).output).toContain("700001: needle")
    expect((await settle("read", { path })).output).toContain(`     1\t${line}`)
  })

  test("[TO1 TO3] of one line of 10 MB is stored whole", async () => {
    const settle = await place()
    const settled = await settle("bash", { command: "head -c 10000000 /dev/zero | tr '\\0' x" })
    expect(isSmall(settled)).toBe(true)
    expect(settled.outputFile).toMatchObject({ bytes: 10_000_000, complete: true })
  })

  test("[TO3 TO8] of bytes that are no UTF-8 is stored as the text that was received", async () => {
    const settle = await place()
    const settled = await settle("bash", { command: "for i in $(seq 4000); do printf 'a\\377\\0b\\n'; done" })
    const pieces: string[] = []
    for await (const piece of createReadStream(settled.outputFile?.path ?? "", "utf8"))
      pieces.push(String(piece))
    expect(pieces.join("")).toBe("a\uFFFD\0b\n".repeat(4_000))
    expect(settled.output).toContain("a\uFFFD\uFFFDb\n")
    const found = await settle("grep", {
      pattern: "b$",
      path: settled.outputFile?.path ?? "",
      output: "counts",
    })
    expect(found.output).toMatch(/: 4000$/)
  })

  test("[TO3] of nothing has no file", async () => {
    const settle = await place()
    expect(await settle("bash", { command: "true" })).toEqual({
      state: "done",
      output: "(no output)",
      truncated: null,
      structured: { exitCode: 0, signal: null, timedOut: false, background: 0 },
    })
  })
})
