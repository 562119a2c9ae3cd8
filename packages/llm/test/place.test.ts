/** Where cache markers go, by precedence. */
import { describe, expect, test } from "vitest"
import { anthropicMessages } from "../src/anthropic-messages/index.ts"
import { encodedOf } from "../src/blocks.ts"
import type { Block } from "../src/wire.ts"
import { answer, bodyText, segmentsOf, targetOf, text, thinking, user, call } from "./requests.ts"

const { encode, place } = anthropicMessages

const row = (segment: Block["segment"], count: number, markable = true): readonly Block[] =>
  Array.from({ length: count }, (): Block => ({
    segment,
    role: segment === "tools" || segment === "system" || segment === "agent" ? null : "user",
    kind: "text",
    unit: null,
    json: "{}",
    hash: "",
    bytes: 2,
    tokens: 1,
    markable,
    native: null,
  }))

describe("markers", () => {
  const all = [
    ...row("tools", 3),
    ...row("system", 1),
    ...row("agent", 1),
    ...row("history-baseline", 4),
    ...row("history-delta", 2),
    ...row("tail", 30),
  ]

  test.each<[string, readonly Block[], number, readonly number[]]>([
    ["every segment end, system last", all, 0, [4, 8, 10, 40]],
    ["the previous end before the system's when it lies far back", all, 20, [8, 10, 19, 40]],
    ["fifteen blocks between are near", all, 25, [4, 8, 10, 40]],
    ["sixteen blocks between are far", all, 24, [8, 10, 23, 40]],
    ["no previous end behind the new one", all, 99, [4, 8, 10, 40]],
    ["the last tool when there is no prompt", [...row("tools", 2), ...row("tail", 1)], 0, [1, 2]],
    ["nothing but the tail", row("tail", 1), 0, [0]],
    ["the nearest earlier block that can carry one", [...row("tail", 2), ...row("tail", 3, false)], 0, [1]],
    ["no block at all", [], 0, []],
  ])("[LL5] go to %s", (_, blocks, previous, markers) => {
    const placed = place(encodedOf(blocks, "{}"), targetOf(), previous)
    expect(placed.record.markers.map(({ block }) => block)).toEqual(markers)
  })

  test("[LL5] stand in the bytes, with the life that was asked for", () => {
    const entries = [user("a"), answer(thinking("hm"), text("b")), user("c")]
    const bytes = (cacheTtl: "5m" | "1h") => {
      const target = targetOf({ cacheTtl })
      return bodyText(place(encode(segmentsOf(entries), target), target, 0))
    }
    expect(bytes("5m")).toContain('{"type":"text","text":"c","cache_control":{"type":"ephemeral"}}')
    expect(bytes("1h")).toContain(
      '{"type":"text","text":"c","cache_control":{"type":"ephemeral","ttl":"1h"}}',
    )
  })

  test("[TU1] and their life are part of the request's hash, the prefix's hash knows neither", () => {
    const records = (["5m", "1h"] as const).map((cacheTtl) => {
      const target = targetOf({ cacheTtl })
      return place(encode(segmentsOf([user("a")]), target), target, 0).record
    })
    expect(records[0]?.hash).not.toBe(records[1]?.hash)
    expect(records[0]?.prefixHash).toBe(records[1]?.prefixHash)
  })
})

describe("a large body", () => {
  const entries = Array.from({ length: 400 }, (_, i) => user(`${i} ${"x".repeat(1_000)}`))
  const first = place(encode(segmentsOf(entries), targetOf()), targetOf(), 0)

  test("[TU1] is sent in pieces of about 32 KiB", () => {
    expect(first.body.length).toBeLessThan(20)
    const middle = first.body.slice(2, -2)
    expect(middle.every((piece) => piece.length > 30_000 && piece.length < 36_000)).toBe(true)
  })

  test("[TU1] is sent again in the same pieces where nothing is new or marked", () => {
    const longer = encode(segmentsOf([...entries, user("more")]), targetOf())
    const second = place(longer, targetOf(), first.record.blocks)
    const third = place(longer, targetOf(), first.record.blocks)
    const shared = third.body.filter((piece) => second.body.includes(piece))
    expect(shared.length).toBeGreaterThan(3)
    expect(bodyText(third)).toBe(bodyText(second))
  })
})

test("[LL5] a request that is placed again with other lives is written anew, old blocks too", () => {
  const entries = [user("a".repeat(100_000)), answer(call(1)), user("b".repeat(40_000)), answer(call(2))]
  const encoded = encode(segmentsOf(entries), targetOf())
  const living = (lifetime: "5m" | "1h") =>
    bodyText(place(encoded, targetOf(), 3, { standing: lifetime, tail: lifetime }))
  const marks = (body: string) => body.split('"ttl":"1h"').length - 1
  expect([living("5m"), living("1h"), living("5m")].map(marks)).toEqual([0, marks(living("1h")), 0])
  expect(marks(living("1h"))).toBeGreaterThan(1)
})
