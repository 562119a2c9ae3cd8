import { expect, test } from "vitest"
import type { Message } from "@holdfast/schema/message"
import { chunkTokensMax, trigger, triggerBudget, type TriggerView } from "../../src/historian/trigger.ts"
import { assistant, call, text, user, words } from "../history.ts"

const inputTokensMax = 100_000
const usedTokens = 20_000

/** Pairs of a question and an answer of so many tokens; the newest question stands alone at the end. */
const pairs = (count: number, tokens: number, said = ""): Message[] => [
  ...Array.from({ length: count }, (_, at) => [
    user(4 * at + 1, `Ask ${at}.`),
    assistant(
      4 * at + 3,
      ...Array.from({ length: Math.ceil(tokens / 550) }, () => text(`${said} ${words(540)}`)),
    ),
  ]).flat(),
  user(4 * count + 1, "And now?"),
]

const view = (messages: readonly Message[], more: Partial<TriggerView> = {}): TriggerView => ({
  messages,
  historyEnd: 0,
  inputTokensMax,
  usedTokens,
  ...more,
})

test.each([
  [10_000, 5_000],
  [200_000, 7_500],
  [1_000_000, 37_500],
  [4_000_000, 50_000],
])("[HI2] the budget of a window of %i tokens is %i", (limit, budget) => {
  expect(triggerBudget(limit)).toBe(budget)
})

test.each([
  [16_000, 8_000],
  [128_000, 32_000],
  [1_000_000, 50_000],
])("[HI1] a chunk for a model of %i tokens holds %i", (limit, tokens) => {
  expect(chunkTokensMax(limit)).toBe(tokens)
})

test("[HI2] little history under no pressure calls for nothing", () => {
  expect(trigger(view(pairs(4, 1_000)))).toBeNull()
  expect(trigger(view([]))).toBeNull()
  expect(trigger(view(pairs(60, 1_000), { inputTokensMax: 0 }))).toBeNull()
})

test("[HI2] a head of three budgets fires, and one below it does not", () => {
  expect(trigger(view(pairs(45, 1_000)))).toMatchObject({ reason: "length", fromSeq: 1, emergency: false })
  expect(trigger(view(pairs(25, 1_000)))).toBeNull()
})

test("[HI2] three clusters of commits fire from one budget on", () => {
  const work = pairs(26, 1_000)
  const committed = (seqs: readonly number[]) =>
    work.map((message) =>
      seqs.includes(message.seq)
        ? assistant(message.seq, text(`Committed 1a2b3c${message.seq}. ${words(500)}`))
        : message,
    )
  expect(trigger(view(committed([3, 7, 11])))).toMatchObject({ reason: "commits" })
  expect(trigger(view(committed([3, 7])))).toBeNull()
})

test("[HI2] pressure fires two points below the threshold, for a head that is worth it", () => {
  const short = pairs(14, 1_000)
  expect(trigger(view(short, { usedTokens: 63_000 }))).toMatchObject({ reason: "pressure" })
  expect(trigger(view(short, { usedTokens: 62_900 }))).toBeNull()
})

test("[HI2] near the ceiling whatever stands before the tail goes, and behind the newest words too", () => {
  const one = [
    user(1, "Do it all."),
    ...Array.from({ length: 40 }, (_, at) => assistant(2 * at + 2, text(words(500)), call(at, words(1_500)))),
  ]
  expect(trigger(view(one, { usedTokens: 79_000 }))).toBeNull()
  expect(trigger(view(one, { usedTokens: 80_000 }))).toMatchObject({
    reason: "force",
    fromSeq: 1,
    emergency: false,
  })
  expect(trigger(view(one, { usedTokens: 96_000 }))).toMatchObject({ reason: "force", emergency: true })
})

test("[HI6] the range begins behind what is covered and ends before the protected tail, between two messages", () => {
  const messages = pairs(60, 1_000)
  const found = trigger(view(messages, { historyEnd: 41 }))
  expect(found?.fromSeq).toBe(42)
  expect(found?.messages[0]?.seq).toBe(43)
  const next = messages.find(({ seq }) => seq > (found?.messages.at(-1)?.seq ?? 0))
  expect(found?.toSeq).toBe((next?.seq ?? 0) - 1)
  const kept = messages.filter(({ seq }) => seq > (found?.toSeq ?? 0)).length
  expect(kept).toBeGreaterThanOrEqual(20)
})

test("[HI3] a range ends where more than two messages follow, so that its last part is stored; in need it does not wait for them", () => {
  const answers = Array.from({ length: 5 }, (_, at) =>
    assistant(at + 2, text(words(500)), call(at, words(20_000))),
  )
  const messages = [user(1, "Do it all."), ...answers]
  const rangeAt = (usage: number) => trigger(view(messages, { usedTokens: inputTokensMax * usage }))
  expect(rangeAt(0.85)?.messages.map(({ seq }) => seq)).toEqual([1, 2, 3])
  expect(rangeAt(0.85)?.toSeq).toBe(3)
  expect(rangeAt(0.96)?.messages.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6])
})

test("[HI2 TA1] a call that has not settled holds the boundary inside the protected tail, and none that is older", () => {
  const toSeq = (count: number, seq: number, used: number) => {
    const messages = pairs(count, 1_000).map((message) =>
      message.seq === seq ? assistant(seq, text(words(900)), call(1, null)) : message,
    )
    return trigger(view(messages, { usedTokens: used }))?.toSeq ?? 0
  }
  expect(toSeq(60, 0, 64_000)).toBeGreaterThan(100)
  expect(toSeq(60, 11, 64_000)).toBe(toSeq(60, 0, 64_000))
  // Where all of it is inside the tail as sized, half of a tail is enough in need.
  expect(toSeq(5, 0, 96_000)).toBeGreaterThan(4)
  expect(toSeq(5, 3, 96_000)).toBe(0)
})

test("[HI2] commits of one stretch of work are one cluster, however much is answered between them", () => {
  const answers = Array.from({ length: 70 }, (_, at) => {
    const said = at % 5 === 0 ? `Committed 1a2b3c${at}. ` : ""
    return assistant(2 * at + 3, text(`${said}${words(540)}`))
  })
  expect(trigger(view([user(1, "Do it all."), ...answers, user(200, "And now?")]))?.reason).toBe("length")
})
