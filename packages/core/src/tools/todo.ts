/**
 * todo: the model's list of steps, kept with the Session (TL1).
 *
 * The list is read and replaced as a whole. A new one stands in the settlement of the call, so that the
 * newest is derived from the log: after a restart, in a fork, and behind any cut of what the model sees.
 */
import { Effect, Schema } from "effect"
import { todoText } from "@holdfast/recall"
import { Todo } from "@holdfast/schema/fact/todo"
import { type ToolContext, ToolFailure, type ToolResult, defineTool } from "./tool.ts"

const todosMax = 100
const contentUnitsMax = 500

const Input = Schema.Struct({
  todos: Schema.optionalKey(Schema.Array(Todo).check(Schema.isMaxLength(todosMax))),
})

export const todoTool = defineTool({
  name: "todo",
  description:
    "Keeps the list of steps of a longer task. With todos it replaces the whole list, without it shows the list. Keep exactly one step in_progress while you work, and set each to completed when it is done.",
  inputSchema: {
    type: "object",
    properties: {
      todos: {
        type: "array",
        maxItems: 100,
        description: "The whole new list, in order; an empty one takes it away.",
        items: {
          type: "object",
          properties: {
            content: {
              type: "string",
              minLength: 1,
              maxLength: 500,
              description: "The step, in a few words.",
            },
            status: { type: "string", enum: ["pending", "in_progress", "completed", "cancelled"] },
          },
          required: ["content", "status"],
          additionalProperties: false,
        },
      },
    },
    required: [],
    additionalProperties: false,
  },
  repeatable: true,
  input: Input,
  run: ({ todos }, context) => (todos === undefined ? Effect.sync(() => showList(context)) : keepList(todos)),
})

const showList = ({ todos = () => [] }: ToolContext): ToolResult => {
  const list = todos()
  return { text: todoText(list), structured: { todos: list } }
}

function keepList(todos: readonly Todo[]): Effect.Effect<ToolResult, ToolFailure> {
  const wrong = todos.findIndex(({ content }) => content.trim() === "" || content.length > contentUnitsMax)
  if (wrong === -1) return Effect.succeed({ text: todoText(todos), structured: { todos }, todos })
  const message = `todos[${wrong}].content must have 1 to ${contentUnitsMax} characters. The list is as it was.`
  return Effect.fail(new ToolFailure({ code: "invalid_input", message }))
}
