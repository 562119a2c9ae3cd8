/** Moves in the whole runtime: what a model is told of the place it works in, before and after (EP9, EP16). */
import { Effect, Schema } from "effect"
import { afterEach, expect, test } from "vitest"
import { make, type SystemContext, unavailable } from "@holdfast/core/context/index"
import type { SessionId } from "@holdfast/schema/id"
import type { Location } from "@holdfast/schema/location"
import { Stage, type StageOptions } from "../harness.ts"
import { workTool } from "../tools.ts"

/** A source that says something else in every directory. */
class PlaceSource {
  /** By directory; null is unavailable. */
  readonly rules = new Map<string, string | null>([
    [here, "tabs"],
    [there, "spaces"],
  ])
  loadMs = 0
  loads: string[] = []

  context({ directory }: Location): SystemContext {
    return make({
      key: "sim/rules",
      codec: Schema.String,
      mayBeUnavailable: true,
      load: Effect.sleep(this.loadMs).pipe(
        Effect.andThen(
          Effect.sync(() => {
            this.loads.push(directory)
            return this.rules.get(directory) ?? unavailable
          }),
        ),
      ),
      baseline: (rules) => `In ${directory} use ${rules}.`,
      update: (rules) => `From now on use ${rules}.`,
    })
  }
}

const here = "/sim/project"
const there = "/sim/elsewhere"

let stage: Stage
let source: PlaceSource
const open = (options: StageOptions = {}): SessionId => {
  source = new PlaceSource()
  const tools = [workTool((line) => stage.journal.push(line), { ms: 1_000 })]
  stage = new Stage({ sources: [source], tools, ...options })
  return stage.create()
}
afterEach(() => stage.close())

const callWork = { blocks: [{ type: "tool_use" as const, name: "work", input: {} }] }
const move = (session: SessionId, directory: string) =>
  stage.ask((runtime) => runtime.move(session, directory))
const causes = (session: SessionId) => stage.facts(session, "epoch.started").map(({ cause }) => cause)
const allSame = (session: SessionId) => expect(new Set(stage.verdicts(session))).toEqual(new Set(["same"]))

test("[EP7 EP9 EP16] the first request behind a move has the Baseline of the destination and no word of the origin", () => {
  const session = open()
  stage.converse(session, "One")
  source.rules.set(here, "three spaces")
  stage.converse(session, "Two")
  expect(stage.sent[1]?.raw).toContain("three spaces")
  expect(move(session, there)).toMatchObject({ id: session, location: { directory: there } })
  stage.restart()
  expect(stage.converse(session, "Three")).toEqual({ kind: "done" })
  const request = stage.sent[2]
  expect(request?.system[0]).toBe(`In ${there} use spaces.`)
  expect(request?.raw).not.toContain("three spaces")
  expect(request?.raw).not.toContain("tabs")
  expect(request?.lines).toEqual([
    "user: One",
    "assistant: Answer 1.",
    "user: Two",
    "assistant: Answer 2.",
    "user: Three",
  ])
  expect(causes(session)).toEqual(["first", "moved"])
  expect(stage.turns(session).at(-1)?.started).toMatchObject({
    pass: "fold",
    break: { reason: "epoch_moved" },
  })
  stage.converse(session, "Four")
  expect(stage.turns(session).at(-1)?.started.break).toBeNull()
  allSame(session)
})

test("[EP16] what a cut kept of the origin's sources goes with them", () => {
  const session = open({ contextTokens: 12_000 })
  stage.converse(session, "First")
  source.rules.set(here, "four spaces")
  stage.converse(session, "Second")
  // Without it there is no fresh Baseline, so that the cut keeps the latest text of the source.
  source.rules.set(here, null)
  for (let n = 0; n < 8; n++) stage.converse(session, `Prompt ${n} ${"word ".repeat(1_500)}`)
  const slots = stage.facts(session, "pass.applied").map((pass) => pass.slots?.delta ?? "")
  expect(slots.at(-1)).toContain("four spaces")
  move(session, there)
  stage.converse(session, "There")
  expect(stage.sent.at(-1)?.raw).not.toContain("four spaces")
  expect(stage.sent.at(-1)?.system[0]).toBe(`In ${there} use spaces.`)
  allSame(session)
})

test("[EP9] nothing is promoted at the destination before its Baseline is complete", () => {
  const session = open()
  stage.converse(session, "One")
  source.rules.set(there, null)
  move(session, there)
  const end = stage.converse(session, "Two")
  expect(end).toMatchObject({ kind: "blocked", reason: { code: "context_unavailable" } })
  expect(stage.status(session)).toMatchObject({ state: "blocked", pending: 1 })
  source.rules.set(there, "spaces")
  expect(stage.resume(session)).toEqual({ kind: "done" })
  expect(stage.sent.at(-1)?.system[0]).toBe(`In ${there} use spaces.`)
  expect(stage.sent).toHaveLength(2)
})

test("[EP9] a move while a turn runs holds from the next boundary on, and ends nothing", () => {
  const session = open()
  stage.replies.push(callWork)
  stage.prompt(session, "Begin")
  stage.until(() => stage.journal.some((line) => line.startsWith("start work")))
  move(session, there)
  expect(stage.settle(session)).toEqual({ kind: "done" })
  expect(stage.sent.map(({ system }) => system[0])).toEqual([
    `In ${here} use tabs.`,
    `In ${there} use spaces.`,
  ])
  expect(stage.sent[1]?.lines).toEqual(["user: Begin", "call: work", "result: worked"])
  expect(causes(session)).toEqual(["first", "moved"])
  allSame(session)
})

test.each(["before the first turn", "later"])(
  "[EP9 EP13] a boundary that was looked at where the Session no longer is, is looked at anew: %s",
  (moment) => {
    const session = open()
    if (moment === "later") {
      stage.converse(session, "One")
      source.rules.set(here, "three spaces")
    }
    const sent = stage.sent.length
    source.loads = []
    source.loadMs = 1_000
    stage.prompt(session, "Go")
    stage.pass(500)
    move(session, there)
    expect(stage.settle(session)).toEqual({ kind: "done" })
    expect(source.loads).toEqual([here, there])
    expect(stage.sent).toHaveLength(sent + 1)
    expect(stage.sent.at(-1)?.system[0]).toBe(`In ${there} use spaces.`)
    expect(stage.facts(session, "context.updated")).toEqual([])
    expect(causes(session)).toEqual(moment === "later" ? ["first", "moved"] : ["first"])
    allSame(session)
  },
)

test("[EP9] what blocks at the origin does not block at the destination", () => {
  const session = open()
  source.rules.set(here, null)
  source.loadMs = 1_000
  stage.prompt(session, "Go")
  stage.pass(500)
  move(session, there)
  expect(stage.settle(session)).toEqual({ kind: "done" })
  expect(stage.facts(session, "session.updated")).toEqual([])

  const blocked = stage.create()
  source.loadMs = 0
  stage.locationThere = false
  expect(stage.converse(blocked, "Go")).toMatchObject({ kind: "blocked" })
  expect(stage.status(blocked)).toMatchObject({ state: "blocked", reason: { code: "location_missing" } })
  stage.locationThere = true
  move(blocked, there)
  expect(stage.status(blocked)).toMatchObject({ state: "idle", pending: 1, reason: null })
  expect(stage.resume(blocked)).toEqual({ kind: "done" })
})

test("[SS1 EP9] moved to where it is, it stays as it is; where nothing is, it is refused", () => {
  const session = open()
  stage.converse(session, "One")
  const before = stage.events(session)
  expect(move(session, here).location.directory).toBe(here)
  expect(stage.events(session)).toEqual(before)
  stage.missing.add("/sim/nowhere")
  const refused = stage.failure((runtime) => runtime.move(session, "/sim/nowhere"))
  expect(refused).toMatchObject({ _tag: "LocationMissing", directory: "/sim/nowhere" })
  expect(stage.failure((runtime) => runtime.move("ses_none", there))).toMatchObject({
    _tag: "SessionNotFound",
  })
  expect(stage.events(session)).toEqual(before)
  stage.converse(session, "Two")
  expect(stage.turns(session).at(-1)?.started).toMatchObject({ pass: "hold", break: null })
})

test("[SS1] is renamed and archived once: saying the same again writes nothing", () => {
  const session = open()
  const rename = () => stage.ask((runtime) => runtime.update(session, { title: "Mine" }))
  const archive = () => stage.ask((runtime) => runtime.archive(session, true))
  const list = (archived: boolean) =>
    stage.ask((runtime) => runtime.list({ limit: 9, archived })).map(({ id }) => id)
  expect([rename().title, archive().archived]).toEqual(["Mine", true])
  const before = stage.events(session)
  expect([rename().title, archive().archived]).toEqual(["Mine", true])
  expect(stage.events(session)).toEqual(before)
  expect([list(false), list(true)]).toEqual([[], [session]])
  stage.converse(session, "Still there?")
  expect([list(false), list(true)]).toEqual([[session], []])
})
