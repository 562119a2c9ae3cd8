/** Files that were cut, shuffled or damaged: readers never throw, and never tell what the file did not hold (IM2). */
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { sessionFormat, agentReaders } from "../src/detect.ts"
import type { ForeignRecord, Reader, UsageRecord } from "../src/record.ts"
import { claudeCode, codex, openCode, pi, transcript } from "./made.ts"
import { account, bytesOf, linesOf, readAll } from "./read.ts"

const steps = [{}, {}, { plant: "compaction" as const }, {}, { plant: "edit" as const }, {}]

const files: readonly (readonly [string, Reader, Uint8Array])[] = [
  ["claude-code", agentReaders["claude-code"], linesOf(claudeCode(steps))],
  ["codex", agentReaders.codex, linesOf(codex(steps))],
  ["pi", agentReaders.pi, linesOf(pi(steps))],
  ["opencode-export", agentReaders["opencode-export"], bytesOf(JSON.stringify(openCode(steps)))],
  ["transcript", agentReaders.transcript, bytesOf(JSON.stringify(transcript(steps), null, 1))],
]

const runs = Number(process.env["HOLDFAST_FOREIGN_RUNS"] ?? 10)

const usages = (records: readonly ForeignRecord[]): readonly UsageRecord[] =>
  records.filter((record) => record.type === "usage")

/** Without its place, which moves with the damage. */
const counted = ({ input, cacheRead, cacheWrite5m, cacheWrite1h, output }: UsageRecord): string =>
  [input, cacheRead, cacheWrite5m, cacheWrite1h, output].join()

test.for(files)("[IM2] %s: pieces of any size tell the same", async ([, reader, bytes]) => {
  const whole = await readAll(reader, bytes)
  expect(usages(whole).length).toBeGreaterThanOrEqual(steps.length)
  for (const size of [1, 7, 1_000]) expect(await readAll(reader, bytes, size)).toEqual(whole)
})

test.for(files)(
  "[IM2] %s: a file that is cut off tells a part of it, and that it is cut",
  async ([, reader, bytes]) => {
    const whole = await readAll(reader, bytes)
    const known = new Set(usages(whole).map(counted))
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: bytes.length - 2 }), async (length) => {
        const part = await readAll(reader, bytes.subarray(0, length))
        expect(usages(part).every((usage) => known.has(counted(usage)))).toBe(true)
        expect(part.filter(({ type }) => type !== "skipped").length).toBeLessThanOrEqual(whole.length)
        const ends = bytes[length - 1] === 0x0a || bytes[length] === 0x0a
        if (!ends) expect(part.some(({ type }) => type === "skipped")).toBe(true)
        account(part)
      }),
      { numRuns: runs },
    )
  },
)

test.for(files.slice(0, 3))(
  "[IM2] %s: lines in any order, some twice, invent no request",
  async ([, reader, bytes]) => {
    const lines = new TextDecoder().decode(bytes).trimEnd().split("\n")
    const known = new Set(usages(await readAll(reader, bytes)).map(counted))
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([...lines, ...lines], { minLength: 1 }), async (chosen) => {
        const part = await readAll(reader, bytesOf(`${chosen.join("\n")}\n`))
        expect(usages(part).every((usage) => known.has(counted(usage)))).toBe(true)
        // Twice is once.
        expect(account(part).totals.calls).toBeLessThanOrEqual(steps.length)
      }),
      { numRuns: runs },
    )
  },
)

test.for(files)("[IM2] %s: damaged bytes are never fatal", async ([, reader, bytes]) => {
  const damage = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(damage, async (places) => {
      const damaged = Uint8Array.from(bytes)
      for (const [at, value] of places) damaged[at] = value
      sessionFormat(damaged)
      const { totals } = account(await readAll(reader, damaged, 500))
      // Two lines tell of each request; damage to one can make it look like another.
      expect(totals.calls).toBeLessThanOrEqual(2 * steps.length)
      for (const tokens of [totals.input, totals.cacheRead, totals.output])
        expect(tokens).toBeGreaterThanOrEqual(0)
    }),
    { numRuns: runs },
  )
})

test.for(files)("[IM2] %s: values of any kind in any field are never fatal", async ([, reader, bytes]) => {
  const text = new TextDecoder().decode(bytes)
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.jsonValue(), async (which, value) => {
      const fields = [...text.matchAll(/"(\w+)":\s?("[^"\\]*"|\d+|true|false|null)/g)]
      const [found, name = ""] = fields[which % fields.length] ?? []
      const changed = text.replaceAll(found ?? "", `"${name}":${JSON.stringify(value)}`)
      account(await readAll(reader, bytesOf(changed)))
    }),
    { numRuns: runs },
  )
})

test("[IM2] bytes that are no text at all are reported", async () => {
  for (const [, reader] of files) {
    const utf16 = Uint8Array.from(Buffer.from('{"type":"user","sessionId":"s"}\n', "utf16le"))
    const read = await readAll(reader, utf16)
    expect(read.every(({ type }) => type === "skipped")).toBe(true)
    expect(read.length).toBeGreaterThan(0)
  }
})
