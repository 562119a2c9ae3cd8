/** Whether a provider would take the next request without some messages (LL7). */
import { afterEach, expect, test } from "vitest"
import type { SessionId } from "@holdfast/schema/id"
import { Stage } from "../harness.ts"

let stage: Stage
afterEach(() => stage.close())

const refused = {
  blocks: [],
  fault: { kind: "refused", status: 400, type: "invalid_request_error", message: "No." },
} as const

/** A Session whose newest prompt was refused. */
function open(): SessionId {
  stage = new Stage({ price: { input: 1, output: 0, cacheRead: 0, cacheWrite: 0 } })
  const session = stage.create()
  stage.converse(session, "One")
  stage.replies.push(refused)
  stage.converse(session, "Two")
  return session
}

const probe = (session: SessionId, without: readonly string[]) =>
  stage.ask((runtime) => runtime.probe(session, without))
const newest = (session: SessionId) =>
  stage.messages(session).findLast(({ kind }) => kind === "user")?.id ?? ""

test("[LL7] a refusal names what was added and how to find it", () => {
  const session = open()
  const [, answer, prompt] = stage.messages(session)
  expect(stage.status(session).reason?.message).toContain(
    `these were added: the answer ${answer?.id}, your message ${prompt?.id}. If one of them is the cause, this finds it: holdfast quarantine ${session} --find`,
  )
})

test("[LL7] a probe sends the next request with the messages taken out, and changes nothing but the bill", () => {
  const session = open()
  const before = stage.events(session).length
  const { cost } = stage.ask((_, store) => store.session(session)) ?? { cost: null }
  expect(probe(session, [newest(session)])).toEqual({ kind: "taken" })
  expect(stage.sent.at(-1)?.lines.at(-1)).toContain("was taken out of the conversation")
  expect(stage.sent.at(-1)?.raw).not.toContain("Two")
  const [fact, ...others] = stage.events(session).slice(before)
  expect(others).toEqual([])
  expect(fact?.fact).toMatchObject({
    type: "request.probed",
    taken: true,
    without: [newest(session)],
    accuracy: "estimated",
  })
  expect(stage.ask((_, store) => store.session(session))?.cost).toBeGreaterThan(cost ?? 0)
  expect(stage.status(session)).toMatchObject({ state: "failed", owing: true })
  expect(stage.resume(session)).toEqual({ kind: "done" })
  expect(stage.sent.at(-1)?.lines.at(-1)).toBe("user: Two")
})

test("[LL7] a probe tells a refusal of the content from any other failure", () => {
  const session = open()
  stage.replies.push(refused, { blocks: [], fault: { kind: "overloaded" } })
  expect(probe(session, [])).toMatchObject({ kind: "refused", reason: { code: "invalid_request" } })
  expect(probe(session, [])).toMatchObject({ kind: "failed", reason: { code: "overloaded" } })
})

test("[LL7] a probe names a message that is not there, and waits for no work", () => {
  const session = open()
  expect(stage.failure((runtime) => runtime.probe(session, ["msg_none"]))).toMatchObject({
    _tag: "MessageNotFound",
    id: "msg_none",
  })
  stage.replies.push({ blocks: [{ type: "text", text: "slow" }], firstByteMs: 60_000 })
  stage.begin((runtime) => runtime.resume(session))
  stage.until(() => stage.sent.length === 3)
  expect(stage.failure((runtime) => runtime.probe(session, []))).toMatchObject({
    _tag: "StoreFailure",
    code: "busy",
  })
})

test("[DR9 LL7] a probe is paid for as a turn is: where the budget is spent nothing is sent", () => {
  const session = open()
  stage.ask((runtime) => runtime.update(session, { budget: { money: 0.000_001 } }))
  const sent = stage.sent.length
  expect(probe(session, [newest(session)])).toMatchObject({ kind: "failed" })
  expect(stage.sent).toHaveLength(sent)
})
