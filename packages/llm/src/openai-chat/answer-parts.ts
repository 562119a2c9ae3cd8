/**
 * What a chunk of a Chat answer adds to its parts (TU3).
 *
 * Text and reasoning are open one at a time; calls are open beside each other until the finish, each
 * known by the place that the server gives it.
 */
import type { Json, JsonObject } from "@holdfast/schema/json"
import type { Usage } from "@holdfast/schema/model"
import { HashMap, Option } from "effect"
import * as parts from "../answer/parts.ts"
import { type Fields, fieldsOf, isFields, listOf, textOf } from "../json-fields.ts"
import type { ReasoningOpaque } from "./native.ts"

export interface Own {
  /** The finish reason, once there is one. */
  readonly finished: string | null
  readonly usage: Usage
  readonly refused: boolean
  /** Of the call that grew last; below 0 if there is none. */
  readonly placeLatest: number
  /** Behind the places of all calls. */
  readonly placeFree: number
}

export interface Note {
  /** Of reasoning. */
  readonly field: ReasoningOpaque["field"]
  readonly details: HashMap.HashMap<string, Detail>
  /** Of a call; its id may come late. */
  readonly id: string
  readonly extra: JsonObject | null
}

export type Answer = parts.Answer<Own, Note>

interface Detail {
  readonly order: number
  readonly fields: JsonObject
}

/** What a chunk adds to one part; empty words and empty lists add nothing. */
type Piece =
  | { readonly kind: "reasoning"; readonly field: ReasoningOpaque["field"]; readonly text: string }
  | { readonly kind: "details"; readonly details: readonly Fields[] }
  | { readonly kind: "text" | "refusal"; readonly text: string }
  | { readonly kind: "call"; readonly call: Fields }

export function addDelta(answer: Answer, delta: Fields): Answer {
  let grown = answer
  for (const piece of piecesOf(delta)) {
    grown = addPiece(grown, piece)
    if (parts.isOver(grown)) break
  }
  return grown
}

/** Whether details belong to what is open. */
export const isDetailed = (answer: Answer): boolean =>
  !HashMap.isEmpty(parts.partAt(answer, parts.spoken)?.note.details ?? noNote.details)

export function closing({ kind, text, note }: parts.Part<Note>): parts.Closing {
  const { field, id: nativeId, extra } = note
  if (kind === "call") return { nativeId, opaque: extra && { type: "call", extra } }
  if (kind === "text") return {}
  const details = [...HashMap.values(note.details)].sort((a, b) => a.order - b.order)
  return { opaque: { type: "reasoning", field, text, details: details.map(({ fields }) => fields) } }
}

function piecesOf(delta: Fields): readonly Piece[] {
  return [
    { kind: "reasoning", field: "reasoning_content", text: textOf(delta["reasoning_content"]) },
    { kind: "reasoning", field: "reasoning", text: textOf(delta["reasoning"]) },
    { kind: "details", details: listOf(delta["reasoning_details"]).filter(isFields) },
    ...contentOf(delta["content"]),
    { kind: "refusal", text: textOf(delta["refusal"]) },
    ...listOf(delta["tool_calls"]).map((call): Piece => ({ kind: "call", call: fieldsOf(call) })),
  ]
}

/** recorded: Mistral sends a list of parts, of which some are reasoning. */
function contentOf(content: unknown): readonly Piece[] {
  if (typeof content === "string") return [{ kind: "text", text: content }]
  return listOf(content)
    .map(fieldsOf)
    .flatMap((part): readonly Piece[] => {
      if (part["type"] !== "thinking") return [{ kind: "text", text: textOf(part["text"]) }]
      return listOf(part["thinking"]).map((piece) => {
        return { kind: "reasoning", field: "reasoning", text: textOf(fieldsOf(piece)["text"]) }
      })
    })
}

function addPiece(answer: Answer, piece: Piece): Answer {
  switch (piece.kind) {
    case "text":
      return addWords(answer, "text", piece.text)
    case "refusal":
      return piece.text === ""
        ? answer
        : parts.knowing(addWords(answer, "text", piece.text), { refused: true })
    case "reasoning":
      return addWords(answer, "reasoning", piece.text, { field: piece.field })
    case "details":
      return piece.details.length === 0 ? answer : addDetails(answer, piece.details)
    case "call":
      return addCall(answer, piece.call)
  }
}

const noNote: Note = { field: "reasoning_content", details: HashMap.empty(), id: "", extra: null }

function addWords(
  answer: Answer,
  kind: "text" | "reasoning",
  text: string,
  noted: Partial<Note> = {},
): Answer {
  if (text === "") return answer
  const opened = parts.takeTurn(answer, { kind, note: noNote }, closing)
  return parts.add(parts.note(opened, parts.spoken, noted), parts.spoken, text)
}

function addDetails(answer: Answer, more: readonly Fields[]): Answer {
  const opened = parts.takeTurn(answer, { kind: "reasoning", note: noNote }, closing)
  const { note } = parts.partAt(opened, parts.spoken) as parts.Part<Note>
  return parts.note(opened, parts.spoken, { details: more.reduce(withDetail, note.details) })
}

/** documented: details come in pieces that belong together by their index. */
function withDetail(details: Note["details"], more: Fields): Note["details"] {
  const order = HashMap.size(details)
  const key = JSON.stringify([more["type"], more["index"] ?? order])
  const before = Option.getOrUndefined(HashMap.get(details, key))
  const fields = mergeDetail(before?.fields, more as JsonObject)
  return HashMap.set(details, key, { order: before?.order ?? order, fields })
}

/** Texts of a detail grow, everything else is what it was last said to be. */
function mergeDetail(before: JsonObject | undefined, more: JsonObject): JsonObject {
  if (before === undefined) return more
  const grown = ["text", "summary", "data"].flatMap((field) => {
    const [a, b] = [before[field], more[field]]
    return typeof a === "string" && typeof b === "string" ? [[field, a + b] as const] : []
  })
  return { ...before, ...more, ...Object.fromEntries(grown) }
}

function addCall(answer: Answer, piece: Fields): Answer {
  const id = textOf(piece["id"])
  const { name: named, arguments: given } = fieldsOf(piece["function"])
  const name = textOf(named)
  const place = placeOf(answer, piece["index"], id, name)
  const begun = parts.partAt(answer, place)
  if (begun === undefined && name === "")
    return parts.impossible(answer, "a piece of a call that was not begun")
  const placeFree = begun === undefined ? Math.max(answer.own.placeFree, place + 1) : answer.own.placeFree
  const opening = { kind: "call", nativeId: id, name, note: { ...noNote, id } } as const
  const opened =
    begun === undefined ? parts.open(parts.end(answer, parts.spoken, closing), place, opening) : answer
  const { extra_content: extra } = piece
  const noted = parts.note(parts.knowing(opened, { placeLatest: place, placeFree }), place, {
    ...(begun?.note.id === "" ? { id } : {}),
    ...(isFields(extra) ? { extra: { extra_content: extra as Json } } : {}),
  })
  return parts.add(noted, place, isFields(given) ? JSON.stringify(given) : textOf(given))
}

/** recorded: some leave the place out or give every call the same; a new id with a name is a new call. */
function placeOf(answer: Answer, given: unknown, id: string, name: string): number {
  const { placeLatest, placeFree } = answer.own
  const place = Number.isSafeInteger(given) ? (given as number) : placeLatest
  const known = parts.partAt(answer, place)?.note.id
  const other = known !== undefined && id !== "" && name !== "" && known !== "" && known !== id
  return other || (known === undefined && place < 0) ? placeFree : place
}
