/** Searches that find more than anybody can read: what is shown stays small, and the call settles. */
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import type { Json } from "@holdfast/schema/json"
import { beforeAll, afterAll, describe, expect, test } from "vitest"
import { type Folder, makeFolder } from "../../../../../test/stage/opened.ts"
import { outputLimitsDefault } from "../../../src/tools/bound.ts"
import { createToolRegistry, type Settlement } from "../../../src/tools/registry.ts"
import { createGlobTool } from "../../../src/tools/search/glob.ts"
import { createGrepTool } from "../../../src/tools/search/grep.ts"
import { listTool } from "../../../src/tools/search/list.ts"
import { uniqueCallId } from "../workspace.ts"

let folder: Folder
const registry = createToolRegistry([createGrepTool(), createGlobTool(), listTool])

beforeAll(async () => {
  folder = makeFolder("flood")
  const write = async (path: string, content: string | Buffer) =>
    writeFile(join(folder.directory, path), content)
  for (const name of ["lines", "many", "nothing"]) await mkdir(join(folder.directory, name))
  const line = `${"needle and more of it ".repeat(5)}\n`
  const megabyte = line.repeat(Math.ceil(1_000_000 / line.length))
  for (let n = 0; n < 50; n++) await write(`lines/${n}.txt`, megabyte)
  await write("one-line.txt", `${"x".repeat(5_000_000)}needle${"y".repeat(5_000_000)}`)
  await write("bytes.txt", Buffer.concat([Buffer.alloc(20_000, 0xff), Buffer.from(" needle\n")]))
  for (let n = 0; n < 3_000; n++) await write(`many/${String(n).padStart(5, "0")}-${"x".repeat(40)}`, "")
})
afterAll(() => folder.remove())

const settle = (name: string, input: Json): Promise<Settlement> =>
  Effect.runPromise(registry.settle({ callId: uniqueCallId(), name, input }, { directory: folder.directory }))

const withinLimits = ({ output }: Settlement) =>
  Buffer.byteLength(output) <= outputLimitsDefault.bytesMax &&
  output.split("\n").length <= outputLimitsDefault.linesMax

describe("a flood", () => {
  test.each<readonly [string, string, Record<string, Json>, RegExp]>([
    [
      "50 MB of matches",
      "grep",
      { pattern: "needle", path: "lines", limit: 1_900 },
      /^\[\d+ of at least 100000 matching lines in 50 files shown; narrow/m,
    ],
    ["one line of 10 MB", "grep", { pattern: "needle", path: "one-line.txt" }, /^1: …x{100}needley+…$/m],
    [
      "one line of 10 MB in a directory",
      "grep",
      { pattern: "needle", glob: "one-*" },
      /^1: …x{100}needley+…$/m,
    ],
    ["bytes that are no UTF-8", "grep", { pattern: "needle", path: "bytes.txt" }, /^1: …\uFFFD+ needle$/m],
    ["nothing", "grep", { pattern: "needle", path: "nothing" }, /^\[no line matches/],
    ["counts of 50 MB", "grep", { pattern: "needle", output: "counts" }, /^lines\/0\.txt: 9\d\d\d$/m],
    ["3,000 paths", "glob", { pattern: "many/*", limit: 1_900 }, /^\[\d+ more files left out; narrow/m],
    ["no path", "glob", { pattern: "x.none" }, /^\[no file fits/],
    ["3,000 entries", "list", { path: "many" }, /^ {2}\[2000 more entries\]$/m],
    ["no entry", "list", { path: "nothing" }, /^\[nothing to show\]$/m],
  ])("[TO1 TO5] %s settles within the limit", async (_, name, input, expected) => {
    const settlement = await settle(name, input)
    expect(settlement.output).toMatch(expected)
    expect(withinLimits(settlement)).toBe(true)
  })

  test("[TO1] costs little memory, however much goes by", async () => {
    await settle("grep", { pattern: "needle", path: "lines" })
    let highest = 0
    const before = process.memoryUsage.rss()
    const timer = setInterval(() => {
      highest = Math.max(highest, process.memoryUsage.rss())
    }, 5)
    for (let n = 0; n < 4; n++) await settle("grep", { pattern: "needle", path: "lines" })
    clearInterval(timer)
    expect(highest - before).toBeLessThan(64_000_000)
  })

  test("[TO2] what a search left out counts in its record", async () => {
    const { truncated } = await settle("grep", { pattern: "needle", path: "lines" })
    expect(truncated?.linesTotal).toBeGreaterThan(99_000)
    expect(truncated?.bytesTotal).toBeGreaterThan(10_000_000)
    const small = await settle("grep", { pattern: "needle", path: "one-line.txt", output: "counts" })
    expect([small.output, small.truncated]).toEqual(["one-line.txt: 1", null])
  })
})
