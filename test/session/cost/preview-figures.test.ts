/** What a preview says of a Session that waits, of one that cannot go on, and of its history: the figures of the ledger (PG3, SU2). */
import { afterEach, expect, test } from "vitest"
import { shownCompartments, tokensAsCounted } from "@holdfast/recall"
import type { SessionId } from "@holdfast/schema/id"
import { Stage, type StageOptions } from "../harness.ts"
import { workTool } from "../tools.ts"

let stage: Stage
const open = (options: StageOptions = {}): SessionId => {
  stage = new Stage({ contextTokens: 20_000, ...options })
  return stage.create("settle", "wait")
}
afterEach(() => stage.close())

const preview = (session: SessionId) => stage.ask((runtime) => runtime.request(session))

test("[SU2 PG3] parts of the history are told in what the provider counts, as the segments are", () => {
  const session = open()
  for (let n = 0; n < 6; n++) stage.converse(session, `Prompt ${n} ${"word ".repeat(2_800)}`)
  const { compartments = [], segments } = preview(session)
  const { frozen, items } = stage.ask((_, store) => store.window(session))?.state ?? {}
  const parts = frozen && items ? shownCompartments(frozen, [...items.compartments.values()]) : []
  const { started, settled } = stage.turns(session).at(-1) ?? {}
  const usage = settled?.ledger.attempts.at(-1)?.usage
  const reported = usage ? usage.input + usage.cacheRead + usage.cacheWrite : 0
  const answered = { reported, estimated: started?.request.tokensEstimated ?? 0 }
  const counted = parts.map(({ tokens }) => tokensAsCounted(tokens, answered))
  expect(compartments.map(({ tokens }) => tokens)).toEqual(counted)
  expect(counted).not.toEqual(parts.map(({ tokens }) => tokens))
  const history = segments.find(({ name }) => name === "history-baseline")?.tokens ?? 0
  expect(counted.reduce((sum, tokens) => sum + tokens, 0)).toBeLessThanOrEqual(history)
})

test("[PG3] while somebody is asked no turn is due", () => {
  const session = open({ tools: [workTool((line) => void stage.journal.push(line))], rules: { work: "ask" } })
  stage.replies.push({ blocks: [{ type: "tool_use", name: "work", input: {} }] })
  stage.prompt(session, "Do it.", { resume: false })
  stage.resume(session)
  expect(stage.ask((runtime) => runtime.asks())).toHaveLength(1)
  stage.prompt(session, "And this.", { resume: false })
  expect(preview(session).due).toBe(false)
})

test("[PG3 SU2] what cannot be sent breaks nothing", () => {
  const session = open()
  stage.converse(session, "Short.")
  stage.ask((runtime) => runtime.switchModel(session, { provider: "sim", model: "other" }))
  expect(preview(session).break).toMatchObject({ reason: "model_changed" })
  stage.prompt(session, "word ".repeat(40_000), { resume: false })
  expect(preview(session)).toMatchObject({ obstacle: expect.any(Object), break: null, hash: null })
})

test("[TU7] what kept a cache stands with its turn, however much happened before", () => {
  const price = { input: 10, output: 10, cacheRead: 1, cacheWrite: 12.5, cacheWrite1h: 20 }
  stage = new Stage({ price, lifetime: "5m", keepWarm: { max: 1, costMax: 1 } })
  const session = stage.create()
  stage.converse(session, "A long story. ".repeat(2_000))
  while ((stage.events(session).at(-1)?.seq ?? 0) < 600) stage.converse(session, "And then?")
  stage.pass(6 * 60_000)
  const turns = stage.ask((runtime) => runtime.turns(session))
  expect(turns.at(-1)?.warmed).toHaveLength(1)
})
