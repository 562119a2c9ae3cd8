/** Messages and calls as they are read afterwards. */
import type { FactOf, Message } from "@holdfast/sdk"
import { expect, test } from "vitest"
import { callLine } from "../../src/conversation/call-line.ts"
import { messageLines } from "../../src/conversation/message-lines.ts"
import { foldText } from "../../src/recall/fold.ts"

const terminal = { paint: (_: string, text: string) => text, columns: 80, interactive: false }

test("[SU1 SU2] a message has its number, and a turn that failed before any output says that there is no answer", () => {
  const message = { id: "msg_1", seq: 1, kind: "assistant", turn: "trn_1", parts: [] } as unknown as Message
  expect(messageLines(message, { terminal, reasoning: false })).toEqual([
    "── #1 · msg_1 · model",
    "[no answer]",
    "",
  ])
})

test.each([
  ["interrupted", "[interrupted]", "✗ bash sleep 9 · interrupted"],
  ["interrupted", "one\n[interrupted]", "✗ bash sleep 9 · interrupted: one"],
  ["failed", "No such file.", "✗ bash sleep 9 · failed: No such file."],
])("[SU1] a call that was %s with %j is told once", (state, output, line) => {
  const outcome = { state, output, truncated: null } as FactOf<"call.settled">["outcome"]
  expect(callLine(terminal, { name: "bash", input: { command: "sleep 9" } }, outcome)).toBe(line)
})

test("[SU4] fold tells what it takes out, that nothing can go, or why that is not known", () => {
  const planned = (tokens: number, message?: string) => ({
    tokens,
    obstacle: message === undefined ? null : { code: "configuration_invalid", message },
  })
  expect(foldText("ses_1", planned(900), planned(400))).toContain("about 400 tokens instead of 900")
  expect(foldText("ses_1", planned(900), planned(900))).toContain("keeps its 900 tokens")
  expect(foldText("ses_1", planned(0, "Line 3 is wrong."), planned(0, "Line 3 is wrong."))).toBe(
    "The cut is asked for, but how much it takes out is not known yet: Line 3 is wrong.",
  )
})
