import { expect, test } from "vitest"
import type { FailureCode, StreamEvent } from "@holdfast/llm/wire"
import type { Usage } from "@holdfast/schema/model"
import type { Attempt } from "@holdfast/schema/turn"
import { makeMeter, readMeter, spentOn, stoppedAttempt, usedBy } from "../../src/session/meter.ts"

const usage = (input: number, output: number): Usage => ({ input, output, cacheRead: 0, cacheWrite: 0 })
const start = (counts: Usage): StreamEvent => ({ type: "start", nativeId: "m", usage: counts })
const text = (chars: number): StreamEvent => ({ type: "text-delta", index: 0, text: "x".repeat(chars) })
const finish = (counts: Usage): StreamEvent => ({
  type: "finish",
  reason: "stop",
  nativeReason: "stop",
  usage: counts,
})
const failed = (code: FailureCode, unsent = false) => ({ code, unsent })

function metered(...events: readonly StreamEvent[]) {
  const meter = makeMeter()
  for (const event of events) readMeter(meter, event)
  return meter
}

test("[TU7] counts an answer that came to its end as its provider does", () =>
  expect(usedBy(metered(start(usage(10, 1)), text(700), finish(usage(10, 150))), null)).toEqual({
    usage: usage(10, 150),
  }))

test("[TU7] estimates the output of an answer that broke off from what had come of it", () => {
  const call: StreamEvent = { type: "call-delta", index: 1, bytes: 35 }
  const reasoning: StreamEvent = { type: "reasoning-delta", index: 2, text: "y".repeat(70) }
  const meter = metered(start(usage(10, 1)), text(700), call, reasoning)
  expect(usedBy(meter, failed("stream_cut"))).toEqual({ usage: usage(10, 230), accuracy: "estimated" })
  expect(stoppedAttempt(meter, { code: "interrupted", message: "Stopped." })).toEqual({
    failure: { code: "interrupted", message: "Stopped." },
    waitMs: 0,
    usage: usage(10, 230),
    accuracy: "estimated",
  })
})

test("[TU7] never counts less output than the provider had reported", () =>
  expect(usedBy(metered(start(usage(10, 5)), text(3)), null).usage).toEqual(usage(10, 5)))

test("[TU7] says that the input is not known where no count of it came", () => {
  const begun = metered(start(usage(0, 0)), text(35))
  expect(usedBy(begun, failed("stream_cut"))).toEqual({ usage: usage(0, 10), accuracy: "incomplete" })
  const ended = metered(start(usage(0, 0)), text(35), finish(usage(0, 0)))
  expect(usedBy(ended, null)).toEqual({ usage: usage(0, 10), accuracy: "incomplete" })
})

test.each([
  ["a refusal", failed("overloaded"), {}],
  ["a request that never left", failed("transport", true), {}],
  ["a connection that broke before the answer", failed("transport"), { accuracy: "incomplete" }],
  ["a provider that never began", failed("first_byte_timeout"), { accuracy: "incomplete" }],
  ["a stop before the answer", null, { accuracy: "incomplete" }],
])("[TU7] of %s it counts what is known", (_, failure, expected) =>
  expect(usedBy(makeMeter(), failure)).toEqual(expected),
)

const price = { input: 1e6, output: 1e6, cacheRead: 0, cacheWrite: 0 }
const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
const attempt = (counts: Usage, accuracy?: Attempt["accuracy"]): Attempt => ({
  failure: null,
  waitMs: 0,
  usage: counts,
  ...(accuracy === undefined ? {} : { accuracy }),
})

test("[TU7 DR9] adds up all attempts of a turn, no more accurate than the least of them", () => {
  const exact = attempt(usage(10, 2))
  const estimated = attempt(usage(10, 3), "estimated")
  const unknown: Attempt = { failure: null, waitMs: 0, accuracy: "incomplete" }
  expect(spentOn([exact, exact], price)).toEqual({ usage: usage(20, 4), cost: 24 })
  expect(spentOn([exact, estimated], price)).toEqual({
    usage: usage(20, 5),
    accuracy: "estimated",
    cost: 25,
  })
  expect(spentOn([estimated, unknown, exact], price)).toEqual({
    usage: usage(20, 5),
    accuracy: "incomplete",
    cost: null,
    costKnown: 25,
  })
  expect(spentOn([exact], null).cost).toBeNull()
  expect(spentOn([unknown], free).cost).toBe(0)
})
