/** Real sessions: what a reader tells equals an independent count, field by field (IM2). */
import { basename } from "node:path"
import { describe, expect, test } from "vitest"
import type { ForeignRecord } from "../src/record.ts"
import { type Count, countClaudeCode, countCodex, countPi, countTranscript } from "./count/count.ts"
import { account, readFile } from "./read.ts"
import { sharedData, sharedFiles } from "./shared.ts"

const cases = [
  ...sharedFiles("raw", /^claude-code.*jsonl$/).map((path) => ({
    path,
    count: () => countClaudeCode([path]),
  })),
  ...sharedFiles("raw", /^codex.*jsonl$/).map((path) => ({ path, count: () => countCodex(path) })),
  ...sharedFiles("raw", /^pi.*jsonl$/).map((path) => ({ path, count: () => countPi(path) })),
  ...["anthropic-messages", "openai-responses"]
    .flatMap((api) => sharedFiles(`transcripts/${api}`, /json$/))
    .map((path) => ({ path, count: () => countTranscript(path) })),
]

describe.skipIf(sharedData === null)("real sessions", () => {
  test.for(cases.map((each) => [basename(each.path), each] as const))(
    "[IM2] %s is told as it was recorded",
    async ([, { path, count }]) => {
      const records = await readFile(path)
      expect(tellingOf(records)).toEqual(count())
      expect(records.filter(({ type }) => type === "skipped")).toEqual([])
    },
  )

  test("[IM2] what was paid divides without a rest, and breaks are a part of it", async () => {
    for (const { path } of cases) {
      const { totals, places, breaks } = account(await readFile(path))
      const broken = [...places.breaks.values()].reduce((sum, { dollars }) => sum + (dollars ?? 0), 0)
      const { sentBefore, fresh, starts, premium } = places
      expect(sentBefore + fresh + starts + premium + broken).toBeCloseTo(totals.inputDollars, 6)
      expect(breaks.reduce((sum, { dollars }) => sum + (dollars ?? 0), 0)).toBeCloseTo(broken, 6)
      // A cent of rounding: what stays as recorded is priced with the life that is chosen.
      expect(totals.idealDollars).toBeLessThan(totals.inputDollars + 0.01)
      expect(totals.inputDollars).toBeLessThan(totals.listDollars)
    }
  })
})

function tellingOf(records: readonly ForeignRecord[]): Count {
  const { totals } = account(records)
  const answers = new Set<string>()
  let texts = 0
  let calls = 0
  for (const record of records) {
    if (record.type !== "assistant") continue
    answers.add(record.message)
    texts += record.parts.filter(({ type }) => type === "text").length
    calls += record.parts.filter(({ type }) => type === "call").length
  }
  // Items of OpenAI are no messages: there each text of the model is one.
  const itemwise = records.some((record) => record.type === "usage" && record.provider === "openai")
  return {
    requests: totals.calls,
    input: totals.input,
    read: totals.cacheRead,
    written: totals.cacheWrite5m + totals.cacheWrite1h,
    output: totals.output,
    answers: itemwise ? texts : answers.size,
    calls,
    results: records.filter(({ type }) => type === "result").length,
  }
}
