/** What the provider wants back with its reasoning, as it is recorded (LL4). */
import type { Json } from "@holdfast/schema/json"
import { type Fields, fieldsOf, isFields } from "../json-fields.ts"
import type { HostedSide } from "../request/lowering.ts"

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

export function hostedSide(value: Json): HostedSide | null {
  const { toolUse, toolResult } = fieldsOf(value)
  const use = fieldsOf(toolUse)
  if (isHostedUse(use) && typeof use["toolUseId"] === "string") return { id: use["toolUseId"], side: "does" }
  const { toolUseId: id } = fieldsOf(toolResult)
  return typeof id === "string" ? { id, side: "tells" } : null
}
