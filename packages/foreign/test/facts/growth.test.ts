/** A session that is imported again, whole or with more of it, from wherever the first import ended (IM1). */
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { isReadable } from "@holdfast/schema/event"
import { emptySummary, isOpen, summarize } from "@holdfast/schema/state/summary"
import type { Entry } from "../../src/facts/log.ts"
import type { ForeignRecord } from "../../src/record.ts"
import { factsOf, header, importAll, importOne, invented, prompt } from "./records.ts"

const allWords = (log: readonly Entry[]): string => JSON.stringify(log.map(({ fact }) => fact))

test("[IM1 SS1] a side chain is archived and names its parent, also when it has grown", async () => {
  const child = { kind: "child", session: "s-0", at: null } as const
  const aside = invented.map((record) => (record.type === "session" ? { ...record, parent: child } : record))
  const isArchived = (log: readonly Entry[]) =>
    log.reduce((summary, { time, fact }, at) => summarize(summary, { seq: at + 1, time, fact }), emptySummary)
      .archived
  const main = await importOne([{ ...header, session: "s-0" }, prompt(1, "One")])
  const { log, parent } = await importOne(aside.slice(0, 6))
  expect([isArchived(main.log), isArchived(log), parent]).toEqual([false, true, main.session])
  const grown = await importOne(aside, log)
  expect(grown.log.length).toBeGreaterThan(log.length)
  expect(isArchived(grown.log)).toBe(true)
  expect((await importOne(aside, grown.log)).log).toEqual(grown.log)
})

test("[IM1] again is a no-op", async () => {
  const { log } = await importOne(invented)
  expect((await importOne(invented, log)).log).toEqual(log)
})

describe("[IM1 TU2] a file that has grown extends what is stored", () => {
  const ends = invented.map((_, index) => index + 1).slice(1)

  test.each(ends)("from record %i on", async (end) => {
    const stored = (await importOne(invented.slice(0, end))).log
    const { log } = await importOne(invented, stored)
    expect(log.slice(0, stored.length)).toEqual(stored)
    expect(log.filter(({ fact }) => !isReadable(fact))).toEqual([])
    // Every call is there once, every result is told, in the call or behind it.
    expect(factsOf(log, "call.settled").map(({ call }) => call)).toHaveLength(4)
    for (const words of ["first", "second", "once more", "And hurry.", "I go on."]) {
      expect(allWords(log)).toContain(words)
    }
    // Another import finds nothing new.
    expect((await importOne(invented, log)).log).toEqual(log)
  })

  test("in any number of steps", async () => {
    let stored: readonly Entry[] | null = null
    for (const end of ends) {
      const before: readonly Entry[] = stored ?? []
      const { log } = await importOne(invented.slice(0, end), stored)
      expect(log.slice(0, before.length)).toEqual(before)
      stored = log
    }
    expect(factsOf(stored ?? [], "call.settled")).toHaveLength(4)
    expect(factsOf(stored ?? [], "part.recorded")).toHaveLength(7)
  })
})

test("[IM1] where somebody went on here, what is new goes behind what was imported", async () => {
  const begun = (await importOne(invented.slice(0, 13))).log
  const own: Entry = {
    time: 5,
    fact: { type: "prompt.admitted", prompt: "prm_own" as never, text: "Mine.", delivery: "steer" },
  }
  const { log } = await importOne(invented, [...begun, own])
  expect(log.slice(0, begun.length)).toEqual(begun)
  expect(allWords(log)).not.toContain("Mine.")
  expect(log.length).toBeGreaterThan(begun.length)
})

/** Records as damage leaves them: some lost, some twice, some elsewhere. */
const damaged = fc
  .tuple(
    fc.array(fc.nat(invented.length - 1), { maxLength: 30 }),
    fc.array(fc.tuple(fc.nat(20), fc.constantFrom("a3", "a8", "p6", "r5", "gone", null)), { maxLength: 4 }),
  )
  .map(([order, branches]) => {
    const records: ForeignRecord[] = [
      invented[0] as ForeignRecord,
      ...order.map((at) => invented[at] as ForeignRecord),
    ]
    for (const [at, after] of branches)
      records.splice(1 + (at % records.length), 0, {
        type: "branch",
        session: "s-1",
        after,
        at: null,
        line: 0,
      })
    return records
  })

test("[IM1 TG7] shuffled, lost and repeated records give whole logs, and nothing that was not there", async () => {
  await fc.assert(
    fc.asyncProperty(damaged, async (records) => {
      const said = JSON.stringify(records)
      for (const { log } of await importAll(records)) {
        expect(log.filter(({ fact }) => !isReadable(fact))).toEqual([])
        const summary = log.reduce(
          (folded, { time, fact }, index) => summarize(folded, { seq: index + 1, time, fact }),
          emptySummary,
        )
        expect([isOpen(summary), summary.pending]).toEqual([false, 0])
        const messages = log.flatMap(({ fact }) =>
          "message" in fact && fact.type !== "part.recorded" && fact.type !== "call.settled"
            ? [fact.message]
            : [],
        )
        expect(new Set(messages).size).toBe(messages.length)
        const settled = factsOf(log, "call.settled").map(({ call }) => call)
        expect(new Set(settled).size).toBe(settled.length)
        expect(settled).toHaveLength(
          factsOf(log, "part.recorded").filter(({ part }) => part.type === "call").length,
        )
        for (const { text } of [...factsOf(log, "prompt.admitted"), ...factsOf(log, "notice.admitted")])
          expect(said).toContain(JSON.stringify(text))
      }
    }),
    { numRuns: 300 },
  )
})
