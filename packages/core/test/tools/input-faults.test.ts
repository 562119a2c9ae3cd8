import { Effect } from "effect"
import { expect, test } from "vitest"
import type { Json } from "@holdfast/schema/json"
import { createToolRegistry, readTool, todoTool } from "../../src/tools/index.ts"

const registry = createToolRegistry([readTool, todoTool])
const settle = (name: string, input: Json) =>
  Effect.runPromise(registry.settle({ callId: "call_1", name, input }, { directory: "." }))

test.each<readonly [string, Json, readonly string[]]>([
  ["read", { pth: "a" }, ['There is no field "pth". Did you mean "path"?', '"path" is missing.']],
  ["read", { path: "a", zzzzzz: 1 }, ['There is no field "zzzzzz". The fields are: path, offset, limit.']],
  ["read", { path: "" }, ['"path" must be a text that is not empty, not "".']],
  ["read", { path: "a", limit: "five" }, ['"limit" must be a whole number of at least 1, not "five".']],
  ["read", { path: "a", limit: 0.5 }, ['"limit" must be a whole number of at least 1, not 0.5.']],
  ["read", "a", ['The input must be an object, not "a".']],
  ["read", null, ["The input must be an object, not null."]],
  [
    "todo",
    {
      todos: [
        { content: "a", status: "done" },
        { contents: "b", status: "pending" },
      ],
    },
    [
      '"todos[0].status" must be one of "pending", "in_progress", "completed", "cancelled", not "done".',
      'There is no field "todos[1].contents". Did you mean "content"?',
      '"todos[1].content" is missing.',
    ],
  ],
])("[TL1] %s of %j says what is wrong", async (name, input, faults) => {
  const { output, errorCode } = await settle(name, input)
  expect(errorCode).toBe("invalid_input")
  expect(output.split("\n")).toEqual([
    `The input does not fit the tool "${name}", so nothing was done. Correct it and call again.`,
    ...faults,
  ])
})

test("[TL1] a tool that there is not is answered with the nearest name", async () => {
  const { output, errorCode } = await settle("Reed", {})
  expect(errorCode).toBe("unknown_tool")
  expect(output).toBe('There is no tool named "Reed". Did you mean "read"? The tools are: read, todo.')
})
