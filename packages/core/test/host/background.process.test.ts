/** Background commands as real processes, by a model that follows a script. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import type { Json } from "@holdfast/schema/json"
import { expect, test } from "vitest"
import { scripted, textReply } from "../../../provider-sim/src/index.ts"
import { callProcesses } from "../../src/tools/index.ts"
import { makePlace } from "./place.ts"

interface Asked {
  readonly name: string
  readonly input: Record<string, Json>
}

/** Calls one tool after another; each is made from the output of the one before. */
const caller = (...steps: readonly ((last: string) => Asked)[]) =>
  scripted(({ messages }) => {
    const results = messages.flatMap(({ blocks }) => blocks.filter((block) => block.type === "tool_result"))
    const next = steps[results.length]
    const last = results.at(-1)
    const said = last?.type === "tool_result" ? last.text : ""
    return next === undefined ? textReply(said) : { blocks: [{ type: "tool_use", ...next(said) }] }
  })

const idIn = (said: string): string => /cmd_\w+/.exec(said)?.[0] ?? ""

test("[TL3 TO3] a command runs on behind its turn, is looked at, and ends when it is told to", async () => {
  const command = "echo ready; env | grep -c SECRET; exec sleep 600"
  const agent = caller(
    () => ({ name: "bash", input: { command, background: true } }),
    (said) => ({
      name: "bash",
      input: {
        command: `until [ "$(wc -l < ${/\S+\.txt/.exec(said)?.[0]})" = 2 ]; do sleep 0.05; done; echo ${idIn(said)}`,
      },
    }),
    (said) => ({ name: "bash_output", input: { id: idIn(said) } }),
    () => ({ name: "bash_output", input: {} }),
    (said) => ({ name: "bash_kill", input: { id: idIn(said) } }),
  )
  await using place = await makePlace(agent)
  const events = await place.use(
    (host) =>
      Effect.gen(function* () {
        const { id } = yield* host.create({ directory: place.project })
        yield* host.prompt({ sessionID: id, text: "Start it." })
        yield* host.result(id)
        return yield* host.events(id, 0, 1_000, false)
      }),
    ["bash"],
  )
  const facts = events.map(({ fact }) => fact)
  const outputs = facts.flatMap((fact) => (fact.type === "call.settled" ? [fact.outcome.output] : []))
  const started = facts.find((fact) => fact.type === "command.started")
  expect(outputs[0]).toMatch(
    /^Started in the background as cmd_\w{8}\. All of its output goes to the file \S+\.txt\./,
  )
  expect(outputs[2]).toMatch(/^ready\n0\n\[still running; all of its output is in the file /)
  expect(outputs[3]).toMatch(/^cmd_\w{8} {2}running {2}echo ready; env/)
  expect(outputs[4]).toMatch(/^Ended cmd_\w{8}\.$/)
  expect(started).not.toHaveProperty("runtime")
  expect(await readFile(started?.outputFile ?? "", "utf8")).toBe("ready\n0\n")
  expect(await Effect.runPromise(callProcesses(started?.call ?? ""))).toEqual([])
  expect(facts.filter((fact) => fact.type === "command.ended")).toMatchObject([{ cause: "killed" }])
})

test("[TL3] a command ends with its runtime, and the next one says so", async () => {
  const agent = caller(() => ({
    name: "bash",
    input: { command: "sleep 600 & sleep 600", background: true },
  }))
  await using place = await makePlace(agent)
  const { id, call } = await place.use(
    (host) =>
      Effect.gen(function* () {
        const session = yield* host.create({ directory: place.project })
        yield* host.prompt({ sessionID: session.id, text: "Start it." })
        yield* host.result(session.id)
        const events = yield* host.events(session.id, 0, 1_000, false)
        const started = events.flatMap(({ fact }) => (fact.type === "command.started" ? [fact] : []))
        return { id: session.id, call: started[0]?.call ?? "" }
      }),
    ["bash"],
  )
  expect(await Effect.runPromise(callProcesses(call))).toEqual([])
  const notices = await place.use(
    (host) =>
      Effect.gen(function* () {
        yield* host.prompt({ sessionID: id, text: "Go on." })
        yield* host.result(id)
        const messages = yield* host.messages(id, { afterSeq: 0, limit: 100 })
        return messages.flatMap((message) => (message.kind === "notice" ? [message.text] : []))
      }),
    ["bash"],
  )
  expect(notices).toHaveLength(1)
  expect(notices[0]).toMatch(
    /^The background command cmd_\w{8} has ended: the process of Holdfast that ran it/,
  )
  expect(notices[0]).toContain(join("tool-output", id))
})
