/**
 * The parts of a Chat answer while it streams (TU3).
 *
 * Text and reasoning are open one at a time; calls are open beside each other until the finish. At
 * its end each part gives the whole of itself, so that a reader of `*-end` events needs no other.
 */
import type { Json, JsonObject } from "@holdfast/schema/json"
import { HashMap, Option } from "effect"
import { parseInput } from "../answer/call-input.ts"
import { allParts, isNone, noParts, type OpenParts, partAt, withPart } from "../answer/open-parts.ts"
import { type Fields, fieldsOf, isFields, listOf, textOf } from "../json-fields.ts"
import type { StreamEvent } from "../wire.ts"
import type { ReasoningOpaque } from "./native.ts"

export interface AnswerParts {
  readonly next: number
  readonly open: OpenText | OpenReasoning | null
  /** By the place that the server gives them. */
  readonly calls: OpenParts<number, OpenCall>
  /** Behind the places of all calls. */
  readonly freePlace: number
  readonly refused: boolean
}

interface OpenText {
  readonly kind: "text"
  readonly index: number
  readonly text: string
}

interface OpenReasoning {
  readonly kind: "reasoning"
  readonly index: number
  readonly text: string
  readonly field: ReasoningOpaque["field"]
  readonly details: HashMap.HashMap<string, Detail>
}

interface Detail {
  readonly order: number
  readonly fields: JsonObject
}

interface OpenCall {
  readonly index: number
  readonly nativeId: string
  readonly name: string
  readonly raw: string
  readonly extra: JsonObject | null
}

/** What a chunk adds to one part; empty words and empty lists add nothing. */
type Piece =
  | { readonly kind: "reasoning"; readonly field: ReasoningOpaque["field"]; readonly text: string }
  | { readonly kind: "details"; readonly details: readonly Fields[] }
  | { readonly kind: "text" | "refusal"; readonly text: string }
  | { readonly kind: "call"; readonly call: Fields }

export const emptyAnswer: AnswerParts = { next: 0, open: null, calls: noParts, freePlace: 0, refused: false }

/** Null if a piece belongs to nothing. */
export function addDelta(parts: AnswerParts, delta: Fields, events: StreamEvent[]): AnswerParts | null {
  return piecesOf(delta).reduce<AnswerParts | null>(
    (grown, piece) => (grown === null ? null : addPiece(grown, piece, events)),
    parts,
  )
}

/** More of the text or reasoning that is open. */
export function addWords(parts: AnswerParts, words: string): AnswerParts {
  const { open } = parts
  return open === null ? parts : { ...parts, open: { ...open, text: open.text + words } }
}

/** Whether details belong to what is open. */
export const isDetailed = ({ open }: AnswerParts): boolean =>
  open?.kind === "reasoning" && !HashMap.isEmpty(open.details)

export const hasCalls = ({ calls }: AnswerParts): boolean => !isNone(calls)

/** What is said when the answer finishes with these parts. */
export function saidAtFinish({ open, calls }: AnswerParts): readonly StreamEvent[] {
  const inOrder = allParts(calls)
    .map(([, call]) => call)
    .sort((a, b) => a.index - b.index)
  return [...saidAtEnd(open), ...inOrder.map(callEnd)]
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

function addPiece(parts: AnswerParts, piece: Piece, events: StreamEvent[]): AnswerParts | null {
  switch (piece.kind) {
    case "text":
      return piece.text === "" ? parts : addText(parts, piece.text, events)
    case "refusal":
      return piece.text === "" ? parts : { ...addText(parts, piece.text, events), refused: true }
    case "reasoning":
      return piece.text === "" ? parts : addReasoning(parts, piece, events)
    case "details":
      return piece.details.length === 0 ? parts : addDetails(parts, piece.details, events)
    case "call":
      return addCall(parts, piece.call, events)
  }
}

function addText(parts: AnswerParts, text: string, events: StreamEvent[]): AnswerParts {
  const open: OpenText =
    parts.open?.kind === "text" ? parts.open : { kind: "text", index: parts.next, text: "" }
  const grown = withOpen(parts, { ...open, text: open.text + text }, events)
  events.push({ type: "text-delta", index: open.index, text })
  return grown
}

function addReasoning(
  parts: AnswerParts,
  { field, text }: Piece & { readonly kind: "reasoning" },
  events: StreamEvent[],
): AnswerParts {
  const open = reasoningOf(parts)
  const grown = withOpen(parts, { ...open, field, text: open.text + text }, events)
  events.push({ type: "reasoning-delta", index: open.index, text })
  return grown
}

function addDetails(parts: AnswerParts, details: readonly Fields[], events: StreamEvent[]): AnswerParts {
  const open = reasoningOf(parts)
  return withOpen(parts, { ...open, details: details.reduce(withDetail, open.details) }, events)
}

/** documented: details come in pieces that belong together by their index. */
function withDetail(details: OpenReasoning["details"], more: Fields): OpenReasoning["details"] {
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

function reasoningOf({ open, next }: AnswerParts): OpenReasoning {
  if (open?.kind === "reasoning") return open
  return { kind: "reasoning", index: next, text: "", field: "reasoning_content", details: HashMap.empty() }
}

/** A part that was not open takes the place of the one that was. */
function withOpen(parts: AnswerParts, open: OpenText | OpenReasoning, events: StreamEvent[]): AnswerParts {
  if (parts.open?.index === open.index) return { ...parts, open }
  events.push(...saidAtEnd(parts.open), { type: `${open.kind}-start`, index: open.index })
  return { ...parts, open, next: parts.next + 1 }
}

function addCall(parts: AnswerParts, piece: Fields, events: StreamEvent[]): AnswerParts | null {
  const id = textOf(piece["id"])
  const named = fieldsOf(piece["function"])
  const name = textOf(named["name"])
  const place = placeOf(parts, piece["index"], id, name)
  const begun = partAt(parts.calls, place)
  if (begun === undefined && name === "") return null
  const call = begun ?? { index: parts.next, nativeId: id, name, raw: "", extra: null }
  const rest = begun === undefined ? startCall(parts, place, call, events) : parts
  const given = named["arguments"]
  const more = typeof given === "string" ? given : isFields(given) ? JSON.stringify(given) : ""
  if (more !== "") events.push({ type: "call-delta", index: call.index, bytes: Buffer.byteLength(more) })
  const extraContent = piece["extra_content"]
  const grown: OpenCall = {
    ...call,
    nativeId: call.nativeId === "" ? id : call.nativeId,
    raw: call.raw + more,
    extra: isFields(extraContent) ? { extra_content: extraContent as Json } : call.extra,
  }
  return { ...rest, calls: withPart(rest.calls, place, grown) }
}

function startCall(parts: AnswerParts, place: number, call: OpenCall, events: StreamEvent[]): AnswerParts {
  const { index, nativeId, name } = call
  events.push(...saidAtEnd(parts.open), { type: "call-start", index, nativeId, name })
  return { ...parts, open: null, next: parts.next + 1, freePlace: Math.max(parts.freePlace, place + 1) }
}

/** recorded: some leave the place out or give every call the same; a new id with a name is a new call. */
function placeOf({ calls, freePlace }: AnswerParts, given: unknown, id: string, name: string): number {
  const place = Number.isSafeInteger(given) ? (given as number) : (calls.at?.key ?? -1)
  const open = partAt(calls, place)
  const other = open !== undefined && id !== "" && name !== "" && open.nativeId !== "" && open.nativeId !== id
  return other || (open === undefined && place < 0) ? freePlace : place
}

function saidAtEnd(open: AnswerParts["open"]): readonly StreamEvent[] {
  if (open === null) return []
  const { index, text } = open
  if (open.kind === "text") return [{ type: "text-end", index, text }]
  const details = [...HashMap.values(open.details)].sort((a, b) => a.order - b.order)
  const opaque = { type: "reasoning", field: open.field, text, details: details.map(({ fields }) => fields) }
  return [{ type: "reasoning-end", index, text, opaque }]
}

function callEnd({ index, nativeId, name, raw, extra }: OpenCall): StreamEvent {
  const input = parseInput(raw.trim() === "" ? "{}" : raw)
  const opaque = extra === null ? {} : { opaque: { type: "call", extra } }
  return { type: "call-end", index, nativeId, name, input, raw, ...opaque }
}
