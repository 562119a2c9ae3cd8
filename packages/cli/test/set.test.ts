/** What `holdfast set` answers: what was set, and nothing else. */
import { expect, test } from "vitest"
import { describeChange } from "../src/sessions/set.ts"

const session = {
  id: "ses_1",
  title: "The greeter",
  agent: "build",
  onAsk: "wait",
  allow: [],
  policy: "settle",
  budget: { tokens: 5, money: null },
} as const

test.each([
  [{ title: "The greeter" }, session, "Session ses_1 is called The greeter."],
  [{ title: null }, { ...session, title: null }, "Session ses_1 has no title any more."],
  [{ title: "x", budget: {} }, session, "Session ses_1 is called The greeter. It may spend 5 tokens in all."],
  [
    { policy: "continue" },
    { ...session, policy: "continue" as const },
    "Session ses_1 goes on by itself after a restart.",
  ],
  [
    { budget: { tokens: null } },
    { ...session, budget: { tokens: null, money: null } },
    "Session ses_1 may spend without a limit.",
  ],
])("[SU1 SS1] %j is told as it is now", (changes, now, text) =>
  expect(describeChange(now, changes)).toBe(text),
)
