/** Edges of what a break takes out: at the last tag that is protected, at a forced pass, in the middle of a character. */
import { expect, test } from "vitest"
import { gapBetween, nudgeFor, reduce } from "@holdfast/recall"
import { skeletonInput } from "@holdfast/recall/reduce/skeleton"
import type { Message } from "@holdfast/schema/message"
import { emptyItems } from "@holdfast/schema/state/items"
import { assistant, call } from "../history.ts"
import { asking, drop, dropped, history, stripped, viewOf } from "./units.ts"

test("[LL8 TG2] a call beside what the provider did by itself never vanishes whole, however many are dropped", () => {
  const native = { provider: "p", model: "m", endpoint: "e", opaque: {} }
  const messages = history(60).map((message): Message => {
    if (message.kind !== "assistant" || message.seq > 4) return message
    const hosted = { index: 1, part: { type: "hosted" as const, name: "search", native } }
    return { ...message, parts: [...message.parts, hosted] }
  })
  const tags = Array.from({ length: 25 }, (_, at) => 2 * at + 3)
  const { ops } = reduce(asking(viewOf(messages), { signals: [drop(1, ...tags)] }))
  expect(dropped(ops).slice(0, 5)).toEqual([
    "3 skeleton",
    "5 skeleton",
    "7 nothing",
    "9 nothing",
    "11 nothing",
  ])
})

test("[MD2 EG1] from 85 % on the emergency says which outputs go, and not that an earlier pass had seen them", () => {
  const view = viewOf(history(40))
  const gone = (usage: number) =>
    dropped(reduce(asking(view, { cause: "forced", usage, inputTokens: 1_000, executedSeq: 20 })).ops)
  expect(gone(0.84).length).toBeGreaterThan(5)
  expect(gone(0.85)).toEqual([])
})

test("[TG3 TG1] an answer of which one call is protected is stripped of nothing, wherever it began", () => {
  const noted = { ...call(4, "out"), seq: 5, added: [{ kind: "nudge" as const, text: "Drop something." }] }
  const long = (seq: number): Message => assistant(4, noted, { ...call(5, "late"), seq })
  const rest = history(40).filter(({ seq }) => seq !== 4)
  const ops = (seq: number) => stripped(reduce(asking(viewOf([...rest, long(seq)]))).ops)
  expect(ops(6)).toEqual(["msg_4 noise"])
  expect(ops(9_000)).toEqual([])
})

test("[ND1] in a large window a reminder waits for more than in a small one: 5 % of what it may hold", () => {
  const large = (grown: number) =>
    nudgeFor({
      view: viewOf(history(40, (n) => ({ tokens: n < 35 ? 4_000 : grown / 5 }))),
      items: { ...emptyItems, ceilingTold: true, executedSeq: 72 },
      inputTokens: 400_000,
      inputTokensMax: 600_000,
      workingTokens: 400_000,
    })
  expect(large(19_000)).toBeNull()
  expect(large(21_000)?.text).toContain('level="gentle"')
})

test("[ND2] seven days are a week", () => {
  const day = 86_400_000
  const texts = [6 * day + 23 * 3_600_000, 7 * day, 9 * day].map((ms) => gapBetween(0, ms)?.text)
  expect(texts).toEqual([
    "+6d 23h since the last message",
    "+1w since the last message",
    "+1w 2d since the last message",
  ])
})

test("[TG2] a skeleton ends no value in half a character", () => {
  const input = { path: "a.ts", text: `${"a".repeat(39)}😀${"b".repeat(600)}` }
  expect(skeletonInput(input)).toEqual({ path: "a.ts", text: `${"a".repeat(39)}...[truncated]` })
})

test("[EG1] the emergency takes out what is still too much beside the drops that were asked for, and no more", () => {
  const messages = history(60, () => ({ name: "bash", tokens: 1_000 }))
  const forced = { cause: "forced" as const, usage: 0.9, inputTokens: 100_000, workingTokens: 200_000 }
  const alone = dropped(reduce(asking(viewOf(messages), forced)).ops)
  const asked = dropped(reduce(asking(viewOf(messages), { ...forced, signals: [drop(1, 61, 63, 65)] })).ops)
  expect(alone).toHaveLength(13)
  expect(asked).toHaveLength(13)
})
