/** Bundles in the whole runtime: what a Session sends in another store, and that nothing of either is lost (ST4). */
import { afterEach, expect, test } from "vitest"
import type { SessionId } from "@holdfast/schema/id"
import type { Runtime } from "@holdfast/core/runtime"
import type { ImportOptions } from "@holdfast/core/bundle/calls"
import { FactSource } from "../fact-source.ts"
import { Stage, type StageOptions } from "../harness.ts"
import { workTool } from "../tools.ts"

const stages: Stage[] = []
function open(options: StageOptions = {}): Stage {
  const stage: Stage = new Stage({
    sources: [new FactSource("sim/weather", "sunny")],
    tools: [workTool((line) => stage.journal.push(line), { ms: 1_000 })],
    ...options,
  })
  stages.push(stage)
  return stage
}
afterEach(() => stages.splice(0).forEach((stage) => stage.close()))

const callWork = { blocks: [{ type: "tool_use" as const, name: "work", input: {} }] }

function talked(stage: Stage): SessionId {
  const session = stage.create()
  stage.replies.push(callWork)
  stage.converse(session, "One")
  stage.converse(session, "Two")
  return session
}

async function bundleOf(stage: Stage, sessionID: SessionId): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const bytes of stage.ask((runtime) => runtime.exportSession({ sessionID }))) pieces.push(bytes)
  return Buffer.concat(pieces)
}

let uploads = 0
const piece = (data: Uint8Array, options: ImportOptions = {}) => {
  const upload = `upload-${++uploads}`
  return { upload, offset: 0, data, last: true, ...options }
}
function take(stage: Stage, data: Uint8Array, options: ImportOptions = {}) {
  const { imported } = stage.ask((runtime) => runtime.importPiece(piece(data, options)))
  if (imported === null) throw new Error("the bundle is not whole")
  return imported
}

test("[ST4] the next request after an import into an empty store is the same, byte for byte", async () => {
  const here = open()
  const session = talked(here)
  const bundle = await bundleOf(here, session)
  expect(await bundleOf(here, session)).toEqual(bundle)
  const there = open()
  expect(take(there, bundle)).toMatchObject({ change: "created", messages: 5, calls: 1, permissions: "none" })
  expect(there.events(session)).toEqual(here.events(session))
  expect(await bundleOf(there, session)).toEqual(bundle)
  expect(new Set(there.verdicts(session))).toEqual(new Set(["same"]))
  there.restart()
  here.converse(session, "Three")
  expect(there.converse(session, "Three")).toEqual({ kind: "done" })
  expect(there.sent).toHaveLength(1)
  expect(there.sent.at(-1)?.raw).toBe(here.sent.at(-1)?.raw)
  expect(there.turns(session).at(-1)?.started).toMatchObject({ pass: "hold", break: null })
})

test("[ST4] behind a cut the next request is the same, too", async () => {
  const here = open({ contextTokens: 12_000 })
  const session = here.create()
  for (let n = 0; n < 6; n++) here.converse(session, `Prompt ${n} ${"word ".repeat(1_500)}`)
  expect(here.facts(session, "pass.applied").some(({ reason }) => reason.startsWith("cut_"))).toBe(true)
  const there = open({ contextTokens: 12_000 })
  take(there, await bundleOf(here, session))
  here.converse(session, "And?")
  there.converse(session, "And?")
  expect(there.sent.at(-1)?.raw).toBe(here.sent.at(-1)?.raw)
})

test("[ST4 SS1] twice is once; what went on extends; where both went on there are two, and nothing is lost", async () => {
  const here = open()
  const session = talked(here)
  const there = open({ seed: 7 })
  const first = await bundleOf(here, session)
  take(there, first)
  expect(take(there, first).change).toBe("same")
  here.converse(session, "Three")
  const second = await bundleOf(here, session)
  expect(take(there, second).change).toBe("extended")
  expect(take(there, first).change).toBe("older")
  expect(there.events(session)).toEqual(here.events(session))
  const { usage } = there.ask((runtime) => runtime.get(session))
  const common = here.events(session).length
  here.converse(session, "Four")
  there.converse(session, "Another four")
  const ours = there.events(session)
  const third = await bundleOf(here, session)
  const copy = take(there, third)
  expect(copy).toMatchObject({ change: "copied", source: session })
  expect(copy.session.origin).toEqual({ kind: "import", source: session, seq: common })
  // The beginning that both share was spent once.
  expect(copy.session.usage.output).toBeLessThan(usage.output)
  expect(take(there, third)).toMatchObject({ change: "same", session: { id: copy.session.id } })
  expect(there.events(session)).toEqual(ours)
  here.converse(session, "Five")
  const fourth = await bundleOf(here, session)
  expect(take(there, fourth)).toMatchObject({ change: "extended", session: { id: copy.session.id } })
  expect(there.ask((runtime) => runtime.list({ limit: 10 }))).toHaveLength(2)
  here.converse(session, "Six")
  there.converse(copy.session.id, "Six")
  expect(there.sent.at(-1)?.raw).toBe(here.sent.at(-1)?.raw)
  expect(new Set(there.verdicts(copy.session.id))).toEqual(new Set(["same"]))
})

test("[ST4] a bundle that goes there and back again changes nothing", async () => {
  const here = open()
  const session = talked(here)
  const there = open()
  take(there, await bundleOf(here, session))
  there.converse(session, "Three")
  expect(take(here, await bundleOf(there, session)).change).toBe("extended")
  expect(here.events(session)).toEqual(there.events(session))
})

test("[ST4] a Session at work leaves as far as it is settled, with the prompts that wait", async () => {
  const here = open()
  const session = talked(here)
  here.replies.push(callWork)
  here.prompt(session, "Three")
  here.until(() => here.journal.filter((line) => line.startsWith("start work")).length === 2)
  const bundle = await bundleOf(here, session)
  const there = open()
  const { session: taken } = take(there, bundle)
  expect(taken.status).toMatchObject({ state: "idle", pending: 1, owing: false })
  there.settle(session)
  expect(there.sent).toHaveLength(0)
  expect(there.resume(session)).toEqual({ kind: "done" })
  expect(there.sent[0]?.raw).toBe(here.sent.at(-1)?.raw)
})

test("[ST4 DR5] nothing begins by an import, whatever the policy of the Session says", async () => {
  const here = open()
  const session = here.create("continue")
  here.ask((runtime) => runtime.prompt({ sessionID: session, text: "Go", resume: false }))
  const there = open()
  const bundle = await bundleOf(here, session)
  expect(take(there, bundle)).toMatchObject({ permissions: "dropped", session: { policy: "settle" } })
  there.restart()
  there.settle(session)
  expect(there.sent).toHaveLength(0)
})

test("[ST4 EP9] without its directory a Session is here and waits, until it is moved", async () => {
  const here = open()
  const session = talked(here)
  const bundle = await bundleOf(here, session)
  const there = open()
  take(there, bundle)
  there.locationThere = false
  there.converse(session, "Three")
  expect(there.status(session)).toMatchObject({ state: "blocked", pending: 1 })
  there.locationThere = true
  there.missing.add("/nowhere")
  const refused = there.failure((runtime) => runtime.importPiece(piece(bundle, { directory: "/nowhere" })))
  expect(refused).toMatchObject({ _tag: "LocationMissing" })
  for (let times = 0; times < 2; times++) {
    const { session: moved } = take(there, bundle, { directory: "/sim/elsewhere" })
    expect(moved.location.directory).toBe("/sim/elsewhere")
    expect(there.facts(session, "session.moved")).toHaveLength(1)
  }
})

test("[ST4] a kill or a power cut at the write of an import leaves all of it or nothing", async () => {
  const here = open()
  const session = talked(here)
  const log = here.events(session)
  const bundle = await bundleOf(here, session)
  for (const moment of ["before", "after"] as const)
    for (const crash of ["kill", "power-cut"] as const) {
      const there = open()
      there.restart({ death: { write: 1, moment, crash } })
      there.begin((runtime) => runtime.importPiece(piece(bundle)))
      there.until(() => there.current.process.dead)
      there.kill()
      there.boot()
      const found = there.ask((_, store) => store.events(session, 0, 1_000)).events
      expect([moment, crash, found]).toEqual([moment, crash, moment === "before" ? [] : log])
      expect(take(there, bundle).change).toBe(moment === "before" ? "created" : "same")
      expect(there.events(session)).toEqual(log)
      expect(there.ask((_, store) => store.inspect())).toMatchObject({ damage: [], stale: [] })
    }
})

test("[ST4] pieces follow on each other; one that came before is passed over", async () => {
  const here = open()
  const session = talked(here)
  const bundle = await bundleOf(here, session)
  const there = open()
  type Sent = readonly [upload: string, offset: number, data: Uint8Array, last?: boolean]
  const sent =
    (...[upload, offset, data, last = false]: Sent) =>
    (runtime: Runtime) =>
      runtime.importPiece({ upload, offset, data, last })
  const answer = (...given: Sent) => there.ask(sent(...given))
  const refusal = (...given: Sent) => there.failure(sent(...given))
  const outOfPlace = { _tag: "BundleRefused", code: "pieces" }
  const half = bundle.length >> 1
  const [front, back] = [bundle.subarray(0, half), bundle.subarray(half)]
  expect(refusal("a", 5, front)).toMatchObject(outOfPlace)
  expect(answer("a", 0, front)).toEqual({ received: half, imported: null })
  expect(answer("a", 0, front)).toEqual({ received: half, imported: null })
  expect(refusal("a", half + 1, back)).toMatchObject(outOfPlace)
  expect(there.ask((_, store) => store.session(session))).toBeNull()
  expect(answer("a", half, back, true)).toMatchObject({ imported: { change: "created" } })
  expect(refusal("a", bundle.length, Buffer.alloc(0), true)).toMatchObject(outOfPlace)
  for (let n = 0; n < 8; n++) answer(`many-${n}`, 0, front)
  expect(refusal("one-more", 0, front)).toMatchObject(outOfPlace)
})
