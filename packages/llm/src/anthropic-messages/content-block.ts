/**
 * Content blocks while they stream: each kind holds its own parts and, at its end, gives the whole
 * of them, so that a reader of `*-end` events needs no other (TU3).
 *
 * A block of an unknown type is open like any other and says nothing (LL6).
 */
import type { Json } from "@holdfast/schema/json"
import { parseInput } from "../answer/call-input.ts"
import type { Step } from "../answer/reading.ts"
import { type Fields, fieldsOf, listOf, textOf } from "../json-fields.ts"
import type { StreamEvent } from "../wire.ts"
import { isHosted, type TextOpaque, type ThinkingOpaque } from "./block-shape.ts"

export type OpenBlock =
  | { readonly kind: "text"; readonly text: string; readonly citations: readonly Json[] }
  | { readonly kind: "thinking"; readonly text: string; readonly signature: string }
  | { readonly kind: "redacted"; readonly data: string }
  | { readonly kind: "call"; readonly content: Fields; readonly raw: string }
  | { readonly kind: "hosted"; readonly content: Fields; readonly raw: string }
  | { readonly kind: "unknown" }

export function openBlock(content: Fields): OpenBlock {
  switch (content["type"]) {
    case "text":
      return {
        kind: "text",
        text: textOf(content["text"]),
        citations: listOf(content["citations"]).flatMap(citation),
      }
    case "thinking":
      return {
        kind: "thinking",
        text: textOf(content["thinking"]),
        signature: textOf(content["signature"]),
      }
    case "redacted_thinking":
      return { kind: "redacted", data: textOf(content["data"]) }
    case "tool_use":
      return { kind: "call", content, raw: "" }
    default:
      return isHosted(content["type"]) ? { kind: "hosted", content, raw: "" } : { kind: "unknown" }
  }
}

export function saidAtStart(index: number, block: OpenBlock): readonly StreamEvent[] {
  switch (block.kind) {
    case "text":
      return [{ type: "text-start", index }, ...words("text-delta", index, block.text)]
    case "thinking":
      return [{ type: "reasoning-start", index }, ...words("reasoning-delta", index, block.text)]
    case "redacted":
      return [{ type: "reasoning-start", index }]
    case "call": {
      const { id, name } = block.content
      return [{ type: "call-start", index, nativeId: textOf(id), name: textOf(name) }]
    }
    default:
      return []
  }
}

/** Delta types that this decoder reads: in the wrong block they are an impossible order. */
const knownDeltas: ReadonlySet<unknown> = new Set([
  "text_delta",
  "thinking_delta",
  "signature_delta",
  "input_json_delta",
])

/** The block with this delta; null if it cannot have such a one. */
export function grow(index: number, block: OpenBlock, delta: Fields): Step<OpenBlock> | null {
  const { type } = delta
  if (block.kind === "unknown") return [block, []]
  if (block.kind === "hosted") return [{ ...block, raw: block.raw + textOf(delta["partial_json"]) }, []]
  if (block.kind === "text" && type === "text_delta") {
    const { text } = delta
    if (typeof text !== "string") return null
    return [{ ...block, text: block.text + text }, words("text-delta", index, text)]
  }
  if (block.kind === "text" && type === "citations_delta")
    return [{ ...block, citations: [...block.citations, ...citation(delta["citation"])] }, []]
  if (block.kind === "thinking" && type === "thinking_delta") {
    const text = delta["thinking"]
    if (typeof text !== "string") return null
    return [{ ...block, text: block.text + text }, words("reasoning-delta", index, text)]
  }
  if (block.kind === "thinking" && type === "signature_delta")
    return [{ ...block, signature: block.signature + textOf(delta["signature"]) }, []]
  if (block.kind === "call" && type === "input_json_delta") {
    const json = delta["partial_json"]
    if (typeof json !== "string") return null
    if (json === "") return [block, []]
    const bytes = Buffer.byteLength(json)
    return [{ ...block, raw: block.raw + json }, [{ type: "call-delta", index, bytes }]]
  }
  return knownDeltas.has(type) ? null : [block, []]
}

export function saidAtEnd(index: number, block: OpenBlock): readonly StreamEvent[] {
  switch (block.kind) {
    case "text":
      return [textEnd(index, block)]
    case "thinking": {
      const { text, signature } = block
      const opaque: ThinkingOpaque | null =
        signature === "" ? null : { type: "thinking", thinking: text, signature }
      return [{ type: "reasoning-end", index, text, opaque }]
    }
    case "redacted": {
      const { data } = block
      const opaque: ThinkingOpaque | null = data === "" ? null : { type: "redacted_thinking", data }
      return [{ type: "reasoning-end", index, text: "", opaque }]
    }
    case "call":
      return [callEnd(index, block)]
    case "hosted":
      return [hosted(index, block)]
    case "unknown":
      return []
  }
}

function words(type: "text-delta" | "reasoning-delta", index: number, text: string): readonly StreamEvent[] {
  return text === "" ? [] : [{ type, index, text }]
}

/** LL8: what the text cites is the provider's, and goes back to it with the text. */
function textEnd(index: number, { text, citations }: OpenBlock & { readonly kind: "text" }): StreamEvent {
  if (citations.length === 0) return { type: "text-end", index, text }
  const opaque: TextOpaque = { type: "text", citations }
  return { type: "text-end", index, text, opaque }
}

/** One that does not say what it is cannot be repeated. */
const citation = (value: unknown): readonly Json[] =>
  textOf(fieldsOf(value)["type"]) === "" ? [] : [value as Json]

function callEnd(index: number, { content, raw }: OpenBlock & { readonly kind: "call" }): StreamEvent {
  // recorded: a call without arguments sends no JSON; some servers send it all at the start.
  const given = raw.trim() === "" ? JSON.stringify(content["input"] ?? {}) : raw
  const nativeId = textOf(content["id"])
  return { type: "call-end", index, nativeId, name: textOf(content["name"]), input: parseInput(given), raw }
}

/** A tool of the provider's own: its input may stream, a result comes whole (LL8). */
function hosted(index: number, { content, raw }: OpenBlock & { readonly kind: "hosted" }): StreamEvent {
  const input = raw.trim() === "" ? null : parseInput(raw)
  const opaque = (input === null ? content : { ...content, input }) as Json
  return { type: "hosted", index, name: textOf(content["name"]) || textOf(content["type"]), opaque }
}
