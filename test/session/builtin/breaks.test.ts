/** What people see and ask for of recall: the parts of a window, receipts of breaks, `flush`, `rebuild`, the threshold. */
import { afterEach, expect, test } from "vitest"
import { expandTool, reduceTool } from "@holdfast/core/tools/index"
import type { SessionId } from "@holdfast/schema/id"
import { Stage } from "../harness.ts"
import { workTool } from "../tools.ts"

let stage: Stage
afterEach(() => stage.close())

const long = (mark: string, chars: number) => `${mark} ${"word ".repeat(chars / 5)}`

function foldedSession(turns = 6): SessionId {
  stage = new Stage({
    contextTokens: 20_000,
    tools: [workTool(() => {}, { text: "line\n".repeat(500) }), expandTool, reduceTool],
  })
  const session = stage.create()
  stage.replies.push({ blocks: [{ type: "tool_use", name: "work", input: { path: "src/canary.ts" } }] })
  stage.converse(session, "Never wake the canary.")
  for (let n = 0; n < turns; n++) stage.converse(session, long(`Prompt ${n}`, 14_000))
  return session
}

const planned = (session: SessionId) => stage.ask((runtime) => runtime.request(session))
const receipts = (session: SessionId) => stage.ask((runtime) => runtime.receipts(session))
const rebuild = (session: SessionId, span = {}) => stage.ask((runtime) => runtime.rebuild(session, span))

test("[PG3 SU2] the next request tells its compartments with tiers, its use, and the way to the threshold", () => {
  const session = foldedSession()
  const { compartments = [], recall, segments } = planned(session)
  expect(compartments[0]).toMatchObject({ fromSeq: 1, title: "Never wake the canary.", place: "baseline" })
  expect(compartments.every(({ tier, tokens }) => tier === null || (tier >= 1 && tokens > 0))).toBe(true)
  const history = segments.find(({ name }) => name === "history-baseline")?.tokens ?? 0
  expect(compartments.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(history)
  expect(recall).toMatchObject({ threshold: 0.75, waiting: [] })
  expect(recall?.messagesHidden).toBeGreaterThan(2)
  expect(recall?.usage).toBeLessThan(0.65)
  expect(recall?.tokensLeft).toBeGreaterThan(0)
})

test("[SU4 TU7] each break has a receipt: what it summed up with the messages covered, tokens, and price", () => {
  const session = foldedSession()
  const breaks = stage.turns(session).filter(({ started }) => started.break !== null)
  const found = receipts(session)
  expect(found.map(({ turn }) => turn)).toEqual(breaks.map(({ started }) => started.turn))
  const [first] = found
  const [pass] = stage.facts(session, "pass.applied").filter(({ reason }) => reason === "cut_threshold")
  expect(first).toMatchObject({
    pass: "fold",
    break: { reason: "cut_threshold" },
    left: [],
    costHistorian: 0,
  })
  expect(pass?.tokensAfter).toBe(breaks[0]?.started.request.tokensEstimated)
  const { input = 0, cacheRead = 0, cacheWrite = 0 } = breaks[0]?.settled?.ledger.usage ?? {}
  expect(first?.tokensAfter).toBe(input + cacheRead + cacheWrite)
  const shrunk = (pass?.tokensAfter ?? 0) / (pass?.tokensBefore ?? 1)
  expect((first?.tokensAfter ?? 0) / (first?.tokensBefore ?? 1)).toBeCloseTo(shrunk, 1)
  const all = stage.ask((_, store) => store.messages(session, { afterSeq: 0, limit: 99, system: false }))
  const covered = all.filter(({ seq }) => seq <= (first?.summarised.at(-1)?.toSeq ?? 0))
  expect(first?.summarised.reduce((sum, { messages }) => sum + messages, 0)).toBe(covered.length)
  expect(first?.summarised[0]).toMatchObject({ by: "extractive", first: all[0]?.id, tier: 1 })
  const before = all.filter(({ seq }) => seq < (first?.startedSeq ?? 0))
  expect(first?.kept.messages).toBe(before.length - covered.length)
  expect(first?.cost).toBe(breaks[0]?.settled?.ledger.cost)
  stage.restart()
  expect(receipts(session)).toEqual(found)
})

test("[PS7 SU4] flush makes the drops that wait, in a Refresh, and folds nothing", () => {
  stage = new Stage({
    contextTokens: 200_000,
    tools: [workTool(() => {}, { text: "x ".repeat(4_000) }), reduceTool],
  })
  const session = stage.create()
  for (let n = 0; n < 24; n++) {
    stage.replies.push({ blocks: [{ type: "tool_use", name: "work", input: { n } }] })
    stage.converse(session, `Prompt ${n}`)
  }
  const tags = stage
    .events(session)
    .flatMap(({ fact, seq }) => (fact.type === "part.recorded" && fact.part.type === "call" ? [seq] : []))
  const asks = (drop: string) => {
    stage.replies.push({ blocks: [{ type: "tool_use", name: "context_reduce", input: { drop } }] })
    stage.converse(session, "Drop these outputs")
  }
  asks(`${tags[0]}`)
  asks(`${tags[1]}, ${tags[2]}, ${tags[0]}`)
  const before = planned(session)
  // Two asked, for three units.
  expect(before.recall?.waiting).toEqual([{ kind: "drop", count: 3 }])
  expect(before.break).toBeNull()
  stage.ask((runtime) => runtime.flush(session))
  expect(planned(session)).toMatchObject({ break: { reason: "flush" }, recall: { tagsDropped: 3 } })
  stage.converse(session, "Go on")
  expect(stage.facts(session, "pass.applied").at(-1)).toMatchObject({ pass: "refresh", reason: "flush" })
  expect(receipts(session).at(-1)).toMatchObject({
    pass: "refresh",
    summarised: [],
    dropped: { skeletons: 3, calls: 0, messages: 0 },
  })
  expect(planned(session)).toMatchObject({ break: null, recall: { waiting: [] } })
})

test("[HI7] rebuild replaces what stands by compartments of the same messages, and a repeat changes nothing", () => {
  const session = foldedSession(12)
  const before = planned(session).compartments ?? []
  const made = rebuild(session)
  expect(made).toMatchObject({ unchanged: 0, overtaken: 0, cost: 0, compartmentsBefore: before.length })
  const published = stage.facts(session, "history.published").filter(({ by }) => by === "rebuild")
  expect(published).toHaveLength(made.ranges)
  expect(published.flatMap(({ replaces }) => replaces).toSorted()).toEqual(
    before.map(({ id }) => id).toSorted(),
  )
  expect(published.every(({ facts, observations }) => facts.length + observations.length === 0)).toBe(true)
  const count = stage.events(session).length
  stage.restart()
  expect(rebuild(session)).toMatchObject({ ranges: 0, unchanged: made.ranges, overtaken: 0 })
  expect(stage.events(session)).toHaveLength(count)
  stage.converse(session, "Go on")
  expect(stage.turns(session).at(-1)?.started).toMatchObject({
    pass: "fold",
    break: { reason: "history_changed" },
  })
  const shown = planned(session).compartments ?? []
  expect(shown.map(({ fromSeq }) => fromSeq)[0]).toBe(before[0]?.fromSeq)
  expect(shown.at(-1)?.toSeq).toBe(before.at(-1)?.toSeq)
  expect(stage.verdicts(session).every((verdict) => verdict === "same")).toBe(true)
})

test("[HI7 TL4] rebuild of a range leaves the others, and what it made can be expanded by its id", () => {
  const session = foldedSession(12)
  const [first, ...rest] = planned(session).compartments ?? []
  expect(rebuild(session, { toSeq: first?.toSeq })).toMatchObject({ ranges: 1, compartmentsBefore: 1 })
  const after = planned(session).compartments ?? []
  expect(after[0]?.id).toMatch(/^c1-\d+r[0-9a-f]{8}$/)
  expect(after.slice(-rest.length).map(({ id }) => id)).toEqual(rest.map(({ id }) => id))
  const input = { part: after[0]?.id ?? "" }
  stage.replies.push({ blocks: [{ type: "tool_use", name: "context_expand", input }] })
  stage.converse(session, "Expand it")
  expect(stage.facts(session, "call.settled").at(-1)?.outcome.output).toContain("Never wake the canary.")
})
