/**
 * Output items while they stream: each collects its text and, at its end, gives the whole of it, so
 * that a reader of `*-end` events needs no other (TU3).
 *
 * The end of an item repeats it. What was streamed counts; what the end says is used where nothing
 * was streamed, and for what is only told there: ids, phase, sealed reasoning, what a text cites (LL4, LL8).
 */
import type { Json } from "@holdfast/schema/json"
import { parseInput } from "../answer/call-input.ts"
import type { Step } from "../answer/reading.ts"
import { type Fields, fieldsOf, listOf, textOf } from "../json-fields.ts"
import type { StreamEvent } from "../wire.ts"
import { answerOf } from "./answer-content.ts"
import { isHostedItem, reasoningOpaque } from "./native.ts"

export interface OpenItem {
  readonly kind: "message" | "reasoning" | "function_call" | "other"
  readonly announced: Fields
  /** What was streamed: words, or the arguments of a call. */
  readonly text: string
  /** What the text cites, as far as it was streamed. */
  readonly annotations: readonly Json[]
}

export function openItem(announced: Fields): OpenItem {
  const { type } = announced
  const known = type === "message" || type === "reasoning" || type === "function_call"
  return { kind: known ? type : "other", announced, text: "", annotations: [] }
}

export function saidAtStart(index: number, { kind, announced }: OpenItem): readonly StreamEvent[] {
  switch (kind) {
    case "message":
      return [{ type: "text-start", index }]
    case "reasoning":
      return [{ type: "reasoning-start", index }]
    case "function_call": {
      const nativeId = textOf(announced["call_id"])
      return [{ type: "call-start", index, nativeId, name: textOf(announced["name"]) }]
    }
    case "other":
      return []
  }
}

export function grow(index: number, item: OpenItem, text: string): Step<OpenItem> {
  if (text === "") return [item, []]
  const grown = { ...item, text: item.text + text }
  switch (item.kind) {
    case "message":
      return [grown, [{ type: "text-delta", index, text }]]
    case "reasoning":
      return [grown, [{ type: "reasoning-delta", index, text }]]
    case "function_call":
      return [grown, [{ type: "call-delta", index, bytes: Buffer.byteLength(text) }]]
    case "other":
      return [item, []]
  }
}

/** `bound`: reasoning before it will come back, so that it may be named by its id (LL4). */
export function saidAtEnd(
  index: number,
  item: OpenItem,
  end: Fields,
  bound: boolean,
): readonly StreamEvent[] {
  switch (item.kind) {
    case "message":
      return messageEnd(index, item, end, bound)
    case "reasoning":
      return reasoningEnd(index, item, end)
    case "function_call":
      return [callEnd(index, item, end, bound)]
    case "other":
      return otherEnd(index, end)
  }
}

/** An item that the end leaves out, or that was cut, was never whole. */
export const wholeReasoning = (end: Fields): Json | null =>
  end["status"] === "incomplete" ? null : reasoningOpaque(end as Json)

function messageEnd(index: number, item: OpenItem, end: Fields, bound: boolean): readonly StreamEvent[] {
  const [{ text }, said] = growIfEmpty(index, item, textsOf(end["content"]).join(""))
  const id = bound ? told(item, end, "id") : ""
  const phase = told(item, end, "phase")
  const { annotations: atEnd, refused } = answerOf(end["content"])
  const annotations = atEnd.length === 0 ? item.annotations : atEnd
  const kept = {
    ...(id === "" ? {} : { id }),
    ...(phase === "" ? {} : { phase }),
    ...(annotations.length === 0 ? {} : { annotations }),
    ...(refused ? { refusal: true } : {}),
  }
  const native = Object.keys(kept).length === 0 ? {} : { opaque: { type: "message", ...kept } as Json }
  return [...said, { type: "text-end", index, text, ...native }]
}

function reasoningEnd(index: number, item: OpenItem, end: Fields): readonly StreamEvent[] {
  const whole = [...textsOf(end["summary"]), ...textsOf(end["content"])].join("\n\n")
  const [{ text }, said] = growIfEmpty(index, item, whole)
  return [...said, { type: "reasoning-end", index, text, opaque: wholeReasoning(end) }]
}

const growIfEmpty = (index: number, item: OpenItem, whole: string): Step<OpenItem> =>
  item.text === "" ? grow(index, item, whole) : [item, []]

/** The texts of a list of parts, whatever they are called. */
const textsOf = (parts: unknown): readonly string[] =>
  listOf(parts).map((part) => textOf(fieldsOf(part)["text"]) || textOf(fieldsOf(part)["refusal"]))

function callEnd(index: number, item: OpenItem, end: Fields, bound: boolean): StreamEvent {
  const raw = told(item, end, "arguments") || item.text
  const id = bound ? told(item, end, "id") : ""
  // Arguments that were cut may still read as JSON; they are not what the model meant.
  const cut = end["status"] === "incomplete"
  return {
    type: "call-end",
    index,
    nativeId: told(item, end, "call_id"),
    name: told(item, end, "name"),
    input: cut ? null : parseInput(raw.trim() === "" ? "{}" : raw),
    raw,
    ...(id === "" ? {} : { opaque: { type: "function_call", id } }),
  }
}

const told = ({ announced }: OpenItem, end: Fields, field: string): string =>
  textOf(end[field]) || textOf(announced[field])

/** The provider's own tool is told as a whole when it has ended (LL8); anything else says nothing (LL6). */
function otherEnd(index: number, end: Fields): readonly StreamEvent[] {
  const name = textOf(end["type"])
  if (!isHostedItem(name) || end["status"] === "incomplete") return []
  return [{ type: "hosted", index, name, opaque: end as Json }]
}
