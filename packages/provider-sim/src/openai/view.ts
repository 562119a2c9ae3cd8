/** View: what the wires without blocks do to show a conversation to a simulated model. */
import { isObject } from "../json.ts"
import type { JsonObject } from "../json.ts"
import { anyObject } from "../answer/sample.ts"
import type { ToolChoice, ViewBlock, ViewImage, ViewMessage } from "../model.ts"

/** Blocks in order of arrival become messages: consecutive ones of one side are one turn. */
export function joinTurns(said: readonly ViewMessage[]): readonly ViewMessage[] {
  const turns: { role: ViewMessage["role"]; blocks: ViewBlock[] }[] = []
  for (const { role, blocks } of said) {
    const last = turns.at(-1)
    if (last?.role === role) last.blocks.push(...blocks)
    else turns.push({ role, blocks: [...blocks] })
  }
  return turns
}

/** The instructions at the head of a conversation, and the rest of it. */
export function splitSystem(messages: readonly ViewMessage[]): {
  readonly system: string
  readonly rest: readonly ViewMessage[]
} {
  const [first, ...rest] = messages
  if (first?.role !== "system") return { system: "", rest: messages }
  const system = first.blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")
  return { system, rest }
}

/** A result; that words like these report a failure is assumed, the wire has no field for it. */
export function resultBlock(id: string, text: string, images: readonly ViewImage[] = []): ViewBlock {
  return { type: "tool_result", id, text, isError: /^\s*(\[?error\b|<error)/i.test(text), images }
}

/** The schema of a form that the answer is asked in. */
export function schemaOfFormat(type: unknown, schema: unknown): JsonObject | undefined {
  if (type === "json_object") return anyObject
  return type === "json_schema" && isObject(schema) ? schema : undefined
}

/** The choice in the words that all models understand; `nameOf` knows where the wire keeps the name. */
export function viewChoice(choice: unknown, nameOf: (choice: JsonObject) => unknown): ToolChoice {
  if (choice === "none" || choice === "auto") return { type: choice }
  if (choice === "required") return { type: "any" }
  const name = isObject(choice) ? nameOf(choice) : undefined
  return typeof name === "string" ? { type: "tool", name } : { type: "auto" }
}
