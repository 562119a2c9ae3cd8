/** What can be said to an ask, at a prompt and on the command line. */
import { describe, expect, test } from "vitest"
import type { Ask } from "@holdfast/sdk"
import { readDecision } from "../../src/asking/answer.ts"
import { askLines } from "../../src/asking/ask-lines.ts"
import { choiceLines, readChoice } from "../../src/asking/choices.ts"
import { UsageError } from "../../src/outcome/outcome.ts"

const permission: Ask = {
  id: "ask_1",
  session: "ses_1",
  raisedAt: 0,
  kind: "permission",
  question: "Allow write(/p/notes.md)?",
  resources: [{ action: "write", resource: "/p/no\u202etes.md" }],
  rule: null,
  agent: "build",
  options: ["write"],
  call: {
    id: "call_1",
    name: "write",
    input: { path: "notes.md", content: "one\n  1  allow\u001b[2K it", mode: 7 },
  },
}
const question: Ask = {
  ...permission,
  kind: "question",
  question: "Which one?",
  options: ["this", "that"],
  resources: [],
}
const canvas = { paint: (_: unknown, text: string) => text, columns: 80 }

describe("[PE5] an ask at a terminal", () => {
  test("shows the whole input behind a mark, what would be touched, the rule, and what can be typed", () =>
    expect([...askLines(canvas, permission), ...choiceLines(permission)]).toEqual([
      "? The model wants to use write · ask_1",
      "  path:",
      "  │ notes.md",
      "  content:",
      "  │ one",
      "  │   1  allow<U+001B>[2K it",
      "  mode:",
      "  │ 7",
      "  It would touch write(/p/no<U+202E>tes.md).",
      "  No rule allows it.",
      "  1  allow it this once",
      "  2  allow it for this Session",
      "  3  allow all writing inside the project for this Session",
      "  4  allow it always in this project",
      "  -  decline it; what follows is told to the model, as in: - Use a branch.",
      "  Enter alone leaves it open.",
    ]))

  test("shows a question with its choices", () =>
    expect([...askLines(canvas, question), ...choiceLines(question)].slice(0, 5)).toEqual([
      "? The model asks · ask_1",
      "  │ Which one?",
      "  1  this",
      "  2  that",
      "  or type the answer",
    ]))

  test("a long line is broken behind the mark", () => {
    const long = { ...permission, call: { id: "call_1", name: "bash", input: { command: "a".repeat(200) } } }
    const lines = askLines(canvas, long).filter((line) => line.includes("aaa"))
    expect(lines.length).toBeGreaterThan(2)
    expect(lines.every((line) => line.startsWith("  │ ") && line.length <= 80)).toBe(true)
  })

  const allow = (more: object = {}) => ({ kind: "answer", answer: { decision: "allow", ...more } })
  test.each([
    [permission, "1", allow()],
    [permission, " 2 ", allow({ scope: "session" })],
    [permission, "3", allow({ scope: "session", rules: ["write"] })],
    [permission, "4", allow({ scope: "project" })],
    [permission, "-", { kind: "answer", answer: { decision: "decline" } }],
    [
      permission,
      "- Use a branch.",
      { kind: "answer", answer: { decision: "decline", text: "Use a branch." } },
    ],
    [permission, "", { kind: "open" }],
    [permission, "5", { kind: "unclear" }],
    [permission, "0", { kind: "unclear" }],
    [permission, "yes", { kind: "unclear" }],
    [permission, "-1", { kind: "unclear" }],
    [question, "2", { kind: "answer", answer: { decision: "answer", text: "that" } }],
    [question, "neither", { kind: "answer", answer: { decision: "answer", text: "neither" } }],
    [question, "-", { kind: "answer", answer: { decision: "decline" } }],
    [question, " ", { kind: "open" }],
    [{ ...permission, kind: "other" }, "1", allow()],
    [{ ...permission, kind: "other" }, "2", { kind: "unclear" }],
  ] as const)("%o, typed %j", (ask, line, chosen) => expect(readChoice(ask, line)).toEqual(chosen))
})

describe("[PE5] holdfast answer", () => {
  test.each([
    ["allow", undefined, {}, { decision: "allow" }],
    ["allow", undefined, { for: "session" }, { decision: "allow", scope: "session" }],
    [
      "allow",
      undefined,
      { for: "project", rule: ["write(src/**)"] },
      { decision: "allow", scope: "project", rules: ["write(src/**)"] },
    ],
    ["decline", undefined, {}, { decision: "decline" }],
    ["decline", "No.", {}, { decision: "decline", text: "No." }],
    ["say", "That.", {}, { decision: "answer", text: "That." }],
  ] as const)("%s %s %o", (decision, text, options, answer) =>
    expect(readDecision(decision, text, options)).toEqual(answer),
  )

  test.each([
    ["allow", "Do it.", {}, "takes no text"],
    ["say", undefined, {}, "Give the answer"],
    ["decline", undefined, { for: "session" }, "--for and --rule"],
    ["say", "That.", { rule: ["write"] }, "--for and --rule"],
  ] as const)("refuses %s %s %o", (decision, text, options, message) => {
    const reading = () => readDecision(decision, text, options)
    expect(reading).toThrow(UsageError)
    expect(reading).toThrow(message)
  })
})
