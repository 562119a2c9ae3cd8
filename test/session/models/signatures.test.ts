/** A provider that refuses what it had sealed itself: left out, sent once more, and remembered (LL4). */
import { afterEach, expect, test } from "vitest"
import type { Reply } from "@holdfast/provider-sim"
import { Stage } from "../harness.ts"

let stage: Stage
afterEach(() => stage.close())

const rejection: Reply = {
  blocks: [],
  fault: {
    kind: "refused",
    status: 400,
    type: "invalid_request_error",
    message: "messages.1.content.0: Invalid `signature` in `thinking` block",
  },
}
const thought: Reply = {
  blocks: [
    { type: "thinking", text: "Let me see." },
    { type: "text", text: "Seen." },
  ],
}

/** A Session whose first answer is sealed reasoning. */
function begin() {
  stage = new Stage({ thinking: true })
  const session = stage.create()
  stage.replies.push(thought)
  stage.converse(session, "One")
  return session
}
const sealed = () => stage.sent.map(({ raw }) => raw.includes('"signature"'))
const statuses = (session: ReturnType<typeof begin>) =>
  stage.turns(session).map(({ settled }) => settled?.status)

test("[LL4] a signature rejection strips, is sent once more, and stands in the attempts", () => {
  const session = begin()
  stage.replies.push(rejection)
  expect(stage.converse(session, "Two")).toEqual({ kind: "done" })
  expect(sealed()).toEqual([false, true, false])
  expect(statuses(session)).toEqual(["done", "failed", "done"])
  expect(stage.turns(session)[1]?.settled?.ledger.attempts).toMatchObject([
    { failure: { code: "signature_rejected" }, waitMs: 0 },
  ])
  expect(stage.facts(session, "prompt.promoted")).toHaveLength(2)
})

test("[LL4 TU1] every request of it is rebuilt from the log, also the one without the metadata", () => {
  const session = begin()
  stage.replies.push(rejection, thought)
  stage.converse(session, "Two")
  stage.restart()
  stage.converse(session, "Three")
  const verdicts = stage.ask((runtime) => runtime.verify(session)).map(({ verdict }) => verdict.kind)
  expect(verdicts).toEqual(["same", "same", "same", "same"])
})

test("[LL4] what was refused is not sent again, by this process or by the next", () => {
  const session = begin()
  stage.replies.push(rejection, thought)
  stage.converse(session, "Two")
  stage.converse(session, "Three")
  stage.restart()
  expect(stage.ask((runtime) => runtime.request(session)).break).toBeNull()
  stage.converse(session, "Four")
  expect(sealed()).toEqual([false, true, false, false, false])
  expect(statuses(session)).not.toContain("interrupted")
})

test("[LL4] a second rejection fails the turn", () => {
  const session = begin()
  stage.replies.push(rejection, rejection)
  expect(stage.converse(session, "Two")).toMatchObject({
    kind: "failed",
    reason: { code: "signature_rejected" },
  })
  expect(stage.sent).toHaveLength(3)
  expect(statuses(session)).toEqual(["done", "failed", "failed"])
})

test("[LL4] a process that dies after the rejection leaves the next one to strip", () => {
  const session = begin()
  stage.replies.push(rejection)
  stage.prompt(session, "Two")
  stage.until(() => stage.journal.filter((line) => line.includes("turn.settled")).length === 2)
  stage.kill()
  stage.boot()
  stage.resume(session)
  expect(sealed().slice(1)).toEqual([true, false])
  expect(stage.status(session)).toMatchObject({ state: "idle", owing: false })
})
