/** What counts as used when a historian is considered. */
import { expect, test } from "vitest"
import { usedTokens } from "@holdfast/core/historian/historian"

type Turn = Parameters<typeof usedTokens>[0]

const turn = (attempts: readonly object[]): Turn =>
  ({
    started: { request: { tokensEstimated: 500 } },
    settled: { ledger: { attempts } },
  }) as unknown as Turn

const usage = (input: number, cacheRead: number, cacheWrite: number, output: number) => ({
  usage: { input, cacheRead, cacheWrite, output },
})

test.each([
  ["as reported, with what was answered", [usage(1, 20, 300, 4_000)], 4_321],
  ["of the attempt that was answered", [usage(9, 9, 9, 9), usage(1, 2, 3, 4)], 10],
  ["as estimated where nothing was reported", [{}], 500],
  ["as estimated, with what was answered", [usage(0, 0, 0, 70)], 570],
])("[HI2] the use of a window is told %s", (_, attempts, used) => {
  expect(usedTokens(turn(attempts))).toBe(used)
})
