/** What the provider wants back with its reasoning, as it is recorded (LL4). */
import type { Json, JsonObject } from "@holdfast/schema/json"
import { type Fields, isFields } from "../json-fields.ts"

/** Reasoning of a model that signs nothing is kept for whoever reads it later, and not repeated. */
export type ReasoningOpaque =
  | { readonly type: "reasoning"; readonly text: string; readonly signature?: string }
  | { readonly type: "redacted"; readonly data: string }

/** What can be repeated: signed or sealed; anything else was never whole, or is not wanted back. */
export function repeatable(value: Json): ReasoningOpaque | null {
  if (!isFields(value)) return null
  const { type, text, signature, data } = value
  if (type === "redacted") return typeof data === "string" && data !== "" ? { type, data } : null
  if (type !== "reasoning" || typeof text !== "string") return null
  return typeof signature === "string" && signature !== "" ? { type, text, signature } : null
}

/** documented: what the provider's own tools do and tell is marked as such (LL8). */
export const isHostedUse = (use: Fields): boolean => use["type"] === "server_tool_use"

export interface HostedOpaque {
  readonly block: JsonObject
  readonly id: string
  readonly side: "does" | "tells"
}

export function hostedOpaque(value: Json): HostedOpaque | null {
  if (!isFields(value)) return null
  const { toolUse, toolResult } = value
  const block = value as JsonObject
  if (isFields(toolUse) && isHostedUse(toolUse) && typeof toolUse["toolUseId"] === "string") {
    return { block, id: toolUse["toolUseId"], side: "does" }
  }
  if (isFields(toolResult) && typeof toolResult["toolUseId"] === "string") {
    return { block, id: toolResult["toolUseId"], side: "tells" }
  }
  return null
}
