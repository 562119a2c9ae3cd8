/**
 * What an answer's message says: its parts as one text (LL1).
 *
 * A part cites sources by places in its own text. Joined, the places of later parts move by what
 * stands before them.
 */
import type { Json } from "@holdfast/schema/json"
import { type Fields, fieldsOf, listOf, textOf } from "../json-fields.ts"

export interface AnswerContent {
  readonly text: string
  readonly annotations: readonly Json[]
  /** The parts are words with which the model declined. */
  readonly refused: boolean
  /** Place of the first part that is neither text nor of the kind of the first; null if there is none. */
  readonly strange: number | null
}

export function answerOf(content: unknown): AnswerContent {
  const parts = typeof content === "string" ? [textPart(content)] : listOf(content).map(fieldsOf)
  const kind = parts[0]?.["type"] === "refusal" ? "refusal" : "output_text"
  let text = ""
  const annotations: Json[] = []
  for (const part of parts) {
    const before = text.length
    annotations.push(...listOf(part["annotations"]).map((item) => moved(fieldsOf(item), before)))
    text += textOf(part["text"]) || textOf(part["refusal"])
  }
  const strange = parts.findIndex((part) => part["type"] !== kind)
  const refused = kind === "refusal" && strange < 0
  return { text, annotations, refused, strange: strange < 0 ? null : strange }
}

const textPart = (text: string): Fields => ({ type: "output_text", text })

const places = ["start_index", "end_index"]

const moved = (annotation: Fields, by: number): Json =>
  Object.fromEntries(
    Object.entries(annotation).map(([name, value]) => [
      name,
      places.includes(name) && typeof value === "number" ? value + by : value,
    ]),
  ) as Json
