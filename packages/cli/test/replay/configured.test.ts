/** What a replay takes a model for where its provider is configured without saying how it caches. */
import { expect, test } from "vitest"
import type { Event } from "@holdfast/schema/event"
import { cacheSeen } from "../../src/replay/configured.ts"

const listed = { provider: "p", model: "m", variants: ["fast"] }
const started = (model: string, markers: readonly object[] = []) =>
  ({
    fact: { type: "turn.started", turn: "trn_1", model: { provider: "p", model }, request: { markers } },
  }) as unknown as Event
const settled = (cacheRead: number) =>
  ({ fact: { type: "turn.settled", turn: "trn_1", ledger: { usage: { cacheRead } } } }) as unknown as Event

test.each([
  ["markers", [started("m", [{ block: 1, lifetime: "5m" }])]],
  ["markers", [started("m:fast", [{ block: 1, lifetime: "5m" }])]],
  ["automatic", [started("m"), settled(100)]],
  ["unknown", [started("m"), settled(0)]],
  ["unknown", [started("other", [{ block: 1, lifetime: "5m" }]), settled(100)]],
])("[IM2 CA1] a cache that nobody described is what the requests of the Session show: %s", (kind, events) => {
  expect(cacheSeen(listed, events)).toBe(kind)
})
