/** Memory that is changed from outside is signed as a person: what a call of a Session has started is none (MM3). */
import { expect, test } from "vitest"
import { runCommand } from "../terminal.ts"

test.each([
  ["add", "Use tabs."],
  ["edit", "m1", "Use tabs."],
  ["archive", "m1"],
  ["restore", "m1"],
  ["merge", "m1", "m2", "Use tabs."],
  ["adopt"],
  ["separate"],
])("[MM3] memory %s is refused to what a call has started", async (...words) => {
  const { code, err } = await runCommand(["memory", ...words], { callAbove: async () => "call_1" })
  expect(code).toBe(2)
  expect(err).toMatch(/started by the call call_1 .* only a person changes memory/)
})
