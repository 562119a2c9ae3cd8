/** Compactions that fail, are interrupted or die: the boundary and the Epoch stay where they were (EP8). */
import { afterEach, expect, test } from "vitest"
import type { Reply } from "@holdfast/provider-sim"
import type { SessionId } from "@holdfast/schema/id"
import { Stage } from "../harness.ts"

let stage: Stage
afterEach(() => stage.close())

const says = (text: string): Reply => ({ blocks: [{ type: "text", text }] })
const long = (words: number) => `Here it is. ${"word ".repeat(words)}`
const asked = () => stage.sent.some(({ model }) => model === "historian")

/** Talks until a historian is at work, who says this. */
function atWork(reply: Reply): SessionId {
  stage = new Stage({ contextTokens: 40_000, historian: ["historian"] })
  stage.historianReply = () => reply
  const session = stage.create()
  for (let turn = 0; turn < 20 && !asked(); turn++) {
    stage.converse(session, long(2_500))
    stage.pass(10)
  }
  expect(asked()).toBe(true)
  return session
}

/** Where the window begins, and every Epoch that there was. */
const boundaryOf = (session: SessionId) => ({
  cuts: stage.facts(session, "pass.applied").flatMap(({ ops }) => ops.filter(({ op }) => op === "cut")),
  epochs: stage.facts(session, "epoch.started").length,
  compactions: stage.facts(session, "history.published").length,
})
const untouched = { cuts: [], epochs: 1, compactions: 0 }

const filling = long(19_500)

test("[EP8] a historian that fails or is killed changes no boundary, and the next turn is a Hold", () => {
  const session = atWork({ ...says("No."), firstByteMs: 3_600_000 })
  stage.kill()
  stage.boot()
  stage.historianReply = () => ({ blocks: [], fault: { kind: "unauthorized" } })
  stage.refuses = ({ kind }) => kind === "contribute"
  stage.converse(session, "And now?")
  stage.until(() => stage.journal.includes("settle-job"))
  expect(stage.facts(session, "job.settled").length).toBeGreaterThan(0)
  expect(boundaryOf(session)).toEqual(untouched)
  stage.converse(session, "And then?")
  expect(stage.turns(session).at(-1)?.started).toMatchObject({ pass: "hold", break: null })
})

test("[EP8] a turn that is interrupted while its compaction waits changes no boundary", () => {
  const session = atWork({ ...says("No."), firstByteMs: 3_600_000 })
  stage.prompt(session, filling)
  stage.pass(1_000)
  expect(stage.status(session).state).toBe("running")
  stage.ask((runtime) => runtime.interrupt(session))
  expect(stage.settle(session)).toMatchObject({ kind: "interrupted" })
  expect(boundaryOf(session)).toEqual(untouched)
  expect(stage.resume(session)).toEqual({ kind: "done" })
  expect(boundaryOf(session)).toMatchObject({ cuts: [{}], epochs: 2 })
})

test("[EP8 HB6] a compaction whose commit fails leaves neither its boundary nor its text nor an Epoch", () => {
  stage = new Stage({ contextTokens: 20_000 })
  const session = stage.create()
  stage.converse(session, long(2_500))
  stage.converse(session, long(2_500))
  const folds: string[] = []
  stage.refuses = (command) => {
    const fails = JSON.stringify(command).includes("pass.applied")
    if (fails) folds.push(command.kind)
    return fails
  }
  stage.prompt(session, long(9_000))
  stage.pass(1_000)
  expect(folds.length).toBeGreaterThan(0)
  expect(boundaryOf(session)).toEqual(untouched)
  stage.refuses = () => false
  expect(stage.resume(session)).toEqual({ kind: "done" })
  expect(boundaryOf(session)).toMatchObject({ cuts: [{}], epochs: 2, compactions: 1 })
})
