/** What is set for the turns is sampled with the rest: a change holds from the next turn on (DR2). */
import { afterEach, expect, test } from "vitest"
import { expandTool } from "@holdfast/core/tools/index"
import type { SessionId } from "@holdfast/schema/id"
import { Stage, type StageOptions } from "../harness.ts"

let stage: Stage
afterEach(() => stage.close())

const prose = "The file is really there, and it is of the old kind. ".repeat(40)

/** Twelve turns, together less than half of the window. */
function talk(options: StageOptions = {}): SessionId {
  stage = new Stage({ contextTokens: 60_000, tools: [expandTool], ...options })
  const session = stage.create()
  for (let n = 0; n < 12; n++) {
    stage.replies.push({ blocks: [{ type: "text", text: `Answer ${n}. ${prose}` }] })
    stage.converse(session, `Prompt ${n}. ${prose}`)
  }
  return session
}
const lastPass = (session: SessionId) => stage.turns(session).at(-1)?.started.pass
const threshold = (session: SessionId) => stage.ask((runtime) => runtime.request(session)).recall?.threshold

test("[DR2 PS5] another threshold is that of the next turn, and of what is told before it", () => {
  const session = talk()
  expect(lastPass(session)).toBe("hold")
  stage.settings = { executeShare: 0.2 }
  expect(threshold(session)).toBe(0.2)
  stage.converse(session, "Go on.")
  expect(lastPass(session)).toBe("refresh")
  expect(stage.facts(session, "pass.applied").at(-1)?.reason).toBe("execute_threshold")
})

test("[DR2 TG5] texts are compressed from the turn on for which it is set", () => {
  const session = talk()
  const flushed = (): string => {
    stage.ask((runtime) => runtime.flush(session))
    stage.converse(session, "Go on.")
    return stage.sent.at(-1)?.raw ?? ""
  }
  expect(flushed()).not.toContain("[shortened")
  stage.settings = { textCompression: true }
  expect(flushed()).toContain("[shortened")
})

test("[DR2 PE3] a bound on prices that is set between two turns is asked for at the second", () => {
  const price = { input: 10, output: 10, cacheRead: 1, cacheWrite: 12.5 }
  const session = talk({ price })
  stage.pass(600_000)
  expect(stage.converse(session, "Is it dear?")).toEqual({ kind: "done" })
  stage.settings = { askAbove: 0.01 }
  stage.pass(600_000)
  expect(stage.converse(session, "And now?")).toMatchObject({ kind: "asking" })
})
