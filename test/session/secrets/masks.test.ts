import { Effect } from "effect"
import { afterEach, expect, test } from "vitest"
import { type Tool, ToolFailure } from "@holdfast/core/tools/index"
import type { Json, JsonObject } from "@holdfast/schema/json"
import { Stage, type StageOptions } from "../harness.ts"

let stage: Stage
const open = (options: StageOptions = {}) => (stage = new Stage(options))
afterEach(() => stage.close())

/** Shaped like a token of GitHub; nobody gave it out. */
const secret = `ghp_${"aB3dE5gH7jK9".repeat(3)}`
const token = /⟦secret:github:[0-9a-f]{8}⟧/

const tool = (run: Tool["run"]): Tool => ({
  name: "work",
  description: "Does work.",
  inputSchema: { type: "object", properties: {} },
  repeatable: false,
  run,
})

const callOf = (input: JsonObject) => ({
  blocks: [{ type: "tool_use" as const, name: "work", input }],
})

/** Everything that the store holds of a Session. */
const stored = (session: ReturnType<Stage["create"]>): string =>
  JSON.stringify([stage.events(session), stage.messages(session)])

const settledCall = (session: ReturnType<Stage["create"]>) => stage.facts(session, "call.settled")[0]?.outcome

test("[AU1] stores and sends a prompt with a mask in the place of a secret", () => {
  open()
  const session = stage.create()
  stage.converse(session, `Use ${secret} for it`)
  expect(stored(session)).not.toContain(secret)
  expect(stage.facts(session, "prompt.admitted")[0]?.text).toMatch(/^Use ⟦secret:github:[0-9a-f]{8}⟧ for it$/)
  expect(stage.sent.at(-1)?.lines.join()).toMatch(token)
  stage.prompt(session, "Wait", { id: "p1", resume: false })
  stage.ask((runtime) => runtime.edit(session, "p1", `Now ${secret}`))
  expect(stage.facts(session, "prompt.edited")[0]?.text).toMatch(token)
})

test("[PR2] knows a masked prompt again by what was given, and another secret in it as another prompt", () => {
  open()
  const session = stage.create()
  const send = (text: string) => stage.prompt(session, text, { id: "p1", resume: false })
  const first = send(`Use ${secret}`)
  expect(send(`Use ${secret}`)).toEqual(first)
  const masked = stage.facts(session, "prompt.admitted")[0]?.text ?? ""
  for (const text of [masked, `Use ${secret.replace("aB3", "aB4")}`]) {
    const failure = stage.failure((runtime) => runtime.prompt({ sessionID: session, text, id: "p1" }))
    expect(failure).toMatchObject({ _tag: "PromptConflict" })
  }
})

test("[PR2] tells no reader the hash by which a masked prompt is known", () => {
  open()
  const session = stage.create()
  stage.prompt(session, `Use ${secret}`, { id: "p1", resume: false })
  expect(stage.facts(session, "prompt.admitted")[0]?.given).toMatch(/^[0-9a-f]{64}$/)
  const told = stage.ask((runtime) => runtime.events(session, 0, 100, false))
  expect(JSON.stringify(told)).not.toContain("given")
})

test("[AU1] masks a notice", () => {
  open()
  const session = stage.create()
  stage.ask((runtime) =>
    runtime.contribute(session, {
      type: "notice.admitted",
      notice: "ntc_1" as never,
      source: { kind: "command", id: "cmd_1" },
      text: `It printed ${secret}.`,
      delivery: "queue",
      wakes: false,
    }),
  )
  expect(stage.facts(session, "notice.admitted")[0]?.text).toMatch(token)
})

test("[AU1] masks what a tool yields: text, value, live output", () => {
  const run: Tool["run"] = (_, { output }) =>
    Effect.sync(() => {
      output.write(`TOKEN=${secret.slice(0, 9)}`)
      output.write(`${secret.slice(9)}\n`)
      return { text: `TOKEN=${secret}`, structured: { lines: [secret] } }
    })
  open({ tools: [tool(run)] })
  const session = stage.create()
  stage.replies.push(callOf({}))
  stage.converse(session, "Go")
  expect(stored(session)).not.toContain(secret)
  expect(JSON.stringify(stage.live)).not.toContain(secret.slice(9))
  const told = stage.live.flatMap((event) => (event.type === "output-delta" ? [event.text] : [])).join("")
  expect(told).toMatch(/^TOKEN=⟦secret:github:[0-9a-f]{8}⟧\n$/)
  expect(settledCall(session)?.output).toBe(told.trim())
  expect(stage.sent.at(-1)?.lines.join()).toMatch(token)
})

test("[AU1] masks a tool's failure and the partial output of one that is interrupted", () => {
  const failing = tool(() => Effect.fail(new ToolFailure({ code: "refused", message: `bad ${secret}` })))
  open({ tools: [failing] })
  const session = stage.create()
  stage.replies.push(callOf({}))
  stage.converse(session, "Go")
  expect(settledCall(session)?.output).toMatch(/^bad ⟦secret:/)
  stage.close()

  let written = false
  const hanging = tool((_, { output }) =>
    Effect.suspend(() => {
      output.write(secret)
      written = true
      return Effect.never
    }),
  )
  open({ tools: [hanging] })
  const other = stage.create()
  stage.replies.push(callOf({}))
  stage.prompt(other, "Go")
  stage.until(() => written)
  stage.ask((runtime) => runtime.interrupt(other))
  stage.settle(other)
  expect(settledCall(other)?.output).toMatch(/^⟦secret:github:[0-9a-f]{8}⟧\n\[interrupted\]$/)
})

test("[AU1] leaves what the model wrote, in its words and in its calls", () => {
  const inputs: Json[] = []
  open({ tools: [tool((input) => Effect.sync(() => ({ text: String(inputs.push(input)) })))] })
  const session = stage.create()
  stage.replies.push({
    blocks: [
      { type: "text", text: `I make up ${secret}.` },
      { type: "tool_use", name: "work", input: { key: secret } },
    ],
  })
  stage.converse(session, "Go")
  expect(inputs).toEqual([{ key: secret }])
  expect(stored(session)).toContain(`I make up ${secret}.`)
  expect(stage.verdicts(session)).toEqual(["same", "same"])
})

test("[AU1] refuses a call whose input holds a mask, before the tool runs", () => {
  let ran = false
  open({ tools: [tool(() => Effect.sync(() => ({ text: String((ran = true)) })))] })
  const session = stage.create()
  stage.converse(session, `Use ${secret}`)
  const [mask = ""] = token.exec(stage.facts(session, "prompt.admitted")[0]?.text ?? "") ?? []
  stage.replies.push(callOf({ content: [`KEY=${mask}`] }))
  stage.converse(session, "Go")
  expect(ran).toBe(false)
  expect(settledCall(session)).toMatchObject({ state: "failed", errorCode: "masked_input" })
  expect(settledCall(session)?.output).toContain(`The input holds ${mask}`)
})

test("[AU1] masks what a provider says when it refuses", () => {
  open()
  const session = stage.create()
  const error = { type: "invalid_request_error", message: `bad header ${secret}` }
  stage.rewrite = () => ({
    status: 400,
    headers: { "content-type": "application/json" },
    headersAfterMs: 0,
    frames: [{ kind: "bytes", afterMs: 0, bytes: Buffer.from(JSON.stringify({ type: "error", error })) }],
  })
  stage.converse(session, "Go")
  expect(stage.facts(session, "turn.settled")[0]?.reason?.message).toMatch(token)
  expect(stored(session)).not.toContain(secret)
})

test("[AU1] masks what a person answers, in the ask and in what the model reads", () => {
  const question = () => ({ question: "Which key?", options: [] })
  open({ tools: [{ ...tool(() => Effect.succeed({ text: "never" })), question }] })
  const session = stage.create("settle", "wait")
  stage.replies.push(callOf({}))
  expect(stage.converse(session, "Go")).toMatchObject({ kind: "asking" })
  const ask = stage.ask((runtime) => runtime.asks(session))[0]?.id ?? ""
  stage.ask((runtime) => runtime.answer(ask, { decision: "answer", text: `It is ${secret}` }))
  expect(stage.settle(session)).toEqual({ kind: "done" })
  expect(stored(session)).not.toContain(secret)
  expect(stage.sent.at(-1)?.lines.join()).toMatch(token)
})

test("[AU1] masks the calls that a prompt brings with it, and none of them runs", () => {
  const bash = { ...tool(() => Effect.succeed({ text: "ran" })), name: "bash" }
  open({ tools: [bash] })
  const session = stage.create()
  const calls = [{ tool: "bash", argument: `echo ${secret}` }] as const
  stage.ask((runtime) => runtime.prompt({ sessionID: session, text: "Look.", calls }))
  expect(stage.settle(session)).toEqual({ kind: "done" })
  expect(stored(session)).not.toContain(secret)
  expect(settledCall(session)).toMatchObject({ state: "failed", errorCode: "masked_input" })
})
