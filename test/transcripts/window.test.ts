/** The window evaluation: what it reads of recorded sessions, what it counts, and that recall does well by it. */
import { describe, expect, test } from "vitest"
import type { ForeignRecord } from "@holdfast/foreign"
import { factsUsed, makeIndex, noteMessage } from "../../scripts/eval/facts.ts"
import { inventedSessions } from "../../scripts/eval/invented.ts"
import { pageOf } from "../../scripts/eval/page.ts"
import { ungrouped } from "../../scripts/eval/recalled.ts"
import { reportOf, tableOf } from "../../scripts/eval/report.ts"
import { scribes } from "../../scripts/eval/scribe.ts"
import { inventedSession, sessionOf } from "../../scripts/eval/sessions.ts"
import { evaluateWindow } from "../../scripts/eval/window.ts"

const placed = (n: number) => ({ session: "s", id: `${n}`, at: null, line: n })
const prompt = (n: number, text: string, by: "person" | "agent" | "summary" = "person"): ForeignRecord => ({
  type: "prompt",
  ...placed(n),
  by,
  text,
  images: [],
})
const answer = (n: number, text: string): ForeignRecord => ({
  type: "assistant",
  ...placed(n),
  message: `m${n}`,
  provider: null,
  model: null,
  parts: [
    { type: "text", text },
    { type: "call", call: `t${n}`, name: "read", input: { path: `src/${n}.ts` } },
  ],
  finish: null,
})
const result = (n: number, text: string): ForeignRecord => ({
  type: "result",
  ...placed(100 + n),
  call: `t${n}`,
  name: null,
  state: "failed",
  text,
  images: [],
})
const compaction = (n: number): ForeignRecord => ({
  type: "compaction",
  ...placed(n),
  keptFrom: null,
  tokensBefore: null,
  cause: null,
})

test("[IM2 HI1] a summary of the recorded agent is no message, and what it repeats is told once", () => {
  const { messages, compactions } = sessionOf("s", [
    prompt(1, "Mend the pump."),
    answer(2, "Looking."),
    result(2, "no such file"),
    compaction(3),
    prompt(4, "So far: the pump P-900 leaks.", "summary"),
    prompt(5, "Mend the pump."),
    answer(6, "Going on."),
    prompt(7, "a reminder", "agent"),
  ])
  expect(messages.map(({ kind }) => kind)).toEqual(["user", "assistant", "assistant", "notice"])
  expect(messages[1]).toMatchObject({
    parts: [{}, { part: { state: "failed", outcome: { output: "no such file" } } }],
  })
  expect(compactions).toEqual([
    { atSeq: 3, kept: "So far: the pump P-900 leaks.\nMend the pump.\n", summarised: true },
  ])
})

describe("a fact", () => {
  const { messages } = sessionOf("s", [
    prompt(1, "Open src/pump/main.ts with openValve_7."),
    answer(2, "I see turnWheel_3."),
    result(2, "only putOut_9 here"),
    answer(3, "Now openValve_7, turnWheel_3, putOut_9, src/pump/main.ts and brandNew_1."),
  ])
  const index = makeIndex()
  for (const message of messages.slice(0, 2)) noteMessage(index, message)
  const used = factsUsed(index, messages[2] as (typeof messages)[number])

  test("[HI1] is what an answer names that was there before, by whoever said it", () => {
    expect(used.map(({ words, spoken }) => [words, spoken])).toEqual([
      ["openValve_7", true],
      ["turnWheel_3", true],
      ["putOut_9", false],
      ["src/pump/main.ts", true],
    ])
  })

  test("[HI1] is shown by its own words, by its folder and name, or where names share their beginning", () => {
    const [, , , path] = used
    for (const text of [
      "at src/pump/main.ts:3",
      "F src/pump/ main.ts read #2",
      ungrouped("N src/pump/{a.ts main.ts}"),
    ])
      expect(path?.shownIn(text), text).toBe(true)
    for (const text of ["F src/ main.ts read #2", "src/pump/\nmain.ts", "main.ts"])
      expect(path?.shownIn(text), text).toBe(false)
    expect([path?.namedIn("c1-2\nN main.ts"), path?.namedIn("c1-2\nN other.ts")]).toEqual([true, false])
  })
})

describe("an error that a program put out", () => {
  const failing = (n: number, output: string) => [answer(n, "I run it."), result(n, output)]
  const { messages } = sessionOf("s", [
    prompt(1, "Mend it."),
    ...failing(2, "building\nsrc/pump.ts:3:1: error: Cannot weld flange to gasket\nerrors are counted here"),
    answer(3, "The flange has no gasket."),
    answer(4, "The gasket is new."),
    answer(5, "Again: flange, gasket and weld."),
  ])
  const index = makeIndex()
  const usedBy = (at: number) =>
    factsUsed(index, messages[at] as (typeof messages)[number]).filter(({ kind }) => kind === "error")
  for (const message of messages.slice(0, 2)) noteMessage(index, message)
  const [[first], second, [third]] = [usedBy(2), usedBy(3), usedBy(4)]

  test("[HI1] is a fact of an answer that has several of its rare words, and spoken of from then on", () => {
    expect(first).toMatchObject({
      words: 'the error "src/pump.ts:3:1: error: Cannot weld flange to gasket" in #2',
      seqs: [2],
      spoken: false,
    })
    expect(second).toEqual([])
    expect(third?.spoken).toBe(true)
  })

  test("[HI1] is shown by one line that says the same, and behind the handle of an error", () => {
    expect(first?.shownIn("a\nE #2 bash: Cannot weld flange to gasket")).toBe(true)
    expect(first?.shownIn("N flange gasket")).toBe(false)
    expect(first?.shownIn("a flange\nand a gasket")).toBe(false)
    expect(["E #2 Exit code 1", "E #3 flange", "U #2 flange"].map((part) => first?.namedIn(part))).toEqual([
      true,
      false,
      false,
    ])
  })
})

test("[HI1 DK1] of an invented session recall keeps what truncation to the same size loses", () => {
  const sessions = inventedSessions().slice(0, 1).map(inventedSession)
  const report = reportOf(
    60_000,
    sessions.map((session) => evaluateWindow(session, 60_000)),
  )
  const { recall, truncation } = report.total
  expect(recall.fate.inWindow + recall.fate.oneExpand + recall.fate.lost).toBeGreaterThan(10)
  expect(report.shares.recall.inWindow).toBeGreaterThanOrEqual(0.85)
  expect(report.shares.recall.reachable).toBeGreaterThanOrEqual(0.9)
  expect(recall.fate.lost).toBeLessThan(truncation.fate.lost)
  expect(truncation.fate).toMatchObject({ inWindow: 0, oneExpand: 0 })
  for (const way of ["words", "summary", "truncation"] as const)
    expect(Math.abs(report.total[way].averageTokens / recall.averageTokens - 1), way).toBeLessThan(0.002)
  expect(tableOf(report).split("\n").at(-1)).toMatch(/^together +360 /)
  expect(pageOf(report)).toContain("<svg")
  expect(pageOf(report)).not.toMatch(/<script|https?:/)
})

test("[HI1] a scripted historian is compared with the extractive one on facts that left both tails", () => {
  const sessions = inventedSessions().slice(0, 1).map(inventedSession)
  const figures = sessions.map((session) => evaluateWindow(session, 60_000, scribes.vague))
  const report = reportOf(60_000, figures)
  const { both } = report.total
  const facts = both === null ? 0 : both.scripted.inWindow + both.scripted.oneExpand + both.scripted.lost
  expect(facts).toBeGreaterThan(5)
  expect(facts).toBeLessThanOrEqual(Object.values(report.total.recall.fate.spoken).reduce((a, b) => a + b, 0))
  expect(both?.scripted.lost).toBeLessThanOrEqual(both?.extractive.lost ?? 0)
  expect(tableOf(report).split("\n").at(-1)).toContain(`Of the ${facts} facts that have left the tail`)
})
