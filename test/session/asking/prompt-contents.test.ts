/** Files that a prompt names: read when it is admitted where nobody has to be asked, and stored with it. */
import { Effect } from "effect"
import { afterEach, expect, test } from "vitest"
import type { Tool } from "@holdfast/core/tools/index"
import type { SessionId } from "@holdfast/schema/id"
import type { PromptCall } from "@holdfast/schema/prompt"
import { Stage, type StageOptions } from "../harness.ts"

let stage: Stage
/** What stands in every file of the stage. */
let content = ""
let reads = 0
afterEach(() => stage.close())

const readTool = (ms: number): Tool => ({
  name: "read",
  description: "Reads.",
  inputSchema: { type: "object", properties: { path: { type: "string" } } },
  repeatable: true,
  readOnly: true,
  run: (_input, { files }) =>
    Effect.gen(function* () {
      reads += 1
      yield* Effect.sleep(ms)
      files.saw("/project/a.ts", `${content.length}`)
      return { text: content, structured: { kind: "text" } }
    }),
})

function open(options: StageOptions & { readonly ms?: number } = {}): SessionId {
  content = "first"
  reads = 0
  stage = new Stage({ tools: [readTool(options.ms ?? 10)], ...options })
  return stage.create("settle", "wait")
}

const calls: readonly PromptCall[] = [{ tool: "read", argument: "a.ts" }]
const send = (sessionID: SessionId, resume: boolean) =>
  stage.ask((runtime) => runtime.prompt({ sessionID, text: "Look.", id: "mine", calls, resume }))
const stored = (session: SessionId) => stage.facts(session, "prompt.admitted").map((fact) => fact.calls?.[0])
const outputs = (session: SessionId) =>
  stage.facts(session, "call.settled").map(({ outcome, seen }) => [outcome.output, seen])

test("[TL6] a file that may be read is read when the prompt is admitted, and its model reads that", () => {
  const session = open()
  send(session, false)
  expect(stored(session)).toEqual([
    { ...calls[0], content: { kind: "text", hash: expect.stringMatching(/^[0-9a-f]{64}$/) } },
  ])
  content = "second"
  stage.restart()
  stage.prompt(session, "Go on.")
  expect(stage.settle(session)).toEqual({ kind: "done" })
  expect(outputs(session)).toEqual([["first", [{ path: "/project/a.ts", hash: "5" }]]])
  expect(stage.sent[0]?.lines.join("\n")).toMatch(/Look\.[^]*first/)
  expect([reads, stage.facts(session, "call.started")]).toEqual([1, []])
  expect(stage.turns(session).map(({ settled }) => settled?.ledger.attempts.length)).toEqual([0, 1])
  expect(new Set(stage.verdicts(session))).toEqual(new Set(["same"]))
})

test("[PR2] the same prompt again is a repeat, though its file has changed; what was stored first stays", () => {
  const session = open()
  const receipt = send(session, false)
  content = "second"
  expect(send(session, true)).toEqual(receipt)
  expect(stage.settle(session)).toEqual({ kind: "done" })
  expect(stored(session)).toHaveLength(1)
  expect(outputs(session)).toMatchObject([["first", {}]])
})

test("[PE1 PE3] one that must be asked for, or is denied, is not read; it stays a call of its turn", () => {
  for (const [rule, end, after] of [
    ["ask", "asking", []],
    ["deny", "done", ["declined"]],
  ] as const) {
    const session = open({ rules: { read: rule } })
    send(session, true)
    expect(stored(session)).toEqual(calls)
    expect(stage.settle(session)).toMatchObject({ kind: end })
    expect(stage.facts(session, "call.settled").map(({ outcome }) => outcome.state)).toEqual(after)
    expect(reads).toBe(0)
    if (rule === "ask") stage.close()
  }
})

test("[AU1] what is stored of a file is masked", () => {
  const session = open()
  const secret = `ghp_${"aB3dE5gH7jK9".repeat(3)}`
  content = `token = ${secret}`
  send(session, false)
  const hash = stored(session)[0]?.content?.hash ?? ""
  const blob = new TextDecoder().decode(stage.ask((_, store) => store.blob(hash)) ?? undefined)
  expect(blob).toContain("secret:github:")
  expect(blob).not.toContain(secret)
})

test("[PR1 TL6] a file that takes too long does not hold up its prompt; its turn reads it", () => {
  const session = open({ ms: 8_000 })
  send(session, false)
  expect(stored(session)).toEqual(calls)
  content = "second"
  stage.prompt(session, "Go on.")
  expect(stage.settle(session)).toEqual({ kind: "done" })
  expect(outputs(session)).toMatchObject([["second", {}]])
})

test("[ST3] where the stored content is gone the file is read anew", () => {
  const session = open()
  send(session, false)
  stage.database
    ?.prepare("UPDATE blob SET bytes = NULL WHERE hash = ?")
    .run(stored(session)[0]?.content?.hash ?? "")
  content = "second"
  stage.prompt(session, "Go on.")
  expect(stage.settle(session)).toEqual({ kind: "done" })
  expect(outputs(session)).toMatchObject([["second", {}]])
})
