/**
 * Content blocks while they stream: each kind collects its own parts and, at its end, gives the
 * whole of them, so that a reader of `*-end` events needs no other (TU3).
 *
 * A block of an unknown type is open like any other and says nothing (LL6).
 */
import type { Json } from "@holdfast/schema/json"
import { parseInput } from "../answer/call-input.ts"
import { type Fields, textOf } from "../json-fields.ts"
import type { StreamEvent } from "../wire.ts"
import { isHosted, type ThinkingOpaque } from "./block-shape.ts"

export interface OpenBlock {
  readonly opened: (events: StreamEvent[]) => void
  /** False if this block cannot have such a delta. */
  readonly delta: (delta: Fields, events: StreamEvent[]) => boolean
  readonly closed: (events: StreamEvent[]) => void
}

export function openBlock(index: number, content: Fields): OpenBlock {
  switch (content["type"]) {
    case "text":
      return textBlock(index, textOf(content["text"]))
    case "thinking":
      return thinkingBlock(index, textOf(content["thinking"]), textOf(content["signature"]))
    case "redacted_thinking":
      return redactedBlock(index, textOf(content["data"]))
    case "tool_use":
      return callBlock(index, content)
    default:
      return isHosted(content["type"]) ? hostedBlock(index, content) : unknownBlock
  }
}

/** Delta types that this decoder reads: in the wrong block they are an impossible order. */
const knownDeltas: ReadonlySet<unknown> = new Set([
  "text_delta",
  "thinking_delta",
  "signature_delta",
  "input_json_delta",
])

const unknownBlock: OpenBlock = { opened: () => {}, delta: () => true, closed: () => {} }

function textBlock(index: number, first: string): OpenBlock {
  let text = first
  return {
    opened: (events) => {
      events.push({ type: "text-start", index })
      if (first !== "") events.push({ type: "text-delta", index, text: first })
    },
    delta: (delta, events) => {
      if (delta["type"] !== "text_delta") return !knownDeltas.has(delta["type"])
      const more = delta["text"]
      if (typeof more !== "string") return false
      if (more === "") return true
      text += more
      events.push({ type: "text-delta", index, text: more })
      return true
    },
    closed: (events) => events.push({ type: "text-end", index, text }),
  }
}

function thinkingBlock(index: number, first: string, firstSignature: string): OpenBlock {
  let text = first
  let signature = firstSignature
  return {
    opened: (events) => {
      events.push({ type: "reasoning-start", index })
      if (first !== "") events.push({ type: "reasoning-delta", index, text: first })
    },
    delta: (delta, events) => {
      if (delta["type"] === "signature_delta") {
        signature += textOf(delta["signature"])
        return true
      }
      if (delta["type"] !== "thinking_delta") return !knownDeltas.has(delta["type"])
      const more = delta["thinking"]
      if (typeof more !== "string") return false
      if (more === "") return true
      text += more
      events.push({ type: "reasoning-delta", index, text: more })
      return true
    },
    closed: (events) => {
      const opaque: ThinkingOpaque | null =
        signature === "" ? null : { type: "thinking", thinking: text, signature }
      events.push({ type: "reasoning-end", index, text, opaque })
    },
  }
}

function redactedBlock(index: number, data: string): OpenBlock {
  const opaque: ThinkingOpaque | null = data === "" ? null : { type: "redacted_thinking", data }
  return {
    opened: (events) => events.push({ type: "reasoning-start", index }),
    delta: (delta) => !knownDeltas.has(delta["type"]),
    closed: (events) => events.push({ type: "reasoning-end", index, text: "", opaque }),
  }
}

function callBlock(index: number, content: Fields): OpenBlock {
  const nativeId = textOf(content["id"])
  const name = textOf(content["name"])
  let raw = ""
  return {
    opened: (events) => events.push({ type: "call-start", index, nativeId, name }),
    delta: (delta, events) => {
      if (delta["type"] !== "input_json_delta") return !knownDeltas.has(delta["type"])
      const more = delta["partial_json"]
      if (typeof more !== "string") return false
      if (more === "") return true
      raw += more
      events.push({ type: "call-delta", index, bytes: Buffer.byteLength(more) })
      return true
    },
    closed: (events) => {
      // recorded: a call without arguments sends no JSON; some servers send it all at the start.
      const given = raw.trim() === "" ? JSON.stringify(content["input"] ?? {}) : raw
      events.push({ type: "call-end", index, nativeId, name, input: parseInput(given), raw })
    },
  }
}

/** A tool of the provider's own: its input may stream, a result comes whole (LL8). */
function hostedBlock(index: number, content: Fields): OpenBlock {
  let raw = ""
  return {
    opened: () => {},
    delta: (delta) => {
      raw += textOf(delta["partial_json"])
      return true
    },
    closed: (events) => {
      const input = raw.trim() === "" ? null : parseInput(raw)
      const opaque = (input === null ? content : { ...content, input }) as Json
      events.push({ type: "hosted", index, name: textOf(content["name"]) || textOf(content["type"]), opaque })
    },
  }
}
