/** Titles from the user's words. */
import { expect, test } from "vitest"
import { titleOf } from "../src/state/title.ts"

test.each([
  ["Read README.md.", "Read README.md."],
  ["\n\n  Two   blanks \nand more", "Two blanks"],
  [`${"word ".repeat(20)}end`, `${"word ".repeat(11).trim()}…`],
  ["x".repeat(70), `${"x".repeat(59)}…`],
  ["🙂".repeat(60), "🙂".repeat(60)],
  ["🙂", "🙂"],
  ["```ts\nconst a = 1\n```\nWhat is this?", "const a = 1"],
  ["---\n## Mend the roof\nSoon.", "Mend the roof"],
  ["> - 1. Quoted", "Quoted"],
  ["-5 degrees, *really*", "-5 degrees, *really*"],
  ["#", "#"],
  ["...", "..."],
  ["```", "```"],
])("[SS2] %j is called %j", (text, title) => expect(titleOf(text)).toBe(title))
