/** The list of steps: kept with the Session, derived from its log. */
import { afterEach, expect, test } from "vitest"
import { todoTool } from "@holdfast/core/tools/index"
import type { SessionId } from "@holdfast/schema/id"
import { Stage } from "../harness.ts"

let stage: Stage
afterEach(() => stage.close())

const call = (input: { readonly todos?: readonly { readonly content: string; readonly status: string }[] }) =>
  ({ blocks: [{ type: "tool_use", name: "todo", input }] }) as const
const steps = [
  { content: "Read the code", status: "completed" },
  { content: "Mend it", status: "in_progress" },
  { content: "Test it", status: "pending" },
]
const shown = "[x] Read the code\n[>] Mend it\n[ ] Test it\n2 of 3 open"

const told = (session: SessionId, input: Parameters<typeof call>[0]) => {
  stage.replies.push(call(input))
  stage.converse(session, "Go on")
  return stage.facts(session, "call.settled").at(-1)?.outcome
}

test("[TL1] the list is replaced as a whole and shown again, after a restart, a cut and in a fork", () => {
  stage = new Stage({ tools: [todoTool] })
  const session = stage.create()
  expect(told(session, {})?.output).toBe("(no todos)")
  expect(told(session, { todos: [{ content: "First", status: "pending" }] })?.output).toBe(
    "[ ] First\n1 of 1 open",
  )
  expect(told(session, { todos: steps })).toMatchObject({ output: shown, structured: { todos: steps } })
  stage.restart()
  expect(told(session, {})?.output).toBe(shown)
  const fork = stage.ask((runtime) => runtime.fork({ sessionID: session })).id
  stage.ask((runtime) => runtime.fold(session))
  stage.restart()
  for (const id of [session, fork]) expect(told(id, {})?.output).toBe(shown)
  expect(told(session, { todos: [] })?.output).toBe("(no todos)")
  expect(told(fork, {})?.output).toBe(shown)
})

test("[TL1] a list that does not fit leaves the old one, and says what is wrong", () => {
  stage = new Stage({ tools: [todoTool] })
  const session = stage.create()
  told(session, { todos: steps })
  expect(told(session, { todos: [{ content: " ", status: "pending" }] })).toMatchObject({
    state: "failed",
    output: "todos[0].content must have 1 to 500 characters. The list is as it was.",
  })
  expect(told(session, {})?.output).toBe(shown)
})
