/**
 * What the provider wants back with a part of its answer, as it is recorded (LL4).
 *
 * documented: a signature stays on the part it came with; signed parts are not joined with others,
 * and an empty text may be there for its signature alone.
 */
import type { Json } from "@holdfast/schema/json"
import { type Fields, fieldsOf, isFields } from "../json-fields.ts"
import { isBlank } from "../request/runtime-words.ts"

/** Reasoning: a thought as it was told, or a signature that came by itself. */
export type ThoughtOpaque =
  | { readonly type: "thought"; readonly text: string; readonly thoughtSignature?: string }
  | { readonly type: "signature"; readonly thoughtSignature: string }

export interface CallOpaque {
  readonly id?: string
  readonly thoughtSignature?: string
}

export function thoughtOpaque(value: Json): ThoughtOpaque | null {
  if (!isFields(value)) return null
  const signature = signatureOf(value)
  if (value["type"] === "signature") {
    return signature === null ? null : { type: "signature", thoughtSignature: signature }
  }
  const text = value["text"]
  if (value["type"] !== "thought" || typeof text !== "string") return null
  // A blank is only worth its signature.
  if (isBlank(text) && signature === null) return null
  return { type: "thought", text, ...(signature === null ? {} : { thoughtSignature: signature }) }
}

export const textSignature = (value: Json): string | null =>
  isFields(value) && value["type"] === "text" ? signatureOf(value) : null

export function callOpaque(value: Json): CallOpaque {
  if (!isFields(value) || value["type"] !== "call") return {}
  const { id } = value
  const signature = signatureOf(value)
  return {
    ...(typeof id === "string" && id !== "" ? { id } : {}),
    ...(signature === null ? {} : { thoughtSignature: signature }),
  }
}

/** A signature is a text that says something. */
export function signatureOf(fields: Fields): string | null {
  const signature = fields["thoughtSignature"]
  return typeof signature === "string" && signature !== "" ? signature : null
}

/** Parts in which the provider tells of its own tools: what it did, and what came of it (LL8). */
const hostedMembers = {
  executableCode: "does",
  codeExecutionResult: "tells",
  toolCall: "does",
  toolResponse: "tells",
} as const

type HostedMember = keyof typeof hostedMembers

export function hostedMember(part: Fields): HostedMember | null {
  const found = Object.keys(hostedMembers).find((member) => isFields(part[member]))
  return (found as HostedMember | undefined) ?? null
}

export interface HostedOpaque {
  /** `code` or `tool`: what was done and what came of it are of one kind. */
  readonly kind: string
  readonly side: "does" | "tells"
}

export function hostedOpaque(value: Json): HostedOpaque | null {
  const member = hostedMember(fieldsOf(value))
  if (member === null) return null
  return { kind: member.startsWith("tool") ? "tool" : "code", side: hostedMembers[member] }
}
