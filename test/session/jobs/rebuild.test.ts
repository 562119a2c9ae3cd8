/** `rebuild` by the historian's model: whole ranges, once each, whatever dies between, and nothing learned from it. */
import { afterEach, expect, test } from "vitest"
import type { Reply, RequestView } from "@holdfast/provider-sim"
import type { SessionId } from "@holdfast/schema/id"
import { Stage } from "../harness.ts"

let stage: Stage
afterEach(() => stage.close())

const price = { input: 1, output: 10, cacheRead: 1, cacheWrite: 1 }

function ordinalsOf(view: RequestView): number {
  return Number(/ordinals 1 to (\d+)/.exec(JSON.stringify(view.messages))?.[1])
}

const says = (text: string): Reply => ({ blocks: [{ type: "text", text }] })
const writes = (view: RequestView, words = "Told anew."): Reply =>
  says(
    `<history><part from="1" to="${ordinalsOf(view)}" title="Anew" importance="60" kind="change"><p1>${words}</p1></part><facts><fact category="NAMING">A fact.</fact></facts><next>${ordinalsOf(view) + 1}</next></history>`,
  )

/** With a history that the extractive historian wrote, since no answer of the model can be used. */
function folded(prompts = 8): SessionId {
  stage = new Stage({ contextTokens: 20_000, price, historian: ["historian"] })
  const session = stage.create()
  stage.converse(session, "Never wake the canary.")
  for (let n = 0; n < prompts; n++) stage.converse(session, `Prompt ${n} ${"word ".repeat(2_800)}`)
  stage.pass(60_000)
  return session
}

const rebuild = (session: SessionId) => stage.ask((runtime) => runtime.rebuild(session, {}))
const compartments = (session: SessionId) => [
  ...(stage.ask((_, store) => store.window(session))?.state.items.compartments.values() ?? []),
]
const rebuilt = (session: SessionId) =>
  stage.facts(session, "history.published").filter(({ by }) => by === "rebuild")

test("[HI7 SU4] the configured model writes the history anew, without facts, and says what it cost", () => {
  const session = folded()
  const before = compartments(session)
  expect(before.length).toBeGreaterThan(0)
  const jobsBefore = stage.facts(session, "job.settled").length
  stage.historianReply = (view) => writes(view)
  const shown = stage.sent.filter(({ model }) => model === "script").length
  const made = rebuild(session)
  const jobs = stage.facts(session, "job.settled").slice(jobsBefore)
  expect(made).toMatchObject({ unchanged: 0, overtaken: 0, compartmentsBefore: before.length })
  expect(made.cost).toBeCloseTo(
    jobs.reduce((sum, { cost }) => sum + (cost ?? 0), 0),
    10,
  )
  expect(made.cost).toBeGreaterThan(0)
  expect(rebuilt(session).every(({ facts }) => facts.length === 0)).toBe(true)
  const after = compartments(session)
  expect(after.some(({ tiers }) => tiers[0].includes("H Told anew."))).toBe(true)
  expect([after[0]?.fromSeq, after.at(-1)?.toSeq]).toEqual([before[0]?.fromSeq, before.at(-1)?.toSeq])
  // The window shows the old ones until somebody speaks.
  expect(stage.sent.filter(({ model }) => model === "script")).toHaveLength(shown)
  const again = stage.sent.length
  expect(rebuild(session)).toMatchObject({ ranges: 0, cost: 0 })
  expect(stage.sent).toHaveLength(again)
  stage.converse(session, "Go on")
  expect(stage.sent.at(-1)?.raw).toContain("Told anew.")
  const root = stage.ask((_, store) => store.session(session))?.location.projectRoot ?? ""
  expect(stage.ask((_, store) => store.memories(root, { status: "active", limit: 9 })).memories).toEqual([])
})

test("[SU4 HI7] the receipt of the break that shows what was rebuilt names what the historian cost for it", () => {
  const session = folded()
  stage.historianReply = (view) => writes(view)
  const { cost } = rebuild(session)
  stage.converse(session, "Go on")
  const receipt = stage.ask((runtime) => runtime.receipts(session)).at(-1)
  expect(receipt?.summarised.some(({ by }) => by === "rebuild")).toBe(true)
  expect(receipt?.costHistorian).toBeCloseTo(cost ?? 0, 10)
  expect(cost).toBeGreaterThan(0)
})

test("[HI7 HI8] a model that never ends is waited for once, and the other ranges are written without it", () => {
  const session = folded(40)
  const jobs = () => stage.facts(session, "job.settled").length
  const before = jobs()
  stage.historianReply = () => ({ ...says("…"), firstByteMs: 3_600_000 })
  const made = rebuild(session)
  expect(made.ranges).toBeGreaterThan(1)
  expect(jobs() - before).toBe(1)
  expect(made).toMatchObject({ byModel: 0, withoutModel: [{ code: "job_timeout", ranges: made.ranges }] })
  expect(made.withoutModel[0]?.message).toMatch(/not done within 300 s.*not asked for the ranges behind that/)
})

test("[HI7 HI8] what the model cannot write is made without it, and tried again by the next rebuild", () => {
  const session = folded()
  stage.historianReply = () => says("No.")
  const made = rebuild(session)
  expect(made.ranges).toBeGreaterThan(0)
  expect(made.cost).toBeGreaterThan(0)
  expect(made).toMatchObject({
    byModel: 0,
    withoutModel: [{ code: "job_output_invalid", ranges: made.ranges }],
  })
  expect(compartments(session).some(({ tiers }) => tiers[0].includes("Never wake the canary."))).toBe(true)
  stage.historianReply = (view) => writes(view)
  expect(rebuild(session)).toMatchObject({ ranges: made.ranges, byModel: made.ranges, withoutModel: [] })
  expect(compartments(session).some(({ tiers }) => tiers[0].includes("H Told anew."))).toBe(true)
})

test("[HI7 SU4] a model that never ends is told as such, and what it cost is not known", () => {
  const session = folded()
  stage.historianReply = () => ({ ...says("Late."), firstByteMs: 3_600_000 })
  const toSeq = compartments(session)[0]?.toSeq
  expect(stage.ask((runtime) => runtime.rebuild(session, { toSeq }))).toMatchObject({
    byModel: 0,
    withoutModel: [{ code: "job_timeout", ranges: 1 }],
    cost: null,
  })
})

test.each([
  [1_000, 2],
  [0.000_001, 1],
])(
  "[DR9 HI7] with %d dollars left, a range whose answer is useless is asked for so many times: %i",
  (left, times) => {
    const session = folded()
    const [first] = compartments(session)
    const { cost } = stage.ask((runtime) => runtime.get(session))
    stage.ask((runtime) => runtime.update(session, { budget: { money: (cost ?? 0) + left } }))
    const asked = stage.sent.length
    stage.historianReply = () => says("Sure.")
    stage.ask((runtime) => runtime.rebuild(session, { toSeq: first?.toSeq }))
    expect(stage.sent.length - asked).toBe(times)
  },
)

test("[HI7] killed behind any write it goes on with what is left, and a repeat asks for nothing", () => {
  const session = folded()
  stage.historianReply = (view) => writes(view)
  const [first] = compartments(session)
  let dead = true
  for (let write = 1; dead; write++) {
    stage.restart({ death: { write, moment: "after" } })
    const ended = stage.begin((runtime) =>
      runtime.rebuild(session, write % 2 === 0 ? {} : { toSeq: first?.toSeq }),
    )
    stage.until(() => stage.current.process.dead || ended() !== null)
    dead = stage.current.process.dead
    stage.kill()
    stage.boot()
  }
  rebuild(session)
  expect(compartments(session).every(({ id }) => /r[0-9a-f]{8}$/.test(id))).toBe(true)
  expect(compartments(session)[0]?.fromSeq).toBe(first?.fromSeq)
  const sent = stage.sent.length
  expect(rebuild(session)).toMatchObject({ ranges: 0, cost: 0 })
  expect(stage.sent).toHaveLength(sent)
})
