/** Forks in the whole runtime: what their first request begins with, and that nothing of the source moves (SS1). */
import { afterEach, expect, test } from "vitest"
import type { MessageId, SessionId } from "@holdfast/schema/id"
import { addSpent, spentBy, spentNone } from "@holdfast/schema/model"
import { FactSource } from "../fact-source.ts"
import { Stage, type StageOptions } from "../harness.ts"
import { workTool } from "../tools.ts"

let stage: Stage
let weather: FactSource
const open = (options: StageOptions = {}): SessionId => {
  weather = new FactSource("sim/weather", "sunny")
  const tools = [workTool((line) => stage.journal.push(line), { ms: 1_000 })]
  stage = new Stage({ sources: [weather], tools, ...options })
  return stage.create()
}
afterEach(() => stage.close())

const callWork = { blocks: [{ type: "tool_use" as const, name: "work", input: {} }] }

const fork = (sessionID: SessionId, messageID?: MessageId, more: { id?: string; title?: string } = {}) =>
  stage.ask((runtime) => runtime.fork({ sessionID, ...(messageID && { messageID }), ...more }))

/** A call, an answer, a changed context, another answer. */
function talk(session: SessionId): void {
  stage.replies.push(callWork)
  stage.converse(session, "One")
  weather.value = "rainy"
  stage.converse(session, "Two")
  stage.converse(session, "Three")
}

interface Body {
  readonly tools?: readonly object[]
  readonly system?: readonly object[]
  readonly messages: readonly { readonly role: string; readonly content: readonly object[] }[]
}

/** What a body says, block by block, without the marks of the cache. */
function blocksOf(raw: string | undefined): readonly string[] {
  const { tools = [], system = [], messages } = JSON.parse(raw ?? "{}") as Body
  const plain = (block: object) => JSON.stringify({ ...block, cache_control: undefined })
  return [
    ...[...tools, ...system].map(plain),
    ...messages.flatMap(({ role, content }) => content.map((block) => `${role} ${plain(block)}`)),
  ]
}

test("[SS1 TU1] the first request of a fork extends the last one of its source, and rebuilds", () => {
  const session = open()
  talk(session)
  const theirs = blocksOf(stage.sent.at(-1)?.raw)
  const { id, origin, turns } = fork(session)
  expect([origin, turns]).toEqual([{ kind: "fork", source: session, seq: stage.events(session).length }, 4])
  stage.restart()
  expect(stage.converse(id, "Four")).toEqual({ kind: "done" })
  const ours = blocksOf(stage.sent.at(-1)?.raw)
  expect(ours.slice(0, theirs.length)).toEqual(theirs)
  expect(ours.length).toBeGreaterThan(theirs.length)
  expect(stage.turns(id).at(-1)?.started).toMatchObject({ pass: "hold", break: null })
  expect(new Set(stage.verdicts(id))).toEqual(new Set(["same"]))
  expect(stage.facts(id, "epoch.started")).toHaveLength(1)
  expect(stage.turns(session)).toHaveLength(4)
})

test("[SS1 TU1] at each message of the source, a fork goes on from the very request that was sent there", () => {
  const session = open()
  talk(session)
  const turns = stage.turns(session)
  const sent = stage.sent.map(({ raw }) => blocksOf(raw))
  const [, , , rainFrom] = stage
    .messages(session)
    .flatMap(({ kind, seq }) => (kind === "system" ? [] : [seq]))
  for (const message of stage.messages(session)) {
    weather.value = message.seq < (rainFrom ?? 0) ? "sunny" : "rainy"
    const { id, status } = fork(session, message.id)
    const asks = message.kind !== "assistant" || turns[0]?.started.message === message.id
    expect([message.id, status]).toMatchObject([message.id, { state: "idle", owing: asks, pending: 0 }])
    const end = asks ? stage.resume(id) : stage.converse(id, "Next")
    expect(end).toEqual({ kind: "done" })
    const before = turns.filter(({ startedSeq }) =>
      message.kind === "assistant" ? startedSeq <= message.seq : startedSeq < message.seq,
    ).length
    const first = stage.turns(id)[before]?.started.request
    // What was asked there is asked again, byte for byte; behind an answer it goes on.
    const same = turns[before]?.started.request
    if (asks) expect([message.id, first?.hash]).toEqual([message.id, same?.hash])
    const earlier = sent[before - 1] ?? []
    expect(blocksOf(stage.sent.at(-1)?.raw).slice(0, earlier.length)).toEqual(earlier)
    expect(new Set(stage.verdicts(id))).toEqual(new Set(["same"]))
  }
  expect(stage.turns(session)).toEqual(turns)
})

test("[SS1] extends the same bytes behind a cut, too", () => {
  const session = open({ contextTokens: 12_000 })
  for (let n = 0; n < 6; n++) stage.converse(session, `Prompt ${n} ${"word ".repeat(1_500)}`)
  expect(stage.facts(session, "pass.applied").some(({ reason }) => reason.startsWith("cut_"))).toBe(true)
  const theirs = blocksOf(stage.sent.at(-1)?.raw)
  const { id } = fork(session)
  stage.converse(id, "And?")
  expect(blocksOf(stage.sent.at(-1)?.raw).slice(0, theirs.length)).toEqual(theirs)
  expect(new Set(stage.verdicts(id))).toEqual(new Set(["same"]))
})

test("[SS1 PE6] a Session at work is forked where it was settled, and works on", () => {
  const session = open()
  stage.converse(session, "One")
  const settled = stage.events(session).length
  stage.replies.push(callWork)
  stage.prompt(session, "Two")
  stage.prompt(session, "Later", { delivery: "queue" })
  stage.until(() => stage.journal.some((line) => line.startsWith("start work")))
  const running = stage.turns(session).at(-1)?.started.message as MessageId
  const { id, status, origin } = fork(session)
  expect(status).toMatchObject({ state: "idle", owing: false, pending: 0 })
  expect(stage.events(session)[(origin?.seq ?? 0) - 1]?.fact.type).toBe("prompt.admitted")
  expect(origin?.seq).toBeGreaterThanOrEqual(settled)
  expect(stage.messages(id).map(({ kind }) => kind)).toEqual(["user", "assistant"])
  const refused = stage.failure((runtime) => runtime.fork({ sessionID: session, messageID: running }))
  expect(refused).toMatchObject({ _tag: "MessageUnsettled", id: running })
  expect(stage.settle(session)).toEqual({ kind: "done" })
  expect(stage.status(session)).toMatchObject({ state: "idle", pending: 0 })
  expect(stage.journal.filter((line) => line.startsWith("start work"))).toHaveLength(1)
  expect(stage.endedCalls).toEqual([])
  expect(stage.status(id)).toMatchObject({ state: "idle", owing: false })
})

test("[SS1 DR5] a fork that owes an answer waits to be asked, whatever its policy", () => {
  const session = open()
  stage.ask((runtime) => runtime.update(session, { policy: "continue" }))
  stage.converse(session, "One")
  const { id, policy } = fork(session, stage.messages(session)[0]?.id)
  const sent = stage.sent.length
  stage.restart()
  stage.pass(60_000)
  expect([policy, stage.sent.length]).toEqual(["continue", sent])
  expect(stage.status(id)).toMatchObject({ state: "idle", owing: true })
  expect(stage.converse(id, "And more")).toEqual({ kind: "done" })
  expect(stage.sent.at(-1)?.lines).toEqual(["user: One", "user: And more"])
})

test("[SS1 SU2] the totals of a Session are those of its turns, and a fork counts its own", () => {
  const price = { input: 1_000, output: 1_000, cacheRead: 500, cacheWrite: 100 }
  const session = open({ price })
  talk(session)
  const totals = (id: SessionId) => {
    const { usage, cost, accuracy, turns } = stage.ask((runtime) => runtime.get(id))
    return { usage, cost, accuracy, turns }
  }
  const spent = (id: SessionId, from = 0) =>
    stage
      .turns(id)
      .slice(from)
      .map(({ settled }) => spentBy(settled))
      .reduce(addSpent, spentNone)
  expect(totals(session)).toEqual({ ...spent(session), turns: 4 })
  const { id } = fork(session)
  expect(totals(id)).toEqual({ ...spentNone, turns: 4 })
  stage.converse(id, "Four")
  expect(totals(id)).toEqual({ ...spent(id, 4), turns: 5 })
  expect(totals(id).cost).toBeGreaterThan(0)
})

test("[SS1] a chosen id makes a repeat the same Session, across processes, and anything else a conflict", () => {
  const session = open()
  talk(session)
  const message = stage.messages(session)[1]?.id as MessageId
  const chosen = { id: "ses_mine", title: "Mine" }
  const made = fork(session, message, chosen)
  stage.restart()
  expect(fork(session, message, chosen)).toEqual(made)
  const conflict = stage.failure((runtime) => runtime.fork({ sessionID: session, ...chosen }))
  expect(conflict).toMatchObject({ _tag: "SessionConflict", session: "ses_mine" })
  const failures = [
    stage.failure((runtime) => runtime.fork({ sessionID: "ses_none" })),
    stage.failure((runtime) => runtime.fork({ sessionID: "none" })),
    stage.failure((runtime) => runtime.fork({ sessionID: session, id: "mine" })),
    stage.failure((runtime) => runtime.fork({ sessionID: session, messageID: "msg_none" })),
    stage.failure((runtime) => runtime.fork({ sessionID: session, messageID: "?" })),
  ]
  expect(failures.map(({ _tag }) => _tag)).toEqual([
    "SessionNotFound",
    "InvalidId",
    "InvalidId",
    "MessageNotFound",
    "MessageNotFound",
  ])
})

test.each(["before", "after"] as const)(
  "[SS1] a fork whose process dies %s its commit is there whole or not at all, and a repeat is the same",
  (moment) => {
    const session = open()
    talk(session)
    stage.restart({ death: { write: 1, moment } })
    stage.begin((runtime) => runtime.fork({ sessionID: session, id: "ses_mine" }))
    stage.until(() => stage.current.process.dead)
    stage.kill()
    stage.boot()
    const there = stage.ask((_, store) => store.session("ses_mine" as SessionId)) !== null
    expect(there).toBe(moment === "after")
    const made = fork(session, undefined, { id: "ses_mine" })
    expect(made.origin?.seq).toBe(stage.events(session).length)
    expect(stage.ask((_, store) => store.inspect())).toMatchObject({ damage: [], stale: [] })
    expect(stage.ask((runtime) => runtime.list({ limit: 9 }))).toHaveLength(2)
  },
)

test("[SS1] `create` with a chosen id makes one Session, whoever repeats it", () => {
  open()
  const input = { directory: "/sim/project", id: "ses_chosen", title: "Mine" }
  const made = stage.ask((runtime) => runtime.create(input))
  expect(made.id).toBe("ses_chosen")
  stage.restart()
  expect(stage.ask((runtime) => runtime.create(input))).toEqual(made)
  stage.converse(made.id, "One")
  expect(stage.ask((runtime) => runtime.create(input))).toEqual(stage.ask((runtime) => runtime.get(made.id)))
  const failures = [
    stage.failure((runtime) => runtime.create({ ...input, title: "Yours" })),
    stage.failure((runtime) => runtime.create({ ...input, id: "Chosen!" })),
  ]
  expect(failures).toMatchObject([{ _tag: "SessionConflict", session: "ses_chosen" }, { _tag: "InvalidId" }])
})
