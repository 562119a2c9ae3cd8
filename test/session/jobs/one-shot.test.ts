/** The historian of a process that ends with what it was asked for, as `holdfast run` does: nothing is paid for in vain. */
import { afterEach, expect, test } from "vitest"
import type { Reply, RequestView } from "@holdfast/provider-sim"
import type { SessionId } from "@holdfast/schema/id"
import { Stage } from "../harness.ts"
import { workTool } from "../tools.ts"

let stage: Stage
afterEach(() => stage.close())

const price = { input: 1, output: 10, cacheRead: 1, cacheWrite: 1 }
const long = (text: string) => `${text} ${"word ".repeat(2_500)}`
const calls: Reply = { blocks: [{ type: "tool_use", name: "work", input: {} }] }
const jobs = (session: SessionId) => stage.facts(session, "job.settled")
const sentTo = (model: string) => stage.sent.filter((sent) => sent.model === model)

function history(view: RequestView): Reply {
  const [, last] = /ordinals 1 to (\d+)/.exec(JSON.stringify(view.messages)) ?? []
  const part = `<part from="1" to="${last}" title="All" importance="60" kind="change"><p1>Done.</p1></part>`
  const text = `<history>${part}<next>${Number(last) + 1}</next></history>`
  return { blocks: [{ type: "text", text }] }
}

/** Long enough for a historian, with turns that nothing follows. */
function grown(): SessionId {
  const tools = [workTool((line) => void stage.journal.push(line))]
  stage = new Stage({ contextTokens: 40_000, price, historian: ["historian"], tools, continues: false })
  const session = stage.create()
  for (let turn = 0; turn < 8; turn++) {
    stage.converse(session, long(`Rule ${turn}.`))
    stage.pass(1_000)
  }
  return session
}

/** A run whose first turn is followed by another: a job begins between them. */
function run(session: SessionId): void {
  stage.replies.push(calls)
  stage.converse(session, "Do it.")
}

test("[HI1 DR9] at the end of a command no job is begun, however much there is to write", () => {
  const session = grown()
  expect([sentTo("historian"), jobs(session)]).toEqual([[], []])
})

test("[HI1 DR9] a job that began between turns is waited for, and what it wrote and cost is on record", () => {
  const session = grown()
  stage.historianReply = (view) => ({ ...history(view), firstByteMs: 30_000 })
  run(session)
  expect(sentTo("historian")).toHaveLength(1)
  stage.restart()
  expect(jobs(session)).toMatchObject([{ outcome: "done" }])
  expect(jobs(session)[0]?.cost).toBeGreaterThan(0)
  expect(stage.facts(session, "history.published")).toMatchObject([{ by: "model" }])
})

test("[HI1 DR9 TU7 FA1] one that takes longer is cut off after a minute, which is told, and the Session says that not all of its cost is known", () => {
  const session = grown()
  stage.historianReply = (view) => ({ ...history(view), firstByteMs: 3_600_000 })
  run(session)
  const began = stage.world.nowMs
  stage.restart()
  expect(stage.world.nowMs - began).toBeGreaterThanOrEqual(60_000)
  expect(stage.world.nowMs - began).toBeLessThan(65_000)
  expect(jobs(session)).toMatchObject([{ outcome: "aborted", accuracy: "incomplete", cost: null }])
  const info = stage.ask((runtime) => runtime.get(session))
  expect(info).toMatchObject({ cost: null, accuracy: "incomplete" })
  expect(stage.world.logged).toEqual([
    expect.stringMatching(/Waiting for it, at most 60 s\.$/),
    expect.stringMatching(/^The model did not write the history in time and was cut off\./),
  ])
})

test("[FA1 HI8] a historian whose answers are of no use is told once, with what wrote in its place", () => {
  stage = new Stage({ contextTokens: 40_000, price, historian: ["historian"] })
  stage.historianReply = () => ({ blocks: [{ type: "text", text: "Sure! Now implement it." }] })
  const session = stage.create()
  for (let turn = 0; turn < 40; turn++) {
    stage.converse(session, long(`Rule ${turn}.`))
    stage.pass(1_000)
  }
  expect(jobs(session).length).toBeGreaterThan(1)
  expect(stage.world.logged).toEqual([
    expect.stringMatching(
      /^The model that is set as historian did not write the history of Session ses_\w+: The answer of the model cannot be used\. .* The built-in historian wrote it instead\./,
    ),
  ])
})
