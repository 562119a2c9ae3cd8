/**
 * The parts of a Gemini answer while it streams (TU3).
 *
 * Text and thoughts grow piece by piece and are open one at a time; calls and hosted parts come
 * whole. documented: a signed part is not joined with others, so it is a part of its own (LL4).
 *
 * What is said on the way is put behind `events`.
 */
import type { Json } from "@holdfast/schema/json"
import { parseInput } from "../answer/call-input.ts"
import { type Fields, isFields, textOf } from "../json-fields.ts"
import type { StreamEvent } from "../wire.ts"
import { hostedMember, signatureOf } from "./native.ts"

interface OpenWords {
  readonly kind: "text" | "reasoning"
  readonly index: number
  readonly text: string
}

export interface AnswerParts {
  readonly open: OpenWords | null
  readonly next: number
  readonly called: boolean
}

export const noParts: AnswerParts = { open: null, next: 0, called: false }

/** Null if the part cannot be one. */
export function addPart(parts: AnswerParts, part: Fields, events: StreamEvent[]): AnswerParts | null {
  const call = part["functionCall"]
  if (isFields(call)) return addCall(parts, call, signatureOf(part), events)
  const hosted = hostedMember(part)
  return hosted === null ? addWords(parts, part, events) : addHosted(parts, hosted, part, events)
}

/** More of the text or thought that is open. */
export const withWords = (parts: AnswerParts, more: string): AnswerParts =>
  parts.open === null ? parts : { ...parts, open: { ...parts.open, text: parts.open.text + more } }

export function closeWords(parts: AnswerParts, signature: string | null, events: StreamEvent[]): AnswerParts {
  if (parts.open === null) return parts
  const { kind, index, text } = parts.open
  const signed = signature === null ? {} : { thoughtSignature: signature }
  if (kind === "reasoning") {
    events.push({ type: "reasoning-end", index, text, opaque: { type: "thought", text, ...signed } })
  } else {
    const opaque = signature === null ? {} : { opaque: { type: "text", ...signed } }
    events.push({ type: "text-end", index, text, ...opaque })
  }
  return { ...parts, open: null }
}

function addWords(parts: AnswerParts, part: Fields, events: StreamEvent[]): AnswerParts {
  const kind = part["thought"] === true ? "reasoning" : "text"
  const text = textOf(part["text"])
  const signature = signatureOf(part)
  if (signature === null) return growWords(parts, kind, text, events)
  const closed = closeWords(parts, null, events)
  if (text === "") return addBareSignature(closed, signature, events)
  return closeWords(growWords(closed, kind, text, events), signature, events)
}

function growWords(
  parts: AnswerParts,
  kind: OpenWords["kind"],
  more: string,
  events: StreamEvent[],
): AnswerParts {
  if (more === "") return parts
  const { open } = parts
  if (open?.kind !== kind) return growWords(openWords(parts, kind, events), kind, more, events)
  events.push({ type: `${kind}-delta`, index: open.index, text: more })
  return withWords(parts, more)
}

function openWords(parts: AnswerParts, kind: OpenWords["kind"], events: StreamEvent[]): AnswerParts {
  const { next: index, called } = closeWords(parts, null, events)
  events.push({ type: `${kind}-start`, index })
  return { open: { kind, index, text: "" }, next: index + 1, called }
}

/** Nothing to read, but something to give back: reasoning without words. */
function addBareSignature(parts: AnswerParts, thoughtSignature: string, events: StreamEvent[]): AnswerParts {
  const index = parts.next
  const opaque = { type: "signature", thoughtSignature }
  events.push({ type: "reasoning-start", index }, { type: "reasoning-end", index, text: "", opaque })
  return { ...parts, next: index + 1 }
}

function addCall(
  parts: AnswerParts,
  call: Fields,
  signature: string | null,
  events: StreamEvent[],
): AnswerParts | null {
  const name = textOf(call["name"])
  if (name === "") return null
  const { next: index } = closeWords(parts, null, events)
  const nativeId = textOf(call["id"])
  const raw = textOfJson(call["args"] ?? {})
  const opaque = {
    type: "call",
    ...(nativeId === "" ? {} : { id: nativeId }),
    ...(signature === null ? {} : { thoughtSignature: signature }),
  }
  events.push(
    { type: "call-start", index, nativeId, name },
    { type: "call-delta", index, bytes: Buffer.byteLength(raw) },
    {
      type: "call-end",
      index,
      nativeId,
      name,
      input: parseInput(raw),
      raw,
      ...(Object.keys(opaque).length === 1 ? {} : { opaque }),
    },
  )
  return { open: null, next: index + 1, called: true }
}

function addHosted(parts: AnswerParts, name: string, part: Fields, events: StreamEvent[]): AnswerParts {
  const closed = closeWords(parts, null, events)
  const opaque = parseInput(textOfJson(part))
  if (opaque === null) return closed
  events.push({ type: "hosted", index: closed.next, name, opaque })
  return { ...closed, next: closed.next + 1 }
}

/** Empty for what is nested too deep to be written again. */
function textOfJson(value: unknown): string {
  try {
    return JSON.stringify(value as Json)
  } catch {
    // Only a full stack throws here.
    return ""
  }
}
