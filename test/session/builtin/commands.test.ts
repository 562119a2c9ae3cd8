/** Background commands: on record, beside turns, ended with their runtime, told once. */
import { Effect } from "effect"
import { afterEach, expect, test } from "vitest"
import { bashKillTool, bashOutputTool, type Tool } from "@holdfast/core/tools/index"
import type { SessionId } from "@holdfast/schema/id"
import { Stage } from "../harness.ts"

let stage: Stage
afterEach(() => stage.close())

/** Starts a command of virtual time, as bash does one of real processes. */
const launchTool = (ms: number): Tool => ({
  name: "launch",
  description: "Starts a command.",
  inputSchema: { type: "object", properties: {} },
  repeatable: false,
  run: (_, { callId, commands }) => {
    const id = `cmd_${callId.slice(-8)}`
    const run = Effect.sleep(ms).pipe(
      Effect.as({ exitCode: 3, said: "exit code 3" }),
      Effect.onInterrupt(() => Effect.sync(() => void stage.journal.push(`ended ${id}`))),
    )
    const takeOutput = () => ({ text: "tick\n", omitted: { lines: 0, bytes: 0 } })
    const command = { id, line: "make all", outputFile: null, run, takeOutput }
    return Effect.as(commands?.start(command) ?? Effect.die("none"), { text: id })
  },
})

const call = (name: string, input: Record<string, string> = {}) =>
  ({ blocks: [{ type: "tool_use", name, input }] }) as const

function open(ms = 10_000): { readonly session: SessionId; readonly id: string } {
  stage = new Stage({ tools: [launchTool(ms), bashOutputTool, bashKillTool] })
  const session = stage.create()
  stage.replies.push(call("launch"))
  expect(stage.converse(session, "Start it")).toEqual({ kind: "done" })
  const [started] = stage.facts(session, "command.started")
  return { session, id: started?.command ?? "" }
}

const notice = (id: string, how: string) =>
  `user: <notice from="runtime">\nThe background command ${id} has ended: ${how}. It was: make all.\n</notice>`
const told = (session: SessionId, more = "More") => {
  stage.converse(session, more)
  return stage.sent.at(-1)?.lines ?? []
}
const killed = "it was ended on request, with all that it had started"
const runtimeEnded = "the process of Holdfast that ran it has ended, and all commands end with it"

test("[TL3 PR7] a command survives its turn, and its end is told once, at the next boundary, without a wake", () => {
  const { session, id } = open()
  expect(stage.status(session)).toMatchObject({ state: "idle", pending: 0 })
  stage.pass(60_000)
  expect(stage.sent).toHaveLength(2)
  expect(stage.facts(session, "command.ended")).toEqual([
    { type: "command.ended", command: id, cause: "exited", exitCode: 3 },
  ])
  expect(stage.status(session)).toMatchObject({ state: "idle", pending: 0, owing: false })
  expect(told(session).filter((line) => line.includes(id))).toContain(notice(id, "exit code 3"))
  expect(stage.facts(session, "notice.admitted")).toHaveLength(1)
  expect(stage.facts(session, "notice.promoted")).toHaveLength(1)
  expect(new Set(stage.verdicts(session))).toEqual(new Set(["same"]))
})

test("[DR8] looks at a command that runs are no loop, and show what is new", () => {
  const { session, id } = open(3_600_000)
  stage.replies.push(...Array.from({ length: 9 }, () => call("bash_output", { id })))
  expect(stage.converse(session, "Watch it")).toEqual({ kind: "done" })
  const looks = stage.facts(session, "call.settled").slice(1)
  expect(looks).toHaveLength(9)
  expect(looks.every(({ outcome }) => outcome.stillRunning === true)).toBe(true)
  expect(looks.at(-1)?.outcome.output).toBe("tick\n[still running]")
})

test("[TL3] a command is listed, ended by its id, and another id is refused with a hint", () => {
  const { session, id } = open(3_600_000)
  stage.replies.push(
    call("bash_output"),
    call("bash_kill", { id: `${id}x` }),
    call("bash_kill", { id }),
    call("bash_output"),
  )
  stage.converse(session, "End it")
  const outputs = stage
    .facts(session, "call.settled")
    .slice(1)
    .map(({ outcome }) => outcome.output)
  expect(outputs).toEqual([
    `${id}  running  make all`,
    `There is no background command ${id}x in this process. Did you mean ${id}?`,
    `Ended ${id}.`,
    `${id}  ended (${killed})  make all`,
  ])
  expect(stage.journal).toContain(`ended ${id}`)
  expect(stage.facts(session, "command.ended")).toMatchObject([{ cause: "killed", exitCode: null }])
})

test("[DR3 TL3] an interrupt ends a command, from whatever process it comes", () => {
  const { session, id } = open(3_600_000)
  stage.boot()
  stage.ask((runtime) => runtime.interrupt(session))
  stage.pass(5_000)
  expect(stage.journal).toContain(`ended ${id}`)
  expect(stage.facts(session, "command.ended")).toMatchObject([{ command: id, cause: "killed" }])
  expect(told(session)).toContain(notice(id, killed))
})

test("[TL3] an interrupt that came before its start ends no command", () => {
  const { session, id } = open(3_600_000)
  stage.ask((runtime) => runtime.interrupt(session))
  stage.pass(5_000)
  stage.replies.push(call("launch"))
  stage.converse(session, "Again")
  stage.pass(5_000)
  expect(stage.facts(session, "command.ended").map(({ command }) => command)).toEqual([id])
})

test("[TL3] deletion of the Session ends a command", () => {
  const { session, id } = open(3_600_000)
  stage.ask((runtime) => runtime.remove(session))
  stage.pass(5_000)
  expect(stage.journal).toContain(`ended ${id}`)
})

test("[DR4 TL3] a command that was killed with its runtime is told so, once", () => {
  const { session, id } = open(3_600_000)
  const { call: callId } = stage.facts(session, "command.started")[0] ?? {}
  stage.kill()
  stage.boot()
  expect(told(session)).toContain(notice(id, runtimeEnded))
  expect(stage.endedCalls).toContain(callId)
  stage.restart()
  told(session, "Again")
  expect(stage.facts(session, "notice.admitted")).toHaveLength(1)
  expect(stage.facts(session, "command.ended")).toMatchObject([{ cause: "runtime-ended" }])
})

test("[DR4 TL3] a kill between the notice and the end of a command tells it once", () => {
  const { session, id } = open(10_000)
  stage.refuses = (command) => command.kind === "contribute" && command.fact.type === "command.ended"
  stage.pass(11_000)
  expect(stage.facts(session, "notice.admitted")).toHaveLength(1)
  stage.kill()
  stage.refuses = () => false
  stage.boot()
  expect(told(session)).toContain(notice(id, "exit code 3"))
  expect(stage.facts(session, "notice.admitted")).toHaveLength(1)
  expect(stage.facts(session, "command.ended")).toHaveLength(1)
})

test("[TL3] a runtime that closes in good order ends its commands and says so", () => {
  const { session, id } = open(3_600_000)
  stage.restart()
  expect(stage.journal).toContain(`ended ${id}`)
  expect(stage.facts(session, "command.ended")).toMatchObject([{ cause: "runtime-ended" }])
  expect(told(session)).toContain(notice(id, runtimeEnded))
})

test("[TL3] another process leaves a command of a living one alone", () => {
  const { session, id } = open(3_600_000)
  stage.boot()
  stage.replies.push(call("bash_output"), call("bash_kill", { id }))
  stage.converse(session, "Look")
  const [, list, kill] = stage.facts(session, "call.settled").map(({ outcome }) => outcome)
  expect(list?.output).toBe(`${id}  runs in another process of Holdfast`)
  expect(kill).toMatchObject({ state: "failed", errorCode: "runs_elsewhere" })
  expect(stage.facts(session, "command.ended")).toEqual([])
})

test("[TL3] a Session has eight at most, and the next is refused", () => {
  const { session } = open(3_600_000)
  stage.replies.push(...Array.from({ length: 8 }, () => call("launch")))
  stage.converse(session, "More")
  expect(stage.facts(session, "command.started")).toHaveLength(8)
  expect(stage.facts(session, "call.settled").at(-1)?.outcome).toMatchObject({
    errorCode: "too_many_commands",
  })
})
