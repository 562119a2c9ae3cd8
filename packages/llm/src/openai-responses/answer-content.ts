/**
 * What an answer's message says: its parts as one text (LL1).
 *
 * A part cites sources by places in its own text. Joined, the places of later parts move by what
 * stands before them.
 */
import type { Json } from "@holdfast/schema/json"
import type { Fields } from "../json-fields.ts"
import type { FieldReader } from "../reading/field-reader.ts"

export interface AnswerContent {
  readonly text: string
  readonly annotations: readonly Json[]
  /** The parts are words with which the model declined. */
  readonly refused: boolean
}

export function answerOf(parts: readonly FieldReader[]): AnswerContent {
  const refused = parts.length > 0 && parts.every((part) => part.peek("type") === "refusal")
  let text = ""
  const annotations: Json[] = []
  for (const part of parts) {
    const before = text.length
    annotations.push(...part.list("annotations").map((item) => moved(item.whole(), before)))
    const type = part.text("type")
    text += part.text(type === "refusal" ? "refusal" : "text")
    if (type !== (refused ? "refusal" : "output_text")) part.strange(type || "nothing")
  }
  return { text, annotations, refused }
}

const places = ["start_index", "end_index"]

const moved = (annotation: Fields, by: number): Json =>
  Object.fromEntries(
    Object.entries(annotation).map(([name, value]) => [
      name,
      places.includes(name) && typeof value === "number" ? value + by : value,
    ]),
  ) as Json
