/** What a provider counts is not what we estimate: windows are of the one, messages, slots and blocks of the other. */
import { expect, test } from "vitest"
import { type WindowLimits } from "@holdfast/recall"
import { budgetOf, historyRoom, openCallSeq, ratioOf, sizeTokens } from "@holdfast/recall/cut"
import { emptyFrozen } from "@holdfast/schema/state/frozen"
import { assistant, call, text, user, words } from "./history.ts"

const plain: WindowLimits = { contextTokens: 42_000, outputTokens: 2_000, answered: null }
/** Of a model that counts twice what we estimate. */
const dense: WindowLimits = { ...plain, answered: { reported: 20_000, estimated: 10_000 } }

test("[DK1] the budget of the history is in estimated tokens: half as many of a model that counts twice as much", () => {
  expect(budgetOf(plain)).toBeGreaterThan(5_000)
  expect(Math.abs(budgetOf(dense) - budgetOf(plain) / 2)).toBeLessThanOrEqual(1)
})

test("[DK1] so is the room that a Baseline has beside what no cut takes out", () => {
  const room = (limits: WindowLimits) => historyRoom(limits, 1_000_000, 4_000)
  expect([room(plain), room(dense)]).toEqual([9_000, 4_000])
})

test("[TA1] so is the protected tail in which an open call holds the boundary", () => {
  const behind = Array.from({ length: 12 }, (_, n) => assistant(20 + n, text(words(250))))
  const messages = [user(1), assistant(10, call(1, null)), ...behind]
  const heldAt = (limits: WindowLimits) => openCallSeq({ messages, frozen: emptyFrozen }, limits, 0.6)
  expect([heldAt(plain), heldAt(dense)]).toEqual([10, Infinity])
})

test("[TU6] one report scales no more than twofold: what was reported once may say little of the rest", () => {
  const odd: WindowLimits = { ...plain, answered: { reported: 30_000, estimated: 1_000 } }
  expect([ratioOf(odd), sizeTokens(900, odd)]).toEqual([2, 1_800])
})
