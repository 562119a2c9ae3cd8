import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { withDeadline } from "../../src/conversation/deadline.ts"
import { durationMs } from "../../src/options.ts"
import { stoppedRecord } from "../../src/outcome/outcome.ts"
import type { Terminal } from "../../src/terminal.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const terminal = { onStop: () => () => {} } as unknown as Terminal
const interrupted = stoppedRecord("interrupted", { code: "interrupted", message: "Interrupted on request." })
const timed = (deadlineMs?: number) => withDeadline(terminal, deadlineMs, Date.now)

test("[SU1] a deadline stops the work once, and again if it goes on", () => {
  let stops = 0
  const deadline = timed(60_000)
  deadline.terminal.onStop(() => stops++)
  vi.advanceTimersByTime(59_999)
  expect(stops).toBe(0)
  expect(deadline.told(interrupted)).toBe(interrupted)
  vi.advanceTimersByTime(1)
  expect(stops).toBe(1)
  vi.advanceTimersByTime(15_000)
  expect(stops).toBe(2)
  expect(deadline.told(interrupted).reason).toMatchObject({
    code: "deadline",
    message: expect.stringContaining("The deadline of 60 seconds has passed"),
  })
  const done = { ...interrupted, status: "done", reason: null } as const
  expect(deadline.told(done)).toBe(done)
})

test("[SU1] a deadline counts on when the server changes, and ends with the run", () => {
  let stops = 0
  const deadline = timed(60_000)
  const release = deadline.terminal.onStop(() => stops++)
  vi.advanceTimersByTime(50_000)
  release()
  vi.advanceTimersByTime(5_000)
  const releaseNext = deadline.terminal.onStop(() => stops++)
  vi.advanceTimersByTime(5_000)
  expect(stops).toBe(1)
  releaseNext()
  vi.advanceTimersByTime(600_000)
  expect(stops).toBe(1)
})

test("[SU1] without a deadline nothing is timed", () => {
  expect(timed().terminal).toBe(terminal)
  expect(vi.getTimerCount()).toBe(0)
})

test.each([
  ["90s", 90_000],
  ["90", 90_000],
  ["10m", 600_000],
  ["1h30m", 5_400_000],
])("[SU1] %s is a time", (text, ms) => expect(durationMs(text)).toBe(ms))

test.each(["", "0", "0s", "soon", "5d", "1m x", "-3s", "1.5h", "9999h"])("[SU1] %j is no time", (text) =>
  expect(() => durationMs(text)).toThrow("Write a time from 1s to 596h"),
)
