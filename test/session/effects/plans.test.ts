/** What calls do to files, on record before it happens and settled however the call ends. */
import { hash } from "node:crypto"
import { Effect } from "effect"
import { afterEach, expect, test } from "vitest"
import type { Tool } from "@holdfast/core/tools/index"
import { projectDirectory } from "../../stage/virtual.ts"
import { Stage } from "../harness.ts"

let stage: Stage
afterEach(() => stage.close())

const names = ["a", "b", "c"]
const pathOf = (name: string) => `${projectDirectory}/${name}`
const bytesOf = (text: string) => Buffer.from(text)
const hashOf = (text: string) => hash("sha256", text)

const changeOf = (name: string) =>
  ({
    kind: "modified",
    path: pathOf(name),
    mode: 0o644,
    before: bytesOf(`old ${name}`),
    after: bytesOf(`new ${name}`),
  }) as const

/** Changes three files, one a second, none of them interruptible, as the real tools are. */
const patch: Tool = {
  name: "patch",
  description: "Changes three files.",
  inputSchema: { type: "object", properties: {} },
  repeatable: false,
  run: (_input, { files }) =>
    Effect.uninterruptible(
      Effect.gen(function* () {
        yield* files.plan(names.map(changeOf))
        for (const name of names) {
          yield* Effect.sleep(1_000)
          stage.files.set(pathOf(name), hashOf(`new ${name}`))
          files.changed(changeOf(name))
        }
        return { text: "patched" }
      }),
    ),
}

const reading: Tool = {
  name: "look",
  description: "Reads a file.",
  inputSchema: { type: "object", properties: {} },
  repeatable: true,
  readOnly: true,
  run: (_input, { files }) =>
    Effect.sync(() => {
      stage.journal.push(`known ${files.known(pathOf("a"))?.hash ?? null}`)
      files.saw(pathOf("a"), hashOf("old a"))
      return { text: "read" }
    }),
}

function openWith(tool: Tool) {
  stage = new Stage({ tools: [tool] })
  for (const name of names) stage.files.set(pathOf(name), hashOf(`old ${name}`))
  const session = stage.create()
  const call = () => {
    stage.replies.push({ blocks: [{ type: "tool_use", name: tool.name, input: {} }] })
    return stage.prompt(session, "Go")
  }
  return {
    session,
    call,
    isChanged: (name: string) => stage.files.get(pathOf(name)) === hashOf(`new ${name}`),
  }
}

const effectOf = (name: string) => ({
  path: pathOf(name),
  kind: "modified",
  mode: 0o644,
  before: hashOf(`old ${name}`),
  after: hashOf(`new ${name}`),
})

for (const [count, told] of [
  [0, " By the files as they are now: not changed: a, b, c."],
  [1, " By the files as they are now: changed: a. not changed: b, c."],
  [2, " By the files as they are now: changed: a, b. not changed: c."],
] as const)
  test(`[DR4 TL5] a kill behind ${count} of three files is settled by naming what changed`, () => {
    const { session, call, isChanged } = openWith(patch)
    call()
    stage.until(() => stage.facts(session, "call.planned").length === 1)
    stage.until(() => names.slice(0, count).every(isChanged))
    stage.kill()
    stage.boot()
    stage.settle(session)
    const [settled] = stage.facts(session, "call.settled")
    expect(settled?.outcome).toMatchObject({ state: "interrupted", errorCode: "outcome_unknown" })
    expect(settled?.outcome.output).toBe(
      `Outcome unknown; check before repeating. The process that ran this call ended before the call did.${told}`,
    )
    expect(settled?.effects).toEqual(names.slice(0, count).map(effectOf))
    expect(stage.ask((_, store) => store.window(session))?.state.items.plans.size).toBe(0)
  })

test("[DR4] a file that somebody else changed behind the kill is not taken for this call's", () => {
  const { session, call, isChanged } = openWith(patch)
  call()
  stage.until(() => isChanged("a"))
  stage.kill()
  stage.files.set(pathOf("b"), hashOf("theirs"))
  stage.boot()
  stage.settle(session)
  const [settled] = stage.facts(session, "call.settled")
  expect(settled?.effects).toEqual([effectOf("a")])
  expect(settled?.outcome.output).toContain(
    "changed: a. not changed: c. changed by others or in part, look at it: b.",
  )
})

test("[TL5 DR3] an interrupted call settles with what it has changed all the same", () => {
  const { session, call, isChanged } = openWith(patch)
  call()
  stage.until(() => isChanged("a"))
  stage.ask((runtime) => runtime.interrupt(session))
  stage.settle(session)
  const [settled] = stage.facts(session, "call.settled")
  expect(settled?.outcome.state).toBe("interrupted")
  expect(settled?.effects).toEqual(names.map(effectOf))
})

test("[DR3] a call that is interrupted before its plan is on record changes nothing", () => {
  const slow: Tool = {
    ...patch,
    run: (input, context) =>
      Effect.uninterruptible(Effect.andThen(Effect.sleep(1_000), patch.run(input, context))),
  }
  const { session, call, isChanged } = openWith(slow)
  call()
  stage.until(() => stage.facts(session, "call.started").length === 1)
  stage.ask((runtime) => runtime.interrupt(session))
  stage.settle(session)
  expect(stage.facts(session, "call.planned")).toEqual([])
  expect(names.some(isChanged)).toBe(false)
  const [settled] = stage.facts(session, "call.settled")
  expect(settled).toMatchObject({ outcome: { state: "interrupted" }, effects: [] })
})

test("[TL5] what a Session has read it knows in every process", () => {
  const { session, call } = openWith(reading)
  call()
  stage.settle(session)
  expect(stage.facts(session, "call.settled")[0]?.seen).toEqual([
    { path: pathOf("a"), hash: hashOf("old a") },
  ])
  stage.restart()
  call()
  stage.settle(session)
  expect(stage.journal.filter((line) => line.startsWith("known"))).toEqual([
    "known null",
    `known ${hashOf("old a")}`,
  ])
})
