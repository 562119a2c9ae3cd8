/**
 * Content blocks while they stream: each kind collects its own parts and, at its end, gives the
 * whole of them, so that a reader of `*-end` events needs no other (TU3).
 *
 * Only calls announce themselves; text and reasoning open with their first delta. A block of an
 * unknown kind is open like any other and says nothing (LL6).
 */
import type { Json, JsonObject } from "@holdfast/schema/json"
import { parseInput } from "../answer/call-input.ts"
import { type Fields, fieldsOf, isFields, listOf, textOf } from "../json-fields.ts"
import type { StreamEvent } from "../wire.ts"
import { isHostedUse, type ReasoningOpaque } from "./native.ts"

export type BlockKind = "text" | "reasoning" | "call" | "hosted" | "unknown"

export interface OpenBlock {
  readonly kind: BlockKind
  readonly opened: (events: StreamEvent[]) => void
  readonly delta: (delta: Fields, events: StreamEvent[]) => void
  readonly closed: (events: StreamEvent[]) => void
}

/** A block that was announced. */
export function announcedBlock(index: number, start: Fields): OpenBlock {
  const { toolUse, toolResult } = start
  if (isFields(toolUse)) return isHostedUse(toolUse) ? hostedUse(index, toolUse) : callBlock(index, toolUse)
  return isFields(toolResult) ? hostedResult(index, toolResult) : unknownBlock
}

/** A block that its first delta opens. */
export function blockOfDelta(index: number, delta: Fields): OpenBlock {
  switch (kindOfDelta(delta)) {
    case "text":
      return textBlock(index)
    case "reasoning":
      return reasoningBlock(index)
    default:
      return unknownBlock
  }
}

/** Which kind of block a delta belongs to; null if any block may have it. */
export function kindOfDelta(delta: Fields): BlockKind | null {
  if (delta["text"] !== undefined) return "text"
  if (delta["reasoningContent"] !== undefined) return "reasoning"
  return delta["toolUse"] === undefined ? null : "call"
}

const unknownBlock: OpenBlock = { kind: "unknown", opened: () => {}, delta: () => {}, closed: () => {} }

function textBlock(index: number): OpenBlock {
  let text = ""
  return {
    kind: "text",
    opened: (events) => events.push({ type: "text-start", index }),
    delta: (delta, events) => {
      const more = textOf(delta["text"])
      if (more === "") return
      text += more
      events.push({ type: "text-delta", index, text: more })
    },
    closed: (events) => events.push({ type: "text-end", index, text }),
  }
}

function reasoningBlock(index: number): OpenBlock {
  let text = ""
  let signature = ""
  let sealed = ""
  return {
    kind: "reasoning",
    opened: (events) => events.push({ type: "reasoning-start", index }),
    delta: (delta, events) => {
      const content = fieldsOf(delta["reasoningContent"])
      signature += textOf(content["signature"])
      sealed += textOf(content["redactedContent"])
      const more = textOf(content["text"])
      if (more === "") return
      text += more
      events.push({ type: "reasoning-delta", index, text: more })
    },
    closed: (events) => {
      const opaque: ReasoningOpaque =
        sealed === ""
          ? { type: "reasoning", text, ...(signature === "" ? {} : { signature }) }
          : { type: "redacted", data: sealed }
      events.push({ type: "reasoning-end", index, text, opaque })
    },
  }
}

function callBlock(index: number, use: Fields): OpenBlock {
  const nativeId = textOf(use["toolUseId"])
  const name = textOf(use["name"])
  let raw = ""
  return {
    kind: "call",
    opened: (events) => events.push({ type: "call-start", index, nativeId, name }),
    delta: (delta, events) => {
      const more = textOf(fieldsOf(delta["toolUse"])["input"])
      if (more === "") return
      raw += more
      events.push({ type: "call-delta", index, bytes: Buffer.byteLength(more) })
    },
    closed: (events) => {
      const input = parseInput(raw.trim() === "" ? "{}" : raw)
      events.push({ type: "call-end", index, nativeId, name, input, raw })
    },
  }
}

/** A tool of the provider's own: its input streams like that of a call (LL8). */
function hostedUse(index: number, use: Fields): OpenBlock {
  let raw = ""
  return {
    kind: "call",
    opened: () => {},
    delta: (delta) => {
      raw += textOf(fieldsOf(delta["toolUse"])["input"])
    },
    closed: (events) => {
      const input = parseInput(raw.trim() === "" ? "{}" : raw)
      const opaque = { toolUse: { ...(use as JsonObject), input } }
      events.push({ type: "hosted", index, name: textOf(use["name"]), opaque })
    },
  }
}

function hostedResult(index: number, result: Fields): OpenBlock {
  const content: Json[] = []
  return {
    kind: "hosted",
    opened: () => {},
    delta: (delta) => {
      for (const piece of listOf(delta["toolResult"])) if (isFields(piece)) content.push(piece as JsonObject)
    },
    closed: (events) => {
      const opaque = { toolResult: { ...(result as JsonObject), content } }
      events.push({ type: "hosted", index, name: textOf(result["type"]) || "tool_result", opaque })
    },
  }
}
