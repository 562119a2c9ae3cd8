/**
 * What the provider wants back with a part of its answer, as it is recorded (LL4).
 *
 * A message has an id, a phase and the sources that it cites, a call an id, and reasoning is an item of its own: its id, its
 * summary and what the provider sealed. Item ids are bound to each other: a call or message whose
 * reasoning is missing is refused if it names itself by id.
 */
import type { Json, JsonObject } from "@holdfast/schema/json"
import { isFields, listOf, nameSet, textOf } from "../json-fields.ts"

export interface TextOpaque {
  readonly id?: string
  readonly phase?: string
  /** What the text cites; never empty (LL8). */
  readonly annotations?: readonly Json[]
  /** The provider kept the text as words with which the model declined. */
  readonly refusal?: true
}

export interface CallOpaque {
  readonly id: string
}

export function textOpaque(value: Json): TextOpaque | null {
  if (!isFields(value) || value["type"] !== "message") return null
  const { id, phase, refusal } = value
  const annotations = listOf(value["annotations"]) as readonly Json[]
  const found: TextOpaque = {
    ...(typeof id === "string" && id !== "" ? { id } : {}),
    ...(typeof phase === "string" && phase !== "" ? { phase } : {}),
    ...(annotations.length === 0 ? {} : { annotations }),
    ...(refusal === true ? { refusal } : {}),
  }
  return Object.keys(found).length === 0 ? null : found
}

export function callOpaque(value: Json): CallOpaque | null {
  if (!isFields(value) || value["type"] !== "function_call") return null
  const { id } = value
  return typeof id === "string" && id !== "" ? { id } : null
}

/** Nothing is stored with the provider, so reasoning without its content cannot be found again. */
export function reasoningOpaque(value: Json): JsonObject | null {
  if (!isFields(value) || value["type"] !== "reasoning") return null
  const sealed = value["encrypted_content"]
  const open = value["content"]
  const whole = (typeof sealed === "string" && sealed !== "") || (Array.isArray(open) && open.length > 0)
  return whole && Array.isArray(value["summary"]) ? (value as JsonObject) : null
}

/** Items that wait for an output of ours, which this runtime never asks for. */
const clientItems: ReadonlySet<string> = nameSet(
  "custom_tool_call local_shell_call shell_call apply_patch_call computer_call mcp_approval_request",
  "tool_search_call",
)

/** Whether an item tells of something that the provider did by itself, and goes back as it came (LL8). */
export const isHostedItem = (type: string): boolean =>
  type !== "" &&
  type !== "message" &&
  type !== "reasoning" &&
  type !== "function_call" &&
  !type.endsWith("_output") &&
  !clientItems.has(type)

export const hostedOpaque = (value: Json): JsonObject | null =>
  isFields(value) && isHostedItem(textOf(value["type"])) ? value : null
