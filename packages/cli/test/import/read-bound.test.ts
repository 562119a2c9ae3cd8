/** What a cache could have read at most in a window of a size. */
import { expect, test } from "vitest"
import { type BoundedRequest, readBound } from "../../src/replay/read-bound.ts"

const request = (tokens: number, begins: BoundedRequest["begins"] = "hold", warm = true): BoundedRequest => ({
  tokens,
  repeatedTokens: 1_000,
  addedTokens: 1_000,
  begins,
  warm,
})
const share = (requests: readonly BoundedRequest[]) => {
  const { read, sent } = readBound(requests)
  return read / sent
}

test("[IM2] what is new in a request can never be read, all before it can", () => {
  const { read, sent } = readBound([request(10_000, "other", false), request(11_000), request(13_000)])
  expect([read, sent]).toEqual([10_000 + 11_000, 11_000 + 13_000])
})

test("[IM2] a cut leaves the head to be read, and a replay that cuts more often stays below", () => {
  const grow = (from: number, to: number) =>
    Array.from({ length: (to - from) / 1_000 }, (_, k) => request(from + 1_000 * (k + 1)))
  const seldom = [
    request(4_000, "other", false),
    ...grow(4_000, 20_000),
    request(8_000, "cut"),
    ...grow(8_000, 20_000),
  ]
  const often = [
    request(4_000, "other", false),
    ...grow(4_000, 20_000),
    ...[1, 2, 3].flatMap(() => [request(8_000, "cut"), ...grow(8_000, 12_000)]),
  ]
  const reached = (requests: readonly BoundedRequest[]) => {
    const warm = requests.filter((one) => one.warm)
    const read = warm.map((one) => (one.begins === "cut" ? one.repeatedTokens : one.tokens - 1_000))
    return read.reduce((a, b) => a + b, 0) / warm.reduce((sum, { tokens }) => sum + tokens, 0)
  }
  expect(share(seldom)).toBeCloseTo(reached(seldom), 2)
  expect(share(often) - reached(often)).toBeGreaterThan(0.02)
})

test("[IM2] a cut in a cold cache costs no read, and what is new in a cut is not left over by it", () => {
  const cold = readBound([request(4_000, "other", false), request(2_000, "cut", false), request(3_000)])
  expect([cold.read, cold.sent]).toEqual([2_000, 3_000])
  const large = { ...request(6_000, "cut"), addedTokens: 5_000 }
  const { read, sent } = readBound([request(9_000, "other", false), large, request(6_500)])
  expect([read, sent]).toEqual([1_000 + 6_000, 6_000 + 6_500])
})
