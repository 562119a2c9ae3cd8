/**
 * What a person can say to an ask, and what a typed line means.
 *
 *   permission   a number allows: once, for the Session, for the project
 *   question     a number chooses, any other text is the answer
 *   -  declines, with what follows as the correction; nothing leaves it open
 */
import type { Ask, AsksAnswerInput } from "@holdfast/sdk"
import { nameHiddenInLine } from "./hidden-characters.ts"

export type Answer = Omit<AsksAnswerInput, "askID">

export interface Choice {
  readonly label: string
  readonly answer: Answer
}

export type Chosen =
  | { readonly kind: "answer"; readonly answer: Answer }
  | { readonly kind: "open" }
  /** The line means nothing here. */
  | { readonly kind: "unclear" }

function choicesFor({ kind, options }: Pick<Ask, "kind" | "options">): readonly Choice[] {
  if (kind === "question")
    return options.map((text) => ({ label: nameHiddenInLine(text), answer: { decision: "answer", text } }))
  const once: Choice = { label: "allow it this once", answer: { decision: "allow" } }
  if (kind === "other") return [once]
  return [
    once,
    { label: "allow it for this Session", answer: { decision: "allow", scope: "session" } },
    ...options.map((rule): Choice => ({
      label: `allow ${ruleLabel(rule)} for this Session`,
      answer: { decision: "allow", scope: "session", rules: [rule] },
    })),
    { label: "allow it always in this project", answer: { decision: "allow", scope: "project" } },
  ]
}

/** The lines that tell what can be typed. */
export const choiceLines = (ask: Pick<Ask, "kind" | "options">): readonly string[] => [
  ...choicesFor(ask).map(({ label }, at) => `  ${at + 1}  ${label}`),
  ...(ask.kind === "question" ? ["  or type the answer"] : []),
  "  -  decline it; what follows is told to the model, as in: - Use a branch.",
  "  Enter alone leaves it open.",
]

export function readChoice(ask: Pick<Ask, "kind" | "options">, line: string): Chosen {
  const text = line.trim()
  if (text === "") return { kind: "open" }
  const declined = /^-(?:\s+([^]*))?$/.exec(text)
  if (declined !== null) {
    const [, correction = ""] = declined
    return { kind: "answer", answer: { decision: "decline", ...(correction !== "" && { text: correction }) } }
  }
  const choice = /^\d+$/.test(text) ? choicesFor(ask)[Number(text) - 1] : undefined
  if (choice !== undefined) return { kind: "answer", answer: choice.answer }
  return ask.kind === "question"
    ? { kind: "answer", answer: { decision: "answer", text } }
    : { kind: "unclear" }
}

const ruleLabel = (rule: string): string =>
  rule === "write" ? "all writing inside the project" : nameHiddenInLine(rule)
