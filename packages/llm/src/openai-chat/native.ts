/** What a server wants back with its answer: reasoning in its fields, and marks on calls (LL4). */
import type { Json, JsonObject } from "@holdfast/schema/json"
import { isFields } from "../json-fields.ts"

/** Reasoning as it was streamed: in which field, and the details that some keep beside it. */
export interface ReasoningOpaque {
  readonly type: "reasoning"
  readonly field: "reasoning_content" | "reasoning"
  readonly text: string
  readonly details: readonly Json[]
  /** It stood in a recorded request, so its server takes it back. */
  readonly sent?: true
}

export function reasoningOpaque(value: Json): ReasoningOpaque | null {
  if (!isFields(value) || value["type"] !== "reasoning") return null
  const { field, text, details, sent } = value
  if (field !== "reasoning_content" && field !== "reasoning") return null
  if (typeof text !== "string" || !Array.isArray(details)) return null
  if (text === "" && details.length === 0) return null
  const opaque = { type: "reasoning", field, text, details: details as Json[] } as const
  return sent === true ? { ...opaque, sent } : opaque
}

/** Members of a call beside its function, which come back as they were. */
export function callExtra(value: Json): JsonObject | null {
  if (!isFields(value) || value["type"] !== "call" || !isFields(value["extra"])) return null
  return value["extra"] as JsonObject
}
