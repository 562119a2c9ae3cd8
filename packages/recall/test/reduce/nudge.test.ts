/** Reminders by the numbers, and gaps in words. */
import { expect, test } from "vitest"
import { gapBetween, nudgeFor } from "@holdfast/recall"
import type { SignalRaised } from "@holdfast/schema/fact/recall"
import type { Message } from "@holdfast/schema/message"
import { emptyItems, type Items } from "@holdfast/schema/state/items"
import { assistant, call } from "../history.ts"
import { calls, drop, history, unitOf, viewOf } from "./units.ts"

const working = 65_000
const max = 100_000

/** Of 40 calls the newest 20 are protected; so many tokens are left to reclaim. */
const holding = (tokens: number): readonly Message[] => history(40, () => ({ tokens: tokens / 20 }))

const nudged = (
  messages: readonly Message[],
  inputTokens: number,
  items: Partial<Items> = { ceilingTold: true },
): string | null =>
  nudgeFor({
    view: viewOf(messages),
    items: { ...emptyItems, ...items },
    inputTokens,
    inputTokensMax: max,
    workingTokens: working,
  })?.text ?? null

const level = (...asked: Parameters<typeof nudged>): string | null =>
  /^<reminder level="(\w+)">/.exec(nudged(...asked) ?? "")?.[1] ?? null

test.each([
  // severity = reclaimable / 65,000 × input / 65,000
  [9_900, 65_000, null],
  [12_900, 65_000, null],
  [13_100, 65_000, "gentle"],
  [13_100, 60_000, null],
  [25_900, 65_000, "gentle"],
  [26_100, 65_000, "firm"],
  [42_200, 65_000, "firm"],
  [42_300, 65_000, "urgent"],
  [20_000, 91_000, "firm"],
  [20_000, 28_000, null],
])("[ND1] %i tokens to reclaim of %i sent are %s", (reclaimable, input, expected) => {
  expect(level(holding(reclaimable), input)).toBe(expected)
})

test("[ND1] names the oldest that could go, and what to call", () => {
  expect(nudged(holding(30_000), 65_000)).toBe(
    '<reminder level="firm">About 30,000 tokens of older tool output fill your window. Call context_reduce soon, with what you are done with. The oldest: §3§ work, §5§ work, §7§ work, §9§ work.</reminder>',
  )
})

const reminded = (seq: number, said: string): Message =>
  assistant(seq, { ...call(seq, "out"), seq: seq + 1, added: [{ kind: "nudge", text: said }] })

test("[ND1] after a reminder only a stronger one comes, until something was dropped and more was added", () => {
  const gentle = '<reminder level="gentle">About …</reminder>'
  const told = [...holding(20_000), reminded(100, gentle)]
  expect(level(told, 65_000)).toBeNull()
  expect(level([...holding(30_000), reminded(100, gentle)], 65_000)).toBe("firm")
  const dropped = assistant(102, { ...call(102, "Queued."), name: "context_reduce", seq: 103 })
  expect(level([...told, dropped], 65_000)).toBeNull()
  const grown = Array.from({ length: 4 }, (_, n) => calls(104 + 2 * n, { tokens: 3_000 }))
  expect(level([...told, dropped, ...grown], 65_000)).toBe("gentle")
  // A pass that executed begins anew as well.
  expect(level([...told, ...grown], 65_000)).toBeNull()
  expect(level([...told, ...grown], 65_000, { ceilingTold: true, executedSeq: 102 })).toBe("gentle")
})

test("[ND1] counts neither what is protected, nor what waits to be dropped, nor the list of steps", () => {
  const signals = new Map<string, SignalRaised>([
    ["sig_1", drop(1, ...Array.from({ length: 12 }, (_, n) => 2 * n + 3))],
  ])
  expect(level(holding(30_000), 65_000, { ceilingTold: true, signals })).toBeNull()
  const lists = history(40, () => ({ tokens: 2_000, name: "todo" }))
  expect(level(lists, 65_000)).toBeNull()
  expect(
    level(
      history(20, () => ({ tokens: 3_000 })),
      65_000,
    ),
  ).toBeNull()
})

test("[ND1] the ceiling is told once in a Session, from a third of what is usable on", () => {
  // usable = 100,000 − 90,000 + all 40 calls and 10 tokens of the prompt
  expect(level(holding(18_000), 90_000, {})).toBe("ceiling")
  expect(level(holding(18_000), 90_000)).toBe("gentle")
  expect(level(holding(18_000), 40_000, {})).toBeNull()
})

test("[ND1] what was dropped is no room that is left", () => {
  // 38 calls of 1,000 tokens and one of 30,000 that is gone: of about 58,000 that are usable 19,000 could go.
  const messages = history(40, (n) => ({ tokens: n === 0 ? 30_000 : 1_000 }))
  const ops = [{ op: "drop", unit: unitOf(3), leaves: "nothing" }] as const
  const told = nudgeFor({
    view: viewOf(messages, ops),
    items: emptyItems,
    inputTokens: 85_000,
    inputTokensMax: max,
    workingTokens: working,
  })
  expect(told?.text).toMatch(/^<reminder level="ceiling">.*about 19,000 tokens/)
})

test.each([
  [4, null],
  [5, "+5m"],
  [59, "+59m"],
  [60, "+1h"],
  [135, "+2h 15m"],
  [1_440, "+1d"],
  [3 * 1_440 + 4 * 60 + 9, "+3d 4h"],
  [9 * 1_440 + 59, "+1w 2d"],
  [-9, null],
])("[ND2] %i minutes are told as %s", (minutes, expected) => {
  const told = gapBetween(1_000, 1_000 + minutes * 60_000 + 59_999)
  expect(told?.text ?? null).toBe(expected && `${expected} since the last message`)
})
