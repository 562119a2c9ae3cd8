/** The result of a Session is read from its log: whoever asks hears the same, before and after a restart. */
import { Effect } from "effect"
import { afterEach, expect, test } from "vitest"
import type { Reply } from "@holdfast/provider-sim"
import type { SessionId } from "@holdfast/schema/id"
import type { Booted } from "../../stage/virtual.ts"
import { Stage } from "../harness.ts"
import { workTool } from "../tools.ts"

let stage: Stage
const others: Booted[] = []
const open = (ms = 5_000): SessionId => {
  stage = new Stage({ tools: [workTool((line) => stage.journal.push(line), { ms })] })
  return stage.create()
}
afterEach(() => {
  for (const { process } of others.splice(0)) process.dead = true
  stage.close()
})

const callWork: Reply = { blocks: [{ type: "tool_use", name: "work", input: {} }] }
const cut: Reply = {
  blocks: [{ type: "text", text: "abcdefghij" }],
  chunkChars: 1,
  delayMs: 400,
  fault: { kind: "cut", afterDeltas: 5 },
}
const overloaded: Reply = { blocks: [], fault: { kind: "overloaded" } }
const farAway: Reply = { blocks: [], fault: { kind: "rate-limited", retryAfter: 3_600 } }

function toldBy(session: SessionId, process: Booted) {
  const { status, reason } = stage.ask((runtime) => runtime.result(session), process)
  return { status, code: reason?.code ?? null }
}

/** By the process that led the Session, by one beside it, and by one that comes later. */
function toldByAll(session: SessionId) {
  const leader = stage.current
  const beside = stage.boot()
  others.push(leader)
  const told = [toldBy(session, leader), toldBy(session, beside)]
  return [...told, toldBy(session, stage.restart())]
}

test.each<[string, readonly Reply[], { readonly status: string; readonly code: string | null }]>([
  ["is done", [callWork], { status: "done", code: null }],
  ["fails for good", Array.from({ length: 5 }, () => overloaded), { status: "failed", code: "overloaded" }],
  ["is put off", [farAway], { status: "failed", code: "rate_limit" }],
  ["breaks off each time", Array.from({ length: 4 }, () => cut), { status: "failed", code: "stream_cut" }],
])("[DR4 TU4] the result of what %s is the same in every process", (_, replies, expected) => {
  const session = open()
  stage.replies.push(...replies)
  stage.converse(session, "Hello")
  expect(toldByAll(session)).toEqual([expected, expected, expected])
})

test("[DR4 EP2] a Session that is blocked is so in every process, whatever its last turn came to", () => {
  const session = open()
  stage.converse(session, "Hello")
  stage.locationThere = false
  stage.converse(session, "More")
  const blocked = { status: "blocked", code: "location_missing" }
  expect(toldByAll(session)).toEqual([blocked, blocked, blocked])
  expect(stage.status(session)).toMatchObject({ state: "blocked", reason: { code: "location_missing" } })
})

test("[DR4 PE3] where a prompt waits for what has to be answered or mended first, nothing of the one before is its result", () => {
  stage = new Stage({ settings: { askAbove: 0.001 }, price, lifetime: "5m" })
  const session = stage.create("settle", "wait")
  stage.converse(session, "A long story. ".repeat(2_000))
  stage.pass(600_000)
  const result = () => stage.ask((runtime) => runtime.result(session))
  const { prompt: first } = result()
  expect(stage.converse(session, "Go on.")).toMatchObject({ kind: "asking" })
  const { prompt } = result()
  expect(prompt).not.toBe(first)
  const none = { prompt, turns: 0, text: "", cost: 0, usage: { input: 0, cacheRead: 0 } }
  expect(result()).toMatchObject({ status: "asking", ...none })
  const ask = stage.ask((runtime) => runtime.asks())[0]?.id ?? "ask_none"
  stage.ask((runtime) => runtime.answer(ask, { decision: "decline" }))
  stage.settle(session)
  expect(result()).toMatchObject({ status: "blocked", ...none })
})
const price = { input: 10, output: 10, cacheRead: 1, cacheWrite: 12.5 }

test("[DR3 DR4] a prompt that is interrupted before its turn begins is so in every process", () => {
  const session = open()
  stage.converse(session, "Hello")
  // In the fiber of the admission, so that no turn can begin before it is stored.
  const interrupt = Effect.suspend(() => stage.current.runtime?.interrupt(session) ?? Effect.void)
  stage.afterCommit = ({ kind }) => (kind === "admit" ? Effect.orDie(interrupt) : Effect.void)
  expect(stage.converse(session, "More")).toMatchObject({ kind: "interrupted" })
  stage.afterCommit = () => Effect.void
  const interrupted = { status: "interrupted", code: "interrupted" }
  expect(toldByAll(session)).toEqual([interrupted, interrupted, interrupted])
  expect(stage.status(session)).toMatchObject({ state: "interrupted", pending: 1 })
  stage.prompt(session, "And this")
  expect(stage.settle(session)).toEqual({ kind: "done" })
  expect(stage.status(session)).toMatchObject({ state: "idle", pending: 0 })
})

test("[DR4] the result of a turn whose process was killed is interrupted, also before anybody settles it", () => {
  const session = open()
  const beside = stage.boot()
  const leader = stage.boot()
  stage.replies.push(callWork)
  stage.prompt(session, "Hello")
  stage.until(() => stage.journal.some((line) => line.startsWith("start work")))
  stage.die(leader)
  const interrupted = { status: "interrupted", code: "process_ended" }
  expect(toldBy(session, beside)).toEqual(interrupted)
  expect(stage.ask((runtime) => runtime.get(session), beside).status).toMatchObject({ state: "interrupted" })
  stage.bury(leader)
  others.push(beside)
  expect(toldBy(session, stage.boot())).toEqual(interrupted)
})

test("[DR4] a process that starts beside a leader does not lead the Session on when that has ended", () => {
  const session = open(300)
  const leader = stage.current
  stage.replies.push(callWork, { blocks: [{ type: "text", text: "No." }], stopReason: "refusal" })
  stage.prompt(session, "Hello")
  stage.until(() => stage.journal.some((line) => line.startsWith("start work")))
  others.push(leader)
  const beside = stage.boot()
  expect(stage.ask((runtime) => runtime.settled(session), leader)).toMatchObject({ kind: "failed" })
  stage.pass(30_000)
  expect(grants()).toBe(1)
  expect(stage.ask((runtime) => runtime.get(session), beside).status).toMatchObject({ state: "failed" })
})

/** How often the one Session was led: each grant of its lease has a token of its own. */
const grants = () => stage.database?.prepare("SELECT token FROM lease").get()?.["token"]

test("[DR4] a process that starts while a turn ends leads nothing, so that nobody sees the Session running", () => {
  for (let seed = 1; seed <= 40; seed++) {
    stage = new Stage({ seed })
    const session = stage.create()
    stage.prompt(session, "Hello")
    const has = (what: string) => stage.journal.some((line) => line.includes(what))
    stage.until(() => has("part.recorded"))
    let steps = seed % 12
    stage.until(() => steps-- <= 0 || has("turn.settled"))
    const leader = stage.current
    stage.boot()
    stage.ask((runtime) => runtime.settled(session), leader)
    stage.pass(30_000)
    expect(grants(), `seed ${seed}`).toBe(1)
    stage.bury(leader)
    if (seed < 40) stage.close()
  }
})
