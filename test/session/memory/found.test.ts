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

test("[PS1 PS3 HB2 HB3] a memory that expires between two passes changes no byte of them; the next Fold leaves it out", () => {
  const lifetimeMs = 120_000
  stage = new Stage({ contextTokens: 20_000 })
  const change = { change: "write", category: "NAMING", supersedes: [] } as const
  const expiresAt = stage.world.nowMs + lifetimeMs
  stage.ask((runtime) =>
    runtime.changeMemory(location, { ...change, text: "The walrus is purple.", expiresAt }),
  )
  const session = stage.create()
  stage.converse(session, "Hello.")
  stage.pass(lifetimeMs + 1)
  stage.converse(session, "And now?")
  expect(stage.turns(session).at(-1)?.started).toMatchObject({ pass: "hold", break: null })
  expect(stage.sent.at(-1)?.raw).toContain("The walrus is purple.")
  const [first, second] = stage.sent.slice(-2).map(({ lines, system }) => ({ lines, system }))
  expect(second?.system).toEqual(first?.system)
  expect(second?.lines.slice(0, first?.lines.length)).toEqual(first?.lines)
  for (let n = 0; stage.turns(session).at(-1)?.started.pass !== "fold" && n < 8; n++)
    stage.converse(session, `Prompt ${n} ${"word ".repeat(2_800)}`)
  expect(stage.turns(session).at(-1)?.started.pass).toBe("fold")
  expect(stage.sent.at(-1)?.raw).not.toContain("The walrus is purple.")
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
