/** Jobs that were cut off: each is settled with what is known of its cost, and its Session is gone (HI8, DR4). */
import { Effect } from "effect"
import { afterEach, expect, test } from "vitest"
import type { Reply } from "@holdfast/provider-sim"
import type { SessionId } from "@holdfast/schema/id"
import { Stage } from "../harness.ts"

let stage: Stage
afterEach(() => stage.close())

const price = { input: 1, output: 10, cacheRead: 1, cacheWrite: 1 }
const jobs = (session: SessionId) => stage.facts(session, "job.settled")
const unsettled = () => stage.ask((_, store) => store.unsettled())
const never: Reply = { blocks: [{ type: "text", text: "…" }], firstByteMs: 3_600_000 }

/** A Session with history, at a command; its historian does not answer. */
function folded(): SessionId {
  stage = new Stage({ contextTokens: 20_000, price, historian: ["historian"], continues: false })
  const session = stage.create()
  for (let n = 0; n < 8; n++) stage.converse(session, `Prompt ${n} ${"word ".repeat(2_800)}`)
  stage.historianReply = () => never
  expect(jobs(session)).toEqual([])
  return session
}

/** A rebuild whose historian has been asked; gives back the Session of the job. */
function asking(session: SessionId): SessionId {
  stage.begin((runtime) => runtime.rebuild(session, {}))
  stage.until(() => stage.sent.some(({ model }) => model === "historian"))
  const [job] = unsettled()
  if (job === undefined) throw new Error("no job is at work")
  return job
}

const cutOff = { kind: "historian", outcome: "aborted", accuracy: "incomplete", cost: null }

test("[HI8 DR4 TU7] what a killed command left of a job is settled by the next command, which knows that its cost is not known", () => {
  const session = folded()
  expect(stage.ask((runtime) => runtime.get(session)).accuracy).toBe("exact")
  const job = asking(session)
  stage.kill()
  stage.boot()
  expect(jobs(session)).toMatchObject([{ ...cutOff, job, reason: { code: "job_lost" } }])
  expect([unsettled(), stage.ask((_, store) => store.session(job))]).toEqual([[], null])
  const { cost, accuracy } = stage.ask((runtime) => runtime.get(session))
  expect({ cost, accuracy }).toEqual({ cost: null, accuracy: "incomplete" })
})

test("[HI8 TU7] a command that ends in good order settles its job before it goes, and begins no other", () => {
  const session = folded()
  const job = asking(session)
  const sent = stage.sent.length
  const parts = stage.facts(session, "history.published").length
  stage.restart()
  expect(jobs(session)).toMatchObject([{ ...cutOff, job, reason: { code: "interrupted" } }])
  expect(unsettled()).toEqual([])
  expect([stage.sent.length, stage.facts(session, "history.published").length]).toEqual([sent, parts])
})

test("[HI8 DR4] a kill behind any write of a job leaves nothing of it to a command a minute later", () => {
  const session = folded()
  const window = stage.ask((_, store) => store.window(session))
  const [first] = window?.state.items.compartments.values() ?? []
  const ends: string[] = []
  stage.historianReply = () => ({ blocks: [{ type: "text", text: "Sure." }] })
  for (let write = 1; ends.at(-1) !== "over"; write++) {
    const before = jobs(session).length
    stage.restart({ death: { write, moment: "after" } })
    const ended = stage.begin((runtime) => runtime.rebuild(session, { toSeq: first?.toSeq }))
    stage.until(() => stage.current.process.dead || ended() !== null)
    ends.push(stage.current.process.dead ? (stage.journal.at(-1) ?? "") : "over")
    stage.kill()
    stage.pass(60_000)
    stage.boot()
    stage.pass(10)
    expect([ends.at(-1), unsettled()]).toEqual([ends.at(-1), []])
    expect(jobs(session).length - before).toBeLessThanOrEqual(1)
  }
  expect(ends).toEqual(expect.arrayContaining(["create-session", "settle-job"]))
})

test("[HI8 DR4] a command leaves a job alone that another process has at work, between its steps too", () => {
  const session = folded()
  stage.historianReply = () => ({ blocks: [{ type: "text", text: "Sure." }] })
  // A machine that is slow between two steps.
  stage.afterCommit = ({ kind }) => (kind === "create-session" ? Effect.sleep(30_000) : Effect.void)
  const ended = stage.begin((runtime) => runtime.rebuild(session, {}))
  stage.until(() => unsettled().length > 0)
  stage.boot()
  stage.until(() => ended() !== null)
  expect(jobs(session)).toMatchObject([{ outcome: "failed", reason: { code: "job_output_invalid" } }])
})

test("[HI8 PR8] resume refuses a job, and says what it is", () => {
  const session = folded()
  const job = asking(session)
  expect(stage.failure((runtime) => runtime.resume(job))).toMatchObject({
    _tag: "NothingOwed",
    message: expect.stringContaining(
      `${job} is a hidden job of Holdfast (historian, for Session ${session})`,
    ) as string,
  })
})
