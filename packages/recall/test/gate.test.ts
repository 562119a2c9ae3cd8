import { expect, test } from "vitest"
import type { Message } from "@holdfast/schema/message"
import {
  ceilingTokens,
  fits,
  type GateLimits,
  type GateView,
  planReduction,
  reductionShares,
  render,
} from "@holdfast/recall"
import { entryTokens } from "@holdfast/recall/size"
import { assistant, call, reduction, system, text, user } from "./history.ts"

const limits: GateLimits = { contextTokens: 10_000, outputTokens: 1_000, answered: null }
const words = (tokens: number) => "w".repeat(Math.round(tokens * 3.6))

const view = (
  messages: readonly Message[],
  newestInputs: readonly number[],
  more: Partial<GateView> = {},
): GateView => ({
  history: { messages, epochSeq: 0, reductions: [] },
  fixedTokens: { tools: 0, system: 100, agent: 0 },
  newestInputs,
  ...more,
})
const plan = (given: GateView, share: number = reductionShares[0], with_ = limits) =>
  planReduction(given, with_, "ceiling", 12_000, share)

/** Ten rounds of a prompt and an answer, 1,000 tokens each round. */
const rounds = Array.from({ length: 10 }, (_, n) => [
  user(10 * n + 1, words(500)),
  assistant(10 * n + 2, text(words(500))),
]).flat()

test("[TU6] counts the output that is reserved into the ceiling", () => {
  expect(ceilingTokens(limits)).toBe(9_000)
  expect(fits(9_000, limits)).toBe(true)
  expect(fits(9_001, limits)).toBe(false)
})

test("[TU6] corrects its estimate by what the model reported for the last request", () => {
  const answered = (reported: number, estimated: number) => ({ ...limits, answered: { reported, estimated } })
  expect(fits(9_001, answered(8_000, 9_000))).toBe(true)
  expect(fits(8_001, answered(9_000, 8_000))).toBe(false)
  expect(fits(5_000, answered(16_000, 8_000))).toBe(false)
})

test("[TU6] cuts to 30 % of the window at once, the oldest first", () => {
  const made = plan(view([...rounds, user(200, "now")], [200]))
  if (made.kind !== "reduce") throw new Error("stuck")
  const { keepFrom, messagesCut, tokensAfter, kept, outputsCut } = made.reduction
  expect(tokensAfter).toBeLessThanOrEqual(3_000)
  expect(tokensAfter).toBeGreaterThan(2_000)
  expect(rounds.filter(({ seq }) => seq < keepFrom)).toHaveLength(messagesCut)
  expect([kept, outputsCut]).toEqual([[], []])
})

test("[TU6] plans what the renderer then shows, token for token", () => {
  const messages = [...rounds, system(150), user(200, "now")]
  const made = plan(view(messages, [200]))
  if (made.kind !== "reduce") throw new Error("stuck")
  const entries = render({ messages, epochSeq: 0, reductions: [made.reduction] })
  const shown = entries.slice(1).reduce((tokens, entry) => tokens + entryTokens(entry), 100)
  expect(made.reduction.tokensAfter).toBe(shown)
})

test("[TU6] keeps every system message of the Epoch and the newest input, wherever they stand", () => {
  const messages = [
    system(1),
    user(2, words(500)),
    ...rounds.map((message) => ({ ...message, seq: message.seq + 10 })),
  ]
  const made = plan(view(messages, [2]))
  if (made.kind !== "reduce") throw new Error("stuck")
  expect(made.reduction.kept).toEqual([2])
  const entries = render({ messages, epochSeq: 0, reductions: [made.reduction] })
  expect(entries[1]).toEqual({ kind: "system", text: "fact 1" })
  expect(entries[2]).toMatchObject({ kind: "user" })
})

test("[TU6] ignores system messages from before the Epoch", () => {
  const messages = [system(1, words(9_500)), ...rounds, user(200, "now")]
  const history = { messages, epochSeq: 5, reductions: [] }
  expect(plan(view(messages, [200], { history })).kind).toBe("reduce")
})

test("[TU6] cuts outputs of the newest answer when it does not fit whole, and nothing smaller than the line", () => {
  const messages = [user(1, words(500)), assistant(2, call(1, words(6_000)), call(2, "ok"))]
  const made = plan(view(messages, [1]))
  expect(made).toMatchObject({
    kind: "reduce",
    reduction: { outputsCut: ["call_1"], messagesCut: 0, keepFrom: 2 },
  })
})

test("[TU6] names each thing that cannot be reduced when they alone exceed the ceiling", () => {
  const messages = [system(1, words(400)), user(2, words(9_000))]
  const given = view(messages, [2], { fixedTokens: { tools: 300, system: 100, agent: 0 } })
  expect(plan(given)).toEqual({
    kind: "stuck",
    floor: [
      { name: "tools", tokens: 300 },
      { name: "Baseline", tokens: 100 },
      { name: "system messages", tokens: entryTokens({ kind: "system", text: words(400) }) },
      { name: "newest input", tokens: entryTokens({ kind: "user", text: words(9_000) }) },
    ],
  })
})

test("[TU6] is stuck where nothing is left to cut", () => {
  const messages = [user(1, "short")]
  expect(plan(view(messages, [1])).kind).toBe("stuck")
})

test("[TU6] builds on an earlier cut without counting it again", () => {
  const messages = [...rounds, user(200, "now")]
  const history = { messages, epochSeq: 0, reductions: [reduction(61, { messagesCut: 12 })] }
  const made = plan(view(messages, [200], { history }), 0.15)
  if (made.kind !== "reduce") throw new Error("stuck")
  expect(made.reduction.keepFrom).toBeGreaterThan(61)
  expect(made.reduction.messagesCut).toBe(
    rounds.filter(({ seq }) => seq >= 61 && seq < made.reduction.keepFrom).length,
  )
})

test("[TU6] never reaches back behind an earlier cut, not even to what that one had kept", () => {
  const first = reduction(100, { kept: [1] })
  const messages = [
    user(1, "short"),
    ...rounds.map((message) => ({ ...message, seq: message.seq + 100 })),
    user(300, "now"),
  ]
  const made = plan(view(messages, [300], { history: { messages, epochSeq: 0, reductions: [first] } }), 0.9)
  if (made.kind !== "reduce") throw new Error("stuck")
  expect(made.reduction.keepFrom).toBeGreaterThanOrEqual(100)
  expect(made.reduction.kept).toEqual([])
})
