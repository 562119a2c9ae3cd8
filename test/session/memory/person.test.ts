/** What a person said, in whole runtimes: an agent is told that it cannot turn it round, and no model changes it. */
import { afterEach, expect, test } from "vitest"
import { memoryTool } from "@holdfast/core/tools/index"
import type { SessionId } from "@holdfast/schema/id"
import { projectDirectory } from "../../stage/virtual.ts"
import { Stage } from "../harness.ts"

let stage: Stage
afterEach(() => stage.close())

const location = { directory: projectDirectory, projectRoot: projectDirectory }
const category = "PROJECT_RULES"

const calls = (session: SessionId, input: Record<string, unknown>): string => {
  stage.replies.push({ blocks: [{ type: "tool_use", name: "context_memory", input: input as never }] })
  stage.converse(session, "Remember it.")
  return stage.facts(session, "call.settled").at(-1)?.outcome.output ?? ""
}
const says = (text: string) =>
  stage.ask((runtime) =>
    runtime.changeMemory(location, { change: "write", category, text, expiresAt: null, supersedes: [] }),
  )
const active = () =>
  stage
    .ask((_, store) => store.memories(projectDirectory, { status: "active", limit: 9 }))
    .memories.map(({ id, text, source }) => [id, text, source.wordsOf ?? source.by])

test("[MM1 TL4] an agent that turns a person's rule round is told which it is, what it says and who changes it", () => {
  stage = new Stage({ tools: [memoryTool] })
  const session = stage.create()
  says("Use tabs.")
  const refused =
    'm1 is a rule of a person: "Use tabs." Only a person turns it round, with holdfast memory edit m1. Nothing was changed.'
  expect(calls(session, { action: "write", content: "Never use tabs.", category })).toContain(refused)
  expect(calls(session, { action: "update", ids: ["m1"], content: "Never use tabs." })).toContain(refused)
  expect(active()).toEqual([["m1", "Use tabs.", "person"]])
  expect(calls(session, { action: "archive", ids: ["m1"], reason: "The user said so." })).toContain(
    "Archived",
  )
  expect(active()).toEqual([])
})

test("[DM1 MM1] what a person said stays theirs for the dreamer when an agent gives it another category", () => {
  stage = new Stage({ tools: [memoryTool], dreamer: { tasks: ["archive-stale"] } })
  const session = stage.create()
  says("Use tabs.")
  calls(session, { action: "update", ids: ["m1"], category: "CONSTRAINTS" })
  calls(session, { action: "write", content: "The demo is on Friday.", category })
  const answer = JSON.stringify({ archive: [{ id: "m1", reason: "old" }] })
  stage.dreamerReply = () => ({ blocks: [{ type: "text", text: answer }] })
  const { tasks } = stage.ask((runtime) => runtime.dreams.run({ location, by: "person" }))
  expect(tasks.at(-1)).toMatchObject({
    task: "archive-stale",
    changes: 0,
    refused: 1,
    reason: "of what a person said, which no model changes",
  })
  expect(active()).toEqual([
    ["m1", "Use tabs.", "person"],
    ["m3", "The demo is on Friday.", "agent"],
  ])
})

test("[DM1 MM1] what the dreamer says against a rule of a person is left out, and counted", () => {
  stage = new Stage({ tools: [memoryTool], dreamer: { tasks: ["improve"] } })
  says("Use tabs.")
  calls(stage.create(), { action: "write", content: "Tabs are never to be used.", category })
  const update = [
    { id: "m2", text: "Never use tabs." },
    { id: "m1", text: "Tabs." },
  ]
  stage.dreamerReply = () => ({ blocks: [{ type: "text", text: JSON.stringify({ update }) }] })
  const { tasks } = stage.ask((runtime) => runtime.dreams.run({ location, by: "person" }))
  expect(tasks.at(-1)).toMatchObject({
    changes: 0,
    refused: 2,
    reason:
      "1 of what a person said, which no model changes, the others beyond what one run may do, or no longer possible",
  })
  expect(active()).toEqual([
    ["m1", "Use tabs.", "person"],
    ["m2", "Tabs are never to be used.", "agent"],
  ])
})
