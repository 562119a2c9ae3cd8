/** What is told of a memory whose time is over, or whose Session is gone. */
import { afterEach, expect, test } from "vitest"
import { memoryTool } from "@holdfast/core/tools/index"
import { projectDirectory } from "../../stage/virtual.ts"
import { Stage } from "../harness.ts"

let stage: Stage
afterEach(() => stage.close())

const location = { directory: projectDirectory, projectRoot: projectDirectory }

test("[MM1 SE1] a memory that has expired is not found by a search", () => {
  stage = new Stage()
  const expiresAt = stage.world.nowMs + 1_000
  const change = { change: "write", category: "NAMING", supersedes: [] } as const
  for (const [text, until] of [
    ["The purple walrus holds for good.", null],
    ["The purple walrus holds for a second.", expiresAt],
  ] as const)
    stage.ask((runtime) => runtime.changeMemory(location, { ...change, text, expiresAt: until }))
  const found = () =>
    stage.ask((runtime) => runtime.search({ text: "purple walrus", projectRoot: projectDirectory })).also
  expect(found()).toHaveLength(2)
  stage.pass(1_001)
  expect(found()).toMatchObject([{ kind: "memory", text: "The purple walrus holds for good." }])
})

test("[MM1] a memory names the Session that it came from, and says so where that was deleted", () => {
  stage = new Stage({ tools: [memoryTool] })
  const session = stage.create()
  const input = { action: "write", content: "Use tabs.", category: "NAMING" }
  stage.replies.push({ blocks: [{ type: "tool_use", name: "context_memory", input }] })
  stage.converse(session, "Remember that.")
  const [memory] = stage.ask((runtime) => runtime.memories(location, { limit: 9 }))
  const place = () =>
    stage.ask((runtime) => runtime.memoryDetail(location, memory?.id ?? "")).history[0]?.place
  expect(place()).toMatchObject({ session, exists: true })
  stage.ask((runtime) => runtime.remove(session))
  expect(place()).toEqual({ session, title: null, exists: false, messages: [] })
})
