import { expect, test } from "vitest"
import { parseModelRef } from "@holdfast/schema/model"
import type { TurnStatus } from "@holdfast/schema/turn"
import type { TurnRecord } from "@holdfast/schema/turn-record"
import {
  coolDownMs,
  coolDownMsMax,
  coolingModels,
  coolUntil,
  exhaustedReason,
  isSwitchable,
  planModel,
  quotaCoolDownMs,
} from "../../src/session/fallback.ts"

const startedAt = 1_000_000
const durationMs = 500
const failedAt = startedAt + durationMs
const ref = (name: string) => parseModelRef(`p/${name}`) as { provider: string; model: string }
const reason = (code: string) => ({ code, message: `${code}.` })

/** A settled turn; without a code it was answered. */
const turn = (model: string, code: string | null, waitMs = 0, status: TurnStatus = "failed"): TurnRecord =>
  ({
    startedAt,
    started: { model: ref(model) },
    settled: {
      status: code === null ? "done" : status,
      reason: code === null ? null : reason("fallback_exhausted"),
      ledger: { durationMs, attempts: [{ failure: code === null ? null : reason(code), waitMs }] },
    },
  }) as unknown as TurnRecord
const open = { ...turn("a", null), settled: null }
const names = (turns: readonly TurnRecord[], nowMs: number) =>
  coolingModels(turns, nowMs).map(({ model }) => model.model)

test.each([
  ["overloaded", true],
  ["rate_limit", true],
  ["server_error", true],
  ["quota", true],
  ["transport", true],
  ["first_byte_timeout", true],
  ["idle_timeout", true],
  ["stream_cut", true],
  ["malformed_stream", true],
  ["authentication", false],
  ["context_overflow", false],
  ["content_policy", false],
  ["signature_rejected", false],
])("[CA3] another model may help after %s: %s", (code, helps) => expect(isSwitchable({ code })).toBe(helps))

test.each<readonly [string, readonly TurnRecord[], number, readonly string[]]>([
  ["nothing ran", [], 0, []],
  ["it was answered", [turn("a", null)], failedAt, []],
  ["it failed", [turn("a", "overloaded")], failedAt, ["a"]],
  ["just before the end", [turn("a", "overloaded")], failedAt + coolDownMs - 1, ["a"]],
  ["at the end", [turn("a", "overloaded")], failedAt + coolDownMs, []],
  ["quota lasts longer", [turn("a", "quota")], failedAt + quotaCoolDownMs - 1, ["a"]],
  ["a wait asked for is honoured", [turn("a", "rate_limit", 120_000)], failedAt + 119_999, ["a"]],
  ["and then is over", [turn("a", "rate_limit", 120_000)], failedAt + 120_000, []],
  ["but not for ever", [turn("a", "rate_limit", 9_000_000)], failedAt + coolDownMsMax, []],
  ["a later answer ends it", [turn("a", "overloaded"), turn("a", null)], failedAt, []],
  ["an open turn says nothing", [turn("a", "overloaded"), open], failedAt, ["a"]],
  ["each for itself", [turn("a", "overloaded"), turn("b", "quota"), turn("c", null)], failedAt, ["a", "b"]],
  ["another failure", [turn("a", "authentication")], failedAt, []],
  ["an answer that broke off", [turn("a", "overloaded", 0, "interrupted")], failedAt, []],
  ["a clock that was set back", [turn("a", "overloaded")], failedAt - 2 * coolDownMsMax, []],
])("[CA3] who rests: %s", (_, turns, nowMs, expected) => expect(names(turns, nowMs)).toEqual(expected))

const candidate = (name: string) => ({ target: ref(name) })
test.each([
  [[], "a"],
  [["a"], "b"],
  [["a", "b"], "c"],
  [["b"], "a"],
  [["a", "b", "c"], "a"],
])("[CA3] while %j rest, %s takes the turn", (resting, expected) => {
  const cooling = resting.map((name) => ({ model: ref(name), until: 1, reason: reason("overloaded") }))
  expect(planModel([candidate("a"), candidate("b"), candidate("c")], cooling).target.model).toBe(expected)
})

test("[CA3] a rest is at least a minute and at most an hour", () => {
  expect(coolUntil(0, reason("overloaded"), 1)).toBe(coolDownMs)
  expect(coolUntil(0, reason("overloaded"), coolDownMsMax + 1)).toBe(coolDownMsMax)
})

test("[CA3] an exhausted list tells every reason", () => {
  const cooling = ["a", "b"].map((name) => ({ model: ref(name), until: 1, reason: reason(`${name}-broke`) }))
  expect(exhaustedReason(cooling)).toMatchObject({
    code: "fallback_exhausted",
    message: expect.stringMatching(/p\/a: a-broke\. p\/b: b-broke\./),
  })
})
