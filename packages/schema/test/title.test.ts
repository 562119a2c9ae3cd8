/** Titles from the user's words. */
import { expect, test } from "vitest"
import type { Fact } from "../src/event.ts"
import type { PromptId } from "../src/id.ts"
import { emptySummary, summarize } from "../src/state/summary.ts"
import { titleOf } from "../src/state/title.ts"

const prompt = (text: string): Fact => ({
  type: "prompt.admitted",
  prompt: "prm_1" as PromptId,
  text,
  images: [],
  delivery: "steer",
})

const titleAfter = (...facts: readonly Fact[]): string | null =>
  facts.reduce((summary, fact, at) => summarize(summary, { seq: at + 1, time: 0, fact }), emptySummary).title

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

test("[SS2] a title follows from the prompts and what a person said of it, whatever turns lie between", () => {
  const turn = { type: "turn.started", break: null, request: { markers: [] } } as unknown as Fact
  const untitled: Fact = { type: "session.updated", title: null, titledBy: "person" }
  expect(titleAfter(turn, prompt("One"), turn, prompt("Two"))).toBe("One")
  expect(titleAfter(prompt(""), turn, prompt("Two"))).toBe("Two")
  expect(titleAfter(prompt("One"), untitled, prompt("Two"))).toBeNull()
  expect(titleAfter(untitled, turn, prompt("Two"))).toBeNull()
})
