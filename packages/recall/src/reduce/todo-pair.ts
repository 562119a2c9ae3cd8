/**
 * The todo pair: the list of steps, put before the model again as a call and its result (ND2).
 *
 * Its id follows from what the list says, so that the same list gives the same bytes. It is nobody's call:
 * it has no tag, so nothing can drop it, and nothing runs (HB5).
 */
import { hash } from "node:crypto"
import type { EntryPart } from "@holdfast/llm/segments"
import type { Todo } from "@holdfast/schema/fact/todo"
import type { CallId } from "@holdfast/schema/id"
import type { Json } from "@holdfast/schema/json"

const todoToolName = "todo"

/** Null for what is no list of steps: the answer stands without it (FA2). */
export function todoPair(list: Json): EntryPart | null {
  if (!isTodos(list)) return null
  const id = `call_todo${hash("sha256", JSON.stringify(list)).slice(0, 20)}` as CallId
  const result = todoText(list)
  return { type: "call", call: id, name: todoToolName, input: {}, result, failed: false }
}

const isTodos = (list: Json): list is Json & readonly Todo[] =>
  Array.isArray(list) && list.every((one: Partial<Todo> | null) => typeof one?.content === "string")

export const isOpenTodo = ({ status }: Todo): boolean => status === "pending" || status === "in_progress"

/** The list as a person reads it. */
export function todoText(todos: readonly Todo[]): string {
  if (todos.length === 0) return "(no todos)"
  const open = todos.filter(isOpenTodo).length
  const lines = todos.map(
    ({ content, status }) => `${marks[status]} ${content.replaceAll(/\s+/g, " ").trim()}`,
  )
  return [...lines, `${open} of ${todos.length} open`].join("\n")
}

const marks: Readonly<Record<Todo["status"], string>> = {
  pending: "[ ]",
  in_progress: "[>]",
  completed: "[x]",
  cancelled: "[-]",
}
