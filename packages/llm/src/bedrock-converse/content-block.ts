/**
 * Content blocks while they stream: each kind holds its own parts and, at its end, gives the whole
 * of them, so that a reader of `*-end` events needs no other (TU3).
 *
 * Only calls announce themselves; text and reasoning open with their first delta. A block of an
 * unknown kind is open like any other and says nothing (LL6).
 */
import type { JsonObject } from "@holdfast/schema/json"
import { parseInput } from "../answer/call-input.ts"
import type { Step } from "../answer/reading.ts"
import { type Fields, fieldsOf, isFields, listOf, textOf } from "../json-fields.ts"
import type { StreamEvent } from "../wire.ts"
import { isHostedUse, type ReasoningOpaque } from "./native.ts"

/** What came so far, the latest first: more of it costs the same however much there is. */
type Pieces = { readonly piece: JsonObject; readonly before: Pieces } | null

export type OpenBlock =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "reasoning"; readonly text: string; readonly signature: string; readonly sealed: string }
  /** A hosted one is of a tool of the provider's own: its input streams like that of any call (LL8). */
  | { readonly kind: "call"; readonly use: Fields; readonly hosted: boolean; readonly raw: string }
  | { readonly kind: "result"; readonly result: Fields; readonly content: Pieces }
  | { readonly kind: "unknown" }

/** A block that was announced. */
export function announcedBlock({ toolUse, toolResult }: Fields): OpenBlock {
  if (isFields(toolUse)) return { kind: "call", use: toolUse, hosted: isHostedUse(toolUse), raw: "" }
  return isFields(toolResult) ? { kind: "result", result: toolResult, content: null } : { kind: "unknown" }
}

/** A block that its first delta opens; null if it should have been announced. */
export function blockOfDelta(delta: Fields): OpenBlock | null {
  switch (kindOfDelta(delta)) {
    case "text":
      return { kind: "text", text: "" }
    case "reasoning":
      return { kind: "reasoning", text: "", signature: "", sealed: "" }
    case "call":
      return null
    default:
      return { kind: "unknown" }
  }
}

/** Which kind of block a delta belongs to; null if any block may have it. */
function kindOfDelta(delta: Fields): OpenBlock["kind"] | null {
  if (delta["text"] !== undefined) return "text"
  if (delta["reasoningContent"] !== undefined) return "reasoning"
  return delta["toolUse"] === undefined ? null : "call"
}

export function saidAtStart(index: number, block: OpenBlock): readonly StreamEvent[] {
  switch (block.kind) {
    case "text":
      return [{ type: "text-start", index }]
    case "reasoning":
      return [{ type: "reasoning-start", index }]
    case "call":
      return block.hosted ? [] : [{ type: "call-start", index, ...namesOf(block.use) }]
    default:
      return []
  }
}

/** The block with this delta; null if it cannot have such a one. */
export function grow(index: number, block: OpenBlock, delta: Fields): Step<OpenBlock> | null {
  if (block.kind === "unknown") return [block, []]
  const kind = kindOfDelta(delta)
  if (kind !== null && kind !== block.kind) return null
  switch (block.kind) {
    case "text": {
      const text = textOf(delta["text"])
      return [{ ...block, text: block.text + text }, text === "" ? [] : [{ type: "text-delta", index, text }]]
    }
    case "reasoning": {
      const content = fieldsOf(delta["reasoningContent"])
      const text = textOf(content["text"])
      const signature = block.signature + textOf(content["signature"])
      const sealed = block.sealed + textOf(content["redactedContent"])
      const said: readonly StreamEvent[] = text === "" ? [] : [{ type: "reasoning-delta", index, text }]
      return [{ ...block, text: block.text + text, signature, sealed }, said]
    }
    case "call": {
      const more = textOf(fieldsOf(delta["toolUse"])["input"])
      const isTold = more !== "" && !block.hosted
      const said: readonly StreamEvent[] = isTold
        ? [{ type: "call-delta", index, bytes: Buffer.byteLength(more) }]
        : []
      return [{ ...block, raw: block.raw + more }, said]
    }
    case "result": {
      const more = listOf(delta["toolResult"]).filter(isFields) as readonly JsonObject[]
      const content = more.reduce<Pieces>((before, piece) => ({ piece, before }), block.content)
      return [{ ...block, content }, []]
    }
  }
}

export function saidAtEnd(index: number, block: OpenBlock): readonly StreamEvent[] {
  switch (block.kind) {
    case "text":
      return [{ type: "text-end", index, text: block.text }]
    case "reasoning": {
      const { text, signature, sealed } = block
      const opaque: ReasoningOpaque =
        sealed === ""
          ? { type: "reasoning", text, ...(signature === "" ? {} : { signature }) }
          : { type: "redacted", data: sealed }
      return [{ type: "reasoning-end", index, text, opaque }]
    }
    case "call": {
      const { use, hosted, raw } = block
      const input = parseInput(raw.trim() === "" ? "{}" : raw)
      if (!hosted) return [{ type: "call-end", index, ...namesOf(use), input, raw }]
      const opaque = { toolUse: { ...(use as JsonObject), input } }
      return [{ type: "hosted", index, name: textOf(use["name"]), opaque }]
    }
    case "result": {
      const { result, content } = block
      const opaque = { toolResult: { ...(result as JsonObject), content: inOrder(content) } }
      return [{ type: "hosted", index, name: textOf(result["type"]) || "tool_result", opaque }]
    }
    case "unknown":
      return []
  }
}

const namesOf = (use: Fields) => ({ nativeId: textOf(use["toolUseId"]), name: textOf(use["name"]) })

function inOrder(content: Pieces): readonly JsonObject[] {
  const pieces: JsonObject[] = []
  for (let at = content; at !== null; at = at.before) pieces.push(at.piece)
  return pieces.toReversed()
}
