/** A file of any size is read in the memory of its longest line (IM2). */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { expect, test } from "vitest"
import { Collector } from "../src/accounting/collect.ts"
import { sessionFormat, agentReaders } from "../src/detect.ts"
import { foreignLineBytesMax } from "../src/reading/lines.ts"
import type { ForeignRecord } from "../src/record.ts"
import { claudeCode, openCode } from "./made.ts"
import { bytesOf, linesOf, readAll } from "./read.ts"

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

/** As many bytes as asked for, of the same lines again and again; none of them is kept. */
async function* again(lines: Uint8Array, bytesMax: number): AsyncIterable<Uint8Array> {
  for (let sent = 0; sent < bytesMax; sent += lines.length) yield lines
}

const megabytes = Number(process.env["HOLDFAST_FOREIGN_MEGABYTES"] ?? 12)

test(
  "[IM2] a long stream of lines grows the heap by no more than a few megabytes",
  { timeout: 600_000 },
  async () => {
    const big = {
      type: "user",
      uuid: "x",
      sessionId: "s",
      message: { role: "user", content: "y".repeat(200_000) },
    }
    const lines = linesOf([
      ...claudeCode([{}, {}, {}]),
      big,
      { type: "progress", uuid: "p", parentUuid: "x" },
    ])
    const collector = new Collector()
    collectGarbage()
    const before = process.memoryUsage().heapUsed
    let records = 0
    let most = 0
    for await (const record of agentReaders["claude-code"](again(lines, megabytes * 1_048_576))) {
      collector.add(record, "file")
      if (++records % 200 !== 0) continue
      collectGarbage()
      most = Math.max(most, process.memoryUsage().heapUsed - before)
    }
    expect(records).toBeGreaterThan(400)
    expect(most).toBeLessThan(12 * 1_048_576)
    expect(collector.collected().accounts[0]?.requests.length).toBe(3)
  },
)

test("[IM2] a long document is read a message at a time", async () => {
  const text = JSON.stringify(openCode([{}]))
  const at = text.lastIndexOf("]}")
  const message = bytesOf(
    `,${JSON.stringify({ info: { role: "user", id: "u" }, parts: [{ type: "text", text: "y".repeat(100_000) }] })}`,
  )
  async function* document() {
    yield bytesOf(text.slice(0, at))
    yield* again(message, 8 * 1_048_576)
    yield bytesOf(text.slice(at))
  }
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  const kinds = new Map<ForeignRecord["type"], number>()
  let most = 0
  for await (const { type } of agentReaders["opencode-export"](document())) {
    kinds.set(type, (kinds.get(type) ?? 0) + 1)
    if ((kinds.get("prompt") ?? 0) % 50 !== 0) continue
    collectGarbage()
    most = Math.max(most, process.memoryUsage().heapUsed - before)
  }
  expect(kinds.get("prompt")).toBeGreaterThan(60)
  expect(kinds.has("skipped")).toBe(false)
  expect(most).toBeLessThan(12 * 1_048_576)
})

test("[IM2] a line beyond the limit is skipped, and what follows is read", async () => {
  const filler = new Uint8Array(1_048_576).fill(0x61)
  async function* bytes() {
    yield linesOf(claudeCode([{}]))
    yield* again(filler, foreignLineBytesMax + 1)
    yield bytesOf("\n")
    yield linesOf(claudeCode([{}], "after"))
  }
  const read: ForeignRecord[] = []
  for await (const record of agentReaders["claude-code"](bytes())) read.push(record)
  expect(read.filter(({ type }) => type === "skipped")).toMatchObject([{ why: "too-long" }])
  expect(read.filter(({ type }) => type === "session")).toHaveLength(2)
})

test("[IM2] each format is known by how it begins", async () => {
  expect(sessionFormat(bytesOf("hello"))).toBeNull()
  expect(sessionFormat(bytesOf('{"name":"a package","version":"1"}'))).toBeNull()
  expect(sessionFormat(bytesOf("SQLite format 3\0…"))).toBe("opencode-store")
  expect(sessionFormat(linesOf(claudeCode([{}])))).toBe("claude-code")
  expect(sessionFormat(bytesOf(JSON.stringify(openCode([{}]), null, 2)))).toBe("opencode-export")
  expect(await readAll(agentReaders.codex, new Uint8Array(0))).toEqual([])
})
