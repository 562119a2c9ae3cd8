/** How large a page may be for the next request to hold it: by what the answer asks for, and by what no cut takes out. */
import { expect, test } from "vitest"
import { pageBytesInWindow, type WindowLimits } from "@holdfast/recall"
import { expandToolName } from "@holdfast/recall/slots"
import type { Slots } from "@holdfast/schema/fact/recall"
import type { CallPart } from "@holdfast/schema/message"
import { frozenOf } from "@holdfast/schema/state/frozen"
import { assistant, call, text, user, words } from "../history.ts"

const limits: WindowLimits = { contextTokens: 16_000, outputTokens: 2_000, answered: null }

const page = (n: number, output: string | null = null): CallPart =>
  ({ ...call(n, output), name: expandToolName }) as CallPart

/** Behind 5,000 tokens of which a cut may take 3,000. */
function bytesFor(parts: readonly CallPart[], more: { readonly told?: number; readonly rate?: number } = {}) {
  const { told = 0, rate = 1 } = more
  const markers = { shown: [], hidden: [], added: [], updates: [], owes: false }
  const slots = { baseline: words(told), delta: "", boundary: 0, markers } as unknown as Slots
  const messages = [
    user(1, "Go on"),
    assistant(2, text(words(3_000))),
    user(3, "What was it?"),
    assistant(4, ...parts),
  ]
  return pageBytesInWindow({
    view: { messages, frozen: frozenOf([], told === 0 ? null : slots) },
    answer: messages[3]?.id ?? null,
    limits: { ...limits, answered: { reported: 1_000 * rate, estimated: 1_000 } },
    tokens: 5_000 + told,
  })
}

test("[TA1 TG4] pages that are asked for together share the room of one", () => {
  const one = bytesFor([page(5)])
  expect(one).toBeGreaterThan(10_000)
  const two = bytesFor([page(5), page(6)])
  expect(two).toBeLessThanOrEqual(one / 2)
  expect(two).toBeGreaterThan(one / 2.2)
})

test("[TA1 TG4] a page that was read takes its own room, and no share of what is left; neither do other calls", () => {
  const one = bytesFor([page(5)])
  const behind = bytesFor([page(5), page(6, "short"), call(7, null)])
  expect(behind).toBeGreaterThan(one * 0.9)
  expect(bytesFor([page(5), page(6, words(2_000))])).toBeLessThan(one - 2_000 * 3)
})

test("[TA1 TG4] what is told of history leaves with a cut: a page has no less room for it", () =>
  expect(bytesFor([page(5)], { told: 2_000 })).toBe(bytesFor([page(5)])))

test("[TA1 TG4] where the provider counts more than is estimated, pages are smaller", () =>
  expect(bytesFor([page(5)], { rate: 1.5 })).toBeLessThan(bytesFor([page(5)]) * 0.7))
