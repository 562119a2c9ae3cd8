import { afterEach, expect, test } from "vitest"
import type { SessionId } from "@holdfast/schema/id"
import { Stage, type StageOptions } from "../harness.ts"

let stage: Stage
const price = { input: 1, output: 10, cacheRead: 1, cacheWrite: 1 }
const open = (options: StageOptions = {}) => (stage = new Stage({ titles: true, price, ...options }))
afterEach(() => stage.close())

const titleOf = (session: SessionId) => stage.ask((runtime) => runtime.get(session)).title
const jobsOf = (session: SessionId) => stage.facts(session, "job.settled")
/** Waits until the job of the first turn has ended; a title that it made is written right after. */
const jobEnded = (session: SessionId) => stage.until(() => jobsOf(session).length > 0)
const says = (text: string) => ({ blocks: [{ type: "text" as const, text }] })
const requestsTo = (model: string) => stage.sent.filter((sent) => sent.model === model)
/** Waits until the title is asked for, which is a little after the turn began. */
const jobBegan = () => stage.until(() => requestsTo("titles").length > 0)

test("[SS2] beside the first turn a hidden job makes a title of the user's words alone", () => {
  open()
  stage.titleReplies.push(says('"Counting the words of a file."\n'))
  const session = stage.create()
  stage.converse(session, "Count the words of README.md.")
  stage.until(() => titleOf(session) === "Counting the words of a file")
  expect(requestsTo("titles").map(({ lines }) => lines)).toEqual([["user: Count the words of README.md."]])
  expect(jobsOf(session)).toMatchObject([{ kind: "title", outcome: "done", reason: null }])
  expect(jobsOf(session)[0]?.cost).toBeGreaterThan(0)
  expect(stage.facts(session, "session.updated").at(-1)).toMatchObject({ titledBy: "runtime" })
  const listed = stage.ask((runtime) => runtime.list({ limit: 10 }))
  expect(listed.map(({ id }) => id)).toEqual([session])
})

test("[SS2] a title is made once, whatever follows", () => {
  open()
  const session = stage.create()
  stage.converse(session, "First.")
  jobEnded(session)
  stage.converse(session, "Second.")
  stage.restart()
  stage.converse(session, "Third.")
  expect(requestsTo("titles")).toHaveLength(1)
  expect(titleOf(session)).toBe("Title 1")
})

test("[SS2] a title of a person stays, given before or while the job runs", () => {
  open()
  const given = stage.ask((runtime) => runtime.create({ directory: "/project", title: "Mine" })).id
  stage.converse(given, "Go.")
  expect(requestsTo("titles")).toEqual([])

  stage.titleReplies.push({ ...says("Too late"), firstByteMs: 5_000 })
  const session = stage.create()
  stage.converse(session, "Go.")
  jobBegan()
  stage.ask((runtime) => runtime.update(session, { title: "Mine too" }))
  jobEnded(session)
  stage.converse(session, "Go on.")
  expect(titleOf(session)).toBe("Mine too")
})

test("[SS2] a title that was taken away while the job runs stays away", () => {
  open()
  stage.titleReplies.push({ ...says("Too late"), firstByteMs: 5_000 })
  const session = stage.create()
  stage.converse(session, "Go.")
  jobBegan()
  stage.ask((runtime) => runtime.update(session, { title: null }))
  jobEnded(session)
  stage.converse(session, "Go on.")
  expect(titleOf(session)).toBeNull()
})

test("[SS2] a job that fails is tried once more, is recorded, and leaves the turn and the first line alone", () => {
  open()
  const broken = { blocks: [], fault: { kind: "overloaded" as const } }
  stage.titleReplies.push(broken, broken, says("Never asked for"))
  const session = stage.create()
  expect(stage.converse(session, "Count words.")).toEqual({ kind: "done" })
  jobEnded(session)
  expect(requestsTo("titles")).toHaveLength(2)
  expect(jobsOf(session)).toMatchObject([{ outcome: "failed", reason: { code: "overloaded" } }])
  expect(titleOf(session)).toBe("Count words.")
})

test("[SS2] a model of titles that hangs delays no turn, and is given up after half a minute", () => {
  open()
  stage.titleReplies.push({ ...says("Slow"), firstByteMs: 3_600_000 })
  const session = stage.create()
  const started = stage.world.nowMs
  expect(stage.converse(session, "Count words.")).toEqual({ kind: "done" })
  expect(stage.world.nowMs - started).toBeLessThan(1_000)
  jobEnded(session)
  expect(stage.world.nowMs - started).toBeLessThan(31_000)
  expect(jobsOf(session)).toMatchObject([{ outcome: "aborted", reason: { code: "job_timeout" } }])
  expect(titleOf(session)).toBe("Count words.")
})

test("[SS2 TU4] the time limits of the provider hold for a title, too", () => {
  open({ timeouts: { firstByteMs: 2_000 } })
  stage.titleReplies.push({ ...says("Slow"), firstByteMs: 5_000 }, says("Words of a file"))
  const session = stage.create()
  stage.converse(session, "Count words.")
  jobEnded(session)
  expect(requestsTo("titles")).toHaveLength(2)
  stage.until(() => titleOf(session) === "Words of a file")
})

test("[SS2] a kill while the job runs leaves the first line, and no other process asks again", () => {
  open()
  stage.titleReplies.push({ ...says("Lost"), firstByteMs: 20_000 })
  const session = stage.create()
  stage.converse(session, "Count words.")
  jobBegan()
  stage.kill()
  stage.boot()
  stage.converse(session, "Go on.")
  expect([requestsTo("titles").length, titleOf(session)]).toEqual([1, "Count words."])
})

test("[SS2] without a model for it the first line is the title, and nothing is asked", () => {
  open({ titles: false })
  const session = stage.create()
  stage.converse(session, "Count words.\nOf a file.")
  expect([stage.sent.length, titleOf(session)]).toEqual([1, "Count words."])
})
