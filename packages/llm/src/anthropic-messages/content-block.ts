/**
 * Content blocks while they stream: each kind collects its own parts and, at its end, gives the
 * whole of them, so that a reader of `*-end` events needs no other (TU3).
 *
 * A block of an unknown type is open like any other and says nothing (LL6).
 */
import type { Json } from "@holdfast/schema/json"
import type { StreamEvent } from "../wire.ts"
import type { ThinkingOpaque } from "./block-shape.ts"

export interface OpenBlock {
  readonly opened: (events: StreamEvent[]) => void
  /** False if this block cannot have such a delta. */
  readonly delta: (delta: Fields, events: StreamEvent[]) => boolean
  readonly closed: (events: StreamEvent[]) => void
}

type Fields = Readonly<Record<string, unknown>>

export function openBlock(index: number, content: Fields): OpenBlock {
  switch (content["type"]) {
    case "text":
      return textBlock(index, stringOf(content["text"]))
    case "thinking":
      return thinkingBlock(index, stringOf(content["thinking"]), stringOf(content["signature"]))
    case "redacted_thinking":
      return redactedBlock(index, stringOf(content["data"]))
    case "tool_use":
      return callBlock(index, content)
    default:
      return unknownBlock
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
        signature += stringOf(delta["signature"])
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
  const nativeId = stringOf(content["id"])
  const name = stringOf(content["name"])
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

/** Deeper arguments would overflow the stack of whoever writes them again. */
const inputDepthMax = 256

function parseInput(raw: string): Json | null {
  if (depthOf(raw) > inputDepthMax) return null
  try {
    return JSON.parse(raw) as Json
  } catch {
    // Only a syntax error throws here: the call is settled with an error that the model reads.
    return null
  }
}

/** How deep brackets are nested outside of strings; cut short at the limit. */
function depthOf(json: string): number {
  if (json.length <= inputDepthMax) return 0
  let depth = 0
  let deepest = 0
  let quoted = false
  for (let i = 0; i < json.length; i++) {
    const unit = json.charCodeAt(i)
    if (unit === 0x22) quoted = !quoted
    else if (unit === 0x5c) i += 1
    else if (quoted) continue
    else if (unit === 0x7b || unit === 0x5b) deepest = Math.max(deepest, (depth += 1))
    else if (unit === 0x7d || unit === 0x5d) depth -= 1
    if (deepest > inputDepthMax) break
  }
  return deepest
}

const stringOf = (value: unknown): string => (typeof value === "string" ? value : "")
