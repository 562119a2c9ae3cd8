/**
 * What the end of an output item tells (TU3).
 *
 * The end repeats the item. What was streamed counts; what the end says is used where nothing was
 * streamed, and for what is only told there: ids, phase, sealed reasoning, what a text cites (LL4, LL8).
 */
import type { Json } from "@holdfast/schema/json"
import type { Closing, Hosted, Part } from "../answer/parts.ts"
import { type Fields, fieldsOf, listOf, textOf } from "../json-fields.ts"
import { FieldReader } from "../reading/field-reader.ts"
import { answerOf } from "./answer-content.ts"
import { isHostedItem, reasoningOpaque } from "./native.ts"

export interface Note {
  readonly announced: Fields
  /** What the text cites, as far as it was streamed. */
  readonly annotations: readonly Json[]
}

/** The words that the end repeats; an end says no more arguments than were streamed. */
export function wordsAtEnd({ kind }: Part<Note>, { summary, content }: Fields): string {
  if (kind === "text") return textsOf(content).join("")
  return kind === "reasoning" ? [...textsOf(summary), ...textsOf(content)].join("\n\n") : ""
}

/** `bound`: reasoning before it will come back, so that it may be named by its id (LL4). */
export function closing(part: Part<Note>, end: Fields, bound: boolean): Closing {
  switch (part.kind) {
    case "text":
      return { opaque: messageOpaque(part, end, bound) }
    case "reasoning":
      return { opaque: wholeReasoning(end) }
    case "call":
      return callEnd(part, end, bound)
    case "silent":
      return { hosted: hostedOf(end) }
  }
}

/** An item that the end leaves out, or that was cut, was never whole. */
export const wholeReasoning = (end: Fields): Json | null => (isCut(end) ? null : reasoningOpaque(end as Json))

const isCut = (end: Fields): boolean => end["status"] === "incomplete"

function messageOpaque(part: Part<Note>, end: Fields, bound: boolean): Json | null {
  const id = bound ? told(part, end, "id") : ""
  const phase = told(part, end, "phase")
  const { annotations: atEnd, refused } = answerOf(new FieldReader(end).list("content"))
  const annotations = atEnd.length === 0 ? part.note.annotations : atEnd
  const kept = {
    ...(id === "" ? {} : { id }),
    ...(phase === "" ? {} : { phase }),
    ...(annotations.length === 0 ? {} : { annotations }),
    ...(refused ? { refusal: true } : {}),
  }
  return Object.keys(kept).length === 0 ? null : { type: "message", ...kept }
}

/** The texts of a list of parts, whatever they are called. */
const textsOf = (parts: unknown): readonly string[] =>
  listOf(parts).map((part) => textOf(fieldsOf(part)["text"]) || textOf(fieldsOf(part)["refusal"]))

function callEnd(part: Part<Note>, end: Fields, bound: boolean): Closing {
  const id = bound ? told(part, end, "id") : ""
  return {
    nativeId: told(part, end, "call_id"),
    name: told(part, end, "name"),
    text: told(part, end, "arguments") || part.text,
    opaque: id === "" ? null : { type: "function_call", id },
    // Arguments that were cut may still read as JSON; they are not what the model meant.
    ...(isCut(end) ? { input: null } : {}),
  }
}

const told = ({ note: { announced } }: Part<Note>, end: Fields, field: string): string =>
  textOf(end[field]) || textOf(announced[field])

/** The provider's own tool is told as a whole when it has ended (LL8); anything else says nothing (LL6). */
function hostedOf(end: Fields): Hosted | null {
  const name = textOf(end["type"])
  return !isHostedItem(name) || isCut(end) ? null : { name, opaque: end as Json }
}
