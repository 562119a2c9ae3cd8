/** How long marked prefixes are to live, by what has been. */
import { expect, test } from "vitest"
import { createProviderSim } from "@holdfast/provider-sim"
import { anthropicMessages } from "../../src/anthropic-messages/index.ts"
import { bedrockConverse } from "../../src/bedrock-converse/index.ts"
import {
  chooseLifetime,
  idleChance,
  isWorthWarming,
  type Lifetimes,
  type LifetimeQuestion,
  lifetimesPlaced,
  markerMultipliers,
} from "../../src/cache-lifetime.ts"
import { bedrockTarget } from "../bedrock/requests.ts"
import { answer, bodyText, call, notice, segmentsOf, targetOf, user } from "../requests.ts"

const question: LifetimeQuestion = {
  seen: { calls: 20, idles: 1 },
  tokens: 50_000,
  tokensRead: 49_000,
  anchor: { blocksSince: 3, tokensSince: 2_000 },
  anchorsHold: true,
  multipliers: markerMultipliers,
}

test.each<[string, Partial<LifetimeQuestion>, "5m" | "1h"]>([
  ["the first request, of which all is written", { tokensRead: 0, anchor: null }, "5m"],
  ["a request that reads nearly all, without an anchor", { anchor: null }, "1h"],
  ["one right behind an anchor", {}, "5m"],
  ["one that much was added to since the anchor", { anchor: { blocksSince: 6, tokensSince: 20_000 } }, "1h"],
  ["one that the anchor is soon too far from", { anchor: { blocksSince: 11, tokensSince: 2_000 } }, "1h"],
  [
    "one that adds nearly all itself, far from the anchor",
    { tokensRead: 5_000, anchor: { blocksSince: 11, tokensSince: 45_000 } },
    "5m",
  ],
  [
    "a Session that pauses after every request",
    { seen: { calls: 200, idles: 200 }, tokensRead: 0, anchor: null },
    "1h",
  ],
  ["a provider whose anchors do not hold", { anchor: null, anchorsHold: false, tokensRead: 45_000 }, "5m"],
  [
    "the same where pauses are common",
    { anchor: null, anchorsHold: false, seen: { calls: 50, idles: 25 } },
    "1h",
  ],
  [
    "a model whose hour costs no more",
    { multipliers: { read: 0.1, write5m: 1.25, write1h: 1.25 }, tokensRead: 0, anchor: null },
    "1h",
  ],
  [
    "a model whose cache costs what it saves",
    { multipliers: { read: 1, write5m: 1, write1h: 2 }, anchor: null },
    "5m",
  ],
])("[LL5] gives %s its life", (_, more, lifetime) =>
  expect(chooseLifetime({ ...question, ...more })).toEqual({ standing: lifetime, tail: lifetime }),
)

test("[LL5] the more a Session pauses, the closer its anchors", () => {
  const apart = (idles: number) => {
    const due = (tokensSince: number) =>
      chooseLifetime({ ...question, seen: { calls: 100, idles }, anchor: { blocksSince: 3, tokensSince } })
        .tail === "1h"
    return Array.from({ length: 60 }, (_, k) => 1_000 * (k + 1)).find(due) ?? Infinity
  }
  const distances = [0, 2, 8, 30].map(apart)
  expect(distances).toEqual(distances.toSorted((a, b) => b - a))
  expect(new Set(distances).size).toBe(4)
})

test("[LL5] the Session's own rhythm outweighs what is usual", () => {
  expect(idleChance({ calls: 0, idles: 0 })).toBeCloseTo(1 / 35, 5)
  expect(idleChance({ calls: 200, idles: 0 })).toBeLessThan(0.005)
  expect(idleChance({ calls: 200, idles: 100 })).toBeGreaterThan(0.4)
})

test.each([
  [1, true],
  [2, true],
  [4, false],
])("[LL5] after %i hours away one more hour is worth its price: %s", (hours, worth) =>
  expect(
    isWorthWarming({
      idleMs: hours * 3_600_000,
      lifetime: "1h",
      multipliers: markerMultipliers,
      writtenShare: 0,
    }),
  ).toBe(worth),
)

const folded = segmentsOf([user("go"), answer(call(1))], {
  historyBaseline: [notice("Summary.")],
  historyDelta: [notice("Since then.")],
})
const mixed: Lifetimes = { standing: "1h", tail: "5m" }

test.each([
  ["of Anthropic", anthropicMessages, targetOf()],
  ["of Bedrock", bedrockConverse, bedrockTarget()],
] as const)(
  "[LL5] markers %s live by their segment, the long ones first, and the blocks stay as they are",
  (_, wire, target) => {
    const encoded = wire.encode(folded, target)
    const short = wire.place(encoded, target, 0)
    const placed = wire.place(encoded, target, 0, mixed)
    expect(placed.record.markers.map(({ lifetime }) => lifetime)).toEqual(["1h", "1h", "1h", "5m"])
    expect(lifetimesPlaced(placed.record.markers)).toEqual(mixed)
    expect(placed.record.prefixHash).toBe(short.record.prefixHash)
    expect(placed.record.hash).not.toBe(short.record.hash)
    // What would be out of order is not written.
    const wrong = wire.place(encoded, target, 0, { standing: "5m", tail: "1h" })
    expect(new Set(wrong.record.markers.map(({ lifetime }) => lifetime))).toEqual(new Set(["1h"]))
    // A group of blocks that was written before with other lives is written anew.
    expect(bodyText(wire.place(encoded, target, 0))).toBe(bodyText(short))
    expect(bodyText(wire.place(encoded, target, 0, mixed))).toBe(bodyText(placed))
  },
)

test("[LL5] the provider takes long lives before short ones, and refuses the other order", () => {
  const sim = createProviderSim({
    models: { m: { reply: () => ({ blocks: [{ type: "text", text: "a" }] }) } },
  })
  const target = { ...targetOf(), model: "m" }
  const headers = anthropicMessages.headers("key")
  const ask = (text: string) =>
    sim.respond({ method: "POST", path: "/v1/messages", headers, body: Buffer.from(text) }, 0).status
  const body = bodyText(anthropicMessages.place(anthropicMessages.encode(folded, target), target, 0, mixed))
  expect(ask(body)).toBe(200)
  const swapped = body
    .replaceAll('{"type":"ephemeral"}', '{"type":"ephemeral","ttl":"x"}')
    .replaceAll('{"type":"ephemeral","ttl":"1h"}', '{"type":"ephemeral"}')
    .replaceAll('{"type":"ephemeral","ttl":"x"}', '{"type":"ephemeral","ttl":"1h"}')
  expect(ask(swapped)).toBe(400)
})
