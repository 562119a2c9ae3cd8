import { afterEach, expect, test } from "vitest"
import type { SessionId } from "@holdfast/schema/id"
import { advance, emptyState, historyOf, type SessionState } from "@holdfast/schema/state/state"
import { render } from "@holdfast/recall"
import { FactSource } from "./fact-source.ts"
import { Stage } from "./harness.ts"
import { workTool } from "./tools.ts"

let stage: Stage
afterEach(() => stage.close())

const folded = (session: SessionId): SessionState => stage.events(session).reduce(advance, emptyState)

const loaded = (session: SessionId): SessionState => {
  const window = stage.ask((_, store) => store.window(session))
  if (window === null) throw new Error("no window")
  return window.state
}

const rendered = (state: SessionState) => render({ messages: historyOf(state), frozen: state.frozen })

test("[TU1] loads from the store what folding the whole log gives, at every pause of a Session", () => {
  const fact = new FactSource("sim/fact", "one")
  const long = "word ".repeat(2_800)
  stage = new Stage({ sources: [fact], contextTokens: 20_000, tools: [workTool(() => {}, { ms: 10 })] })
  const session = stage.create()
  const agree = () => {
    const [whole, window] = [folded(session), loaded(session)]
    expect(rendered(window)).toEqual(rendered(whole))
    expect(window).toEqual(whole)
  }
  agree()
  stage.replies.push({ blocks: [{ type: "tool_use", name: "work", input: {} }] })
  stage.converse(session, "First")
  agree()
  fact.value = "two"
  stage.prompt(session, "Second", { id: "p2", resume: false })
  stage.ask((runtime) => runtime.edit(session, "p2", "Second, edited"))
  agree()
  stage.replies.push({ blocks: [], fault: { kind: "unauthorized" } })
  stage.resume(session)
  agree()
  for (let n = 0; n < 6; n++) stage.converse(session, `${n} ${long}`)
  expect(stage.facts(session, "pass.applied").map(({ reason }) => reason)).toContain("cut_threshold")
  agree()
  fact.shape = "body"
  stage.converse(session, "Last")
  agree()
})
