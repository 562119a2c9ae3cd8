import { afterEach, expect, test } from "vitest"
import { absent, unavailable } from "@holdfast/core/context/index"
import { FactSource } from "./fact-source.ts"
import { Stage } from "./harness.ts"
import { saidBySystem } from "./sent-request.ts"
import { workTool } from "./tools.ts"

let stage: Stage
let weather: FactSource
let place: FactSource
const open = () => {
  weather = new FactSource("sim/weather", "sunny")
  place = new FactSource("sim/place", "Oslo")
  const tools = [workTool((line) => stage.journal.push(line), { ms: 1_000 })]
  stage = new Stage({ sources: [weather, place], tools })
  return stage.create()
}
afterEach(() => stage.close())

const baseline = "sim/weather is sunny.\n\nsim/place is Oslo."
const callWork = { blocks: [{ type: "tool_use" as const, name: "work", input: {} }] }
const types = (session: string) =>
  stage.ask((runtime) => runtime.events(session, 0, 1_000, false)).map(({ fact }) => fact.type)

test("[EP1] repeats the Baseline byte for byte within the Epoch, across restarts too", () => {
  const session = open()
  stage.converse(session, "One")
  weather.value = "rainy"
  stage.converse(session, "Two")
  stage.restart()
  stage.converse(session, "Three")
  stage.kill()
  stage.boot()
  stage.converse(session, "Four")
  expect(stage.sent.map(({ system }) => system[0])).toEqual([baseline, baseline, baseline, baseline])
  expect(stage.facts(session, "epoch.started").map((fact) => fact.baseline)).toEqual([baseline])
})

test("[EP2 SC4] blocks the first turn while the context is unavailable, and a later wake retries it", () => {
  const session = open()
  weather.value = unavailable
  place.value = unavailable
  const end = stage.converse(session, "Hello")
  expect(end).toMatchObject({ kind: "blocked", reason: { code: "context_unavailable" } })
  const status = stage.status(session)
  expect(status).toMatchObject({ state: "blocked", pending: 1, owing: false })
  expect(status.reason?.message).toContain("sim/weather, sim/place")
  expect(types(session)).toEqual(["session.created", "prompt.admitted", "session.updated"])

  weather.value = "sunny"
  place.value = "Oslo"
  stage.pass(60_000)
  expect(stage.sent).toHaveLength(0)

  expect(stage.converse(session, "Anybody?")).toEqual({ kind: "done" })
  expect(stage.sent.map(({ lines }) => lines)).toEqual([["user: Hello", "user: Anybody?"]])
  expect(types(session).slice(4)).toEqual([
    "epoch.started",
    "prompt.promoted",
    "prompt.promoted",
    "pass.applied",
    "turn.started",
    "part.recorded",
    "turn.settled",
  ])
  expect(stage.status(session)).toMatchObject({ state: "idle", reason: null })
})

test("[EP2] retries a blocked first turn on resume, after a restart too, and says the block once", () => {
  const session = open()
  weather.value = unavailable
  stage.converse(session, "Hello")
  stage.resume(session)
  stage.restart()
  expect(stage.resume(session)).toMatchObject({ kind: "blocked" })
  expect(stage.facts(session, "session.updated")).toHaveLength(1)
  weather.value = "sunny"
  expect(stage.resume(session)).toEqual({ kind: "done" })
  expect(stage.sent[0]?.lines).toEqual(["user: Hello"])
})

test("[EP3 EP4] puts settled results, then promoted input, then one combined system message", () => {
  const session = open()
  stage.replies.push(callWork)
  stage.prompt(session, "Begin")
  stage.until(() => stage.journal.some((line) => line.startsWith("start work")))
  weather.value = "rainy"
  place.value = "Bergen"
  stage.prompt(session, "First")
  stage.prompt(session, "Second")
  stage.settle(session)
  const update = "sim/weather is now rainy.\n\nsim/place is now Bergen."
  expect(stage.sent[1]?.lines).toEqual([
    "user: Begin",
    "call: work",
    "result: worked",
    "user: First",
    "user: Second",
    saidBySystem(update),
  ])
  const systems = stage.messages(session).filter((message) => message.kind === "system")
  expect(systems).toMatchObject([{ text: update, keys: ["sim/weather", "sim/place"] }])
})

test("[EP3] promotes nothing at a boundary whose observation is defective", () => {
  const session = open()
  stage.converse(session, "One")
  weather.breaks = "no barometer"
  const end = stage.converse(session, "Two")
  expect(end).toMatchObject({ kind: "blocked", reason: { code: "context_defect" } })
  expect(stage.status(session)).toMatchObject({ state: "blocked", pending: 1 })
  expect(stage.messages(session).filter((message) => message.kind === "user")).toHaveLength(1)
})

test("[EP7 EP13] starts an Epoch at an incompatible transition, folds the context in, and drops old system messages", () => {
  const session = open()
  stage.converse(session, "One")
  weather.value = "rainy"
  stage.converse(session, "Two")
  weather.value = "windy"
  weather.shape = "body"
  stage.converse(session, "Three")
  const [, second, third] = stage.sent
  expect(second?.lines.at(-1)).toBe(saidBySystem("sim/weather is now rainy."))
  expect(third?.system[0]).toBe("sim/weather is windy.\n\nsim/place is Oslo.")
  expect(third?.raw).not.toContain("rainy")
  expect(third?.lines).toEqual([
    "user: One",
    "assistant: Answer 1.",
    "user: Two",
    "assistant: Answer 2.",
    "user: Three",
  ])
  expect(stage.facts(session, "epoch.started").map(({ cause }) => cause)).toEqual(["first", "incompatible"])
  const kinds = stage.messages(session).map(({ kind }) => kind)
  expect(kinds.filter((kind) => kind === "system")).toHaveLength(1)
})

test("[EP8 EP13] goes on under the old Baseline while replacement is blocked", () => {
  const session = open()
  stage.converse(session, "One")
  weather.shape = "body"
  place.value = unavailable
  expect(stage.converse(session, "Two")).toEqual({ kind: "done" })
  expect(stage.sent[1]?.system[0]).toBe(baseline)
  expect(stage.facts(session, "epoch.started")).toHaveLength(1)
  expect(stage.facts(session, "context.updated")).toHaveLength(0)
  place.value = "Oslo"
  stage.converse(session, "Three")
  expect(stage.facts(session, "epoch.started")).toHaveLength(2)
})

test("[EP13] observes every source once a boundary, whatever follows", () => {
  const session = open()
  stage.converse(session, "One")
  expect([weather.loads, place.loads]).toEqual([1, 1])
  weather.shape = "body"
  stage.converse(session, "Two")
  expect([weather.loads, place.loads]).toEqual([2, 2])
})

test("[EP11 EP15] lists system messages as messages of their own, and the Baseline never", () => {
  const session = open()
  stage.converse(session, "One")
  weather.value = absent
  stage.converse(session, "Two")
  const messages = stage.messages(session)
  expect(messages.map(({ kind }) => kind)).toEqual(["user", "assistant", "user", "system", "assistant"])
  expect(messages[3]).toMatchObject({ text: "sim/weather no longer holds.", keys: ["sim/weather"] })
  expect(JSON.stringify(messages)).not.toContain("sunny")
  const window = stage.ask((_, store) => store.window(session))
  expect(JSON.stringify(window?.state.messages)).not.toContain("sunny")
})

test("[EP15 EP7] Session History holds system messages of this Epoch alone; the record keeps those of the last", () => {
  const session = open()
  stage.converse(session, "One")
  weather.value = "rainy"
  stage.converse(session, "Two")
  weather.shape = "body"
  stage.converse(session, "Three")
  place.value = "Bergen"
  stage.converse(session, "Four")
  expect(stage.facts(session, "epoch.started")).toHaveLength(2)
  const systemOf = (messages: readonly { readonly kind: string }[]) =>
    messages.flatMap((one) => (one.kind === "system" ? [(one as unknown as { text: string }).text] : []))
  const told = "sim/place is now Bergen."
  expect(systemOf(stage.ask((_, store) => store.window(session))?.state.messages ?? [])).toEqual([told])
  expect(systemOf(stage.messages(session))).toEqual(["sim/weather is now rainy.", told])
  expect(stage.sent.at(-1)?.raw).not.toContain("is now rainy")
})

test("[EP11] hides system messages from a transcript that did not ask for them", () => {
  const session = open()
  stage.converse(session, "One")
  weather.value = "rainy"
  stage.converse(session, "Two")
  const plain = stage.ask((runtime) => runtime.messages(session, { afterSeq: 0, limit: 100 }))
  expect(plain.map(({ kind }) => kind)).toEqual(["user", "assistant", "user", "assistant"])
})

test("[EP14] keeps every byte of the snapshot out of requests and messages", () => {
  const session = open()
  stage.converse(session, "One")
  weather.value = "rainy"
  stage.converse(session, "Two")
  const snapshot = stage.ask((_, store) => store.window(session))?.state.epoch?.snapshot
  expect(snapshot).toEqual({
    "sim/place": { value: { text: "Oslo" }, removal: "sim/place no longer holds." },
    "sim/weather": { value: { text: "rainy" }, removal: "sim/weather no longer holds." },
  })
  const said = JSON.stringify([stage.sent.map(({ raw }) => JSON.parse(raw)), stage.messages(session)])
  expect(said).not.toContain("no longer holds")
  expect(said).not.toContain('{"text":"Oslo"}')
})

test("[SC15] ends the turn visibly on a loader that throws, names the source and stores nothing of it", () => {
  const session = open()
  place.breaks = "map lost"
  const end = stage.converse(session, "Hello")
  expect(end).toMatchObject({ kind: "blocked", reason: { code: "context_defect" } })
  expect(stage.status(session).reason?.message).toMatch(/sim\/place.*map lost\. Nothing was sent;/)
  expect(stage.sent).toHaveLength(0)
  expect(types(session)).toEqual(["session.created", "prompt.admitted", "session.updated"])
})

test("[SC15] ends the turn visibly where what it works with cannot be put together, and keeps its prompt", () => {
  let breaks = true
  const settings = {
    get textCompression() {
      if (breaks) throw new Error("no order")
      return false
    },
  }
  stage = new Stage({ settings })
  const session = stage.create()
  const reason = { code: "context_defect", message: expect.stringMatching(/no order\. Nothing was sent;/) }
  expect(stage.converse(session, "Hello")).toMatchObject({ kind: "blocked", reason })
  expect(stage.status(session)).toMatchObject({ state: "blocked", pending: 1, reason })
  stage.restart()
  expect(stage.status(session)).toMatchObject({ state: "blocked", pending: 1, reason })
  const preview = stage.ask((runtime) => runtime.request(session))
  expect(preview).toMatchObject({ obstacle: reason, segments: [] })
  breaks = false
  expect(stage.resume(session)).toEqual({ kind: "done" })
  expect(stage.sent[0]?.lines).toEqual(["user: Hello"])
})

test("[SC4] treats a source over its time limit as unavailable and blocks the first turn", () => {
  const session = open()
  weather.loadMs = 5_001
  const before = stage.world.nowMs
  expect(stage.converse(session, "Hello")).toMatchObject({
    kind: "blocked",
    reason: { code: "context_unavailable", message: expect.stringContaining("sim/weather") },
  })
  expect(stage.world.nowMs - before).toBe(5_000)
})
