/**
 * What is true after every pass, whatever came before it:
 *
 *   PS2   a Hold repeats the previous request and adds to it; a Refresh leaves system, agent prompt and History Baseline
 *   PS3   a Hold freezes nothing, and the log alone gives the same request again
 *   HB4   each message is raw, or in one compartment, and each compartment below the boundary stands in one place
 *   HB6   with nothing new, the pass behind a break is a Hold
 *   TG1 TG2  tags stay, and so does what a drop left
 *   TU6   a request fits, or names what cannot be reduced
 *   HB2 HB3  a Fold shows each memory once, a Delta tells changes of those alone, and what is added or ends breaks nothing
 */
import { encodeState, windowLimits } from "@holdfast/core/session/request/request"
import type { Block } from "@holdfast/llm/wire"
import { fits, protectedFrom, sizeTokens, unitsOf } from "@holdfast/recall"
import type { DropDetail } from "@holdfast/recall"
import { historyOf, newestInputs, type SessionState } from "@holdfast/schema/state/state"
import { type Frozen, unitKey } from "@holdfast/schema/state/frozen"
import type { Break } from "@holdfast/schema/turn"
import { Draw } from "./draw.ts"
import { grown, judgeKnowledge } from "./knowledge.ts"
import type { Oracle } from "./play.ts"
import { type Planned, World } from "./world.ts"

/** What a story broke. */
export class Broken extends Error {}

function expect(holds: boolean, what: string, detail: () => unknown = () => ""): void {
  if (!holds) throw new Broken(`${what} ${JSON.stringify(detail()) ?? ""}`.trim())
}

export interface Seen {
  passes: number
  holds: number
  refreshes: number
  folds: number
  stuck: number
  /** Compartments of a historian beside the turn that a pass took over. */
  takenOver: number
  drops: number
  reasons: Map<string, number>
  /** What the stories came to. */
  deeds: Map<string, number>
}

export const nothingSeen = (): Seen => ({
  passes: 0,
  holds: 0,
  refreshes: 0,
  folds: 0,
  stuck: 0,
  takenOver: 0,
  drops: 0,
  reasons: new Map(),
  deeds: new Map(),
})

/** Of the Holds, how many are asked again. */
const echoOneOf = 4

export function oracleOf(seen: Seen): Oracle {
  const said = new Set<number>()
  const tags = new Map<string, number>()
  return {
    passed: (world, planned) => {
      count(seen, planned)
      for (const { seq, kind } of planned.asked.messages) if (kind !== "system") said.add(seq)
      checkPass(planned)
      const left = checkPlaces(planned.asked, said)
      if (planned.plan.kind === "ready") checkSlots(planned.asked, left)
      checkFrozen(planned.before.frozen, planned.asked)
      checkTags(planned.asked, tags)
      const wrong = judgeKnowledge(planned)
      expect(wrong === null, wrong ?? "", () => planned.asked.frozen.slots)
      if (planned.plan.kind === "refused") return
      checkRebuilt(planned)
      // What came while it was planned is new to the next one.
      const echoes = !planned.overtaken && world.log.length % echoOneOf === 0
      if (planned.plan.opened.started.pass !== "hold" || echoes) checkEcho(world, planned)
    },
    restarted: ({ state, previous }) => {
      const unsent = state.lastTurn?.settled?.reason?.code === "window_exceeded"
      expect(
        previous !== null || state.lastTurn === null || unsent,
        "a restart that cannot go on",
        () => state.lastTurn,
      )
      checkTags(state, tags)
      checkPlaces(state, said)
    },
    did: (what) => add(seen.deeds, what),
  }
}

const add = (counts: Map<string, number>, name: string): void =>
  void counts.set(name, (counts.get(name) ?? 0) + 1)

function count(seen: Seen, { plan, asked, before }: Planned): void {
  const { pass, break: found } = plan.opened.started
  seen.passes += 1
  if (plan.kind === "refused") seen.stuck += 1
  else if (pass === "hold") seen.holds += 1
  else if (pass === "refresh") seen.refreshes += 1
  else seen.folds += 1
  const reason = found?.reason ?? "none"
  add(seen.reasons, reason)
  seen.drops += asked.frozen.gone.size + asked.frozen.skeletons.size > 0 ? 1 : 0
  if (asked.frozen.from > before.frozen.from && before.summary.historyEnd >= before.frozen.from)
    seen.takenOver += 1
}

function checkPass({ plan, previous, asked, selection, before }: Planned): void {
  const { started, blocks } = plan.opened
  const applied = plan.commit.facts.find(({ type }) => type === "pass.applied")
  if (plan.kind === "refused") {
    expect(plan.reason.code !== "illegal_request", "illegal", () => plan.reason)
    expect(/tokens/.test(plan.reason.message), "a refusal names nothing", () => plan.reason)
    return
  }
  const newest = newestInputs(historyOf(asked))
  expect(newest.length > 0, "no input is shown")
  expect(started.break?.reason !== "unexplained", "an unexplained break", () => started.break)
  if (plan.opened.windowSuspected === null)
    expect(fits(started.request.tokensEstimated, windowLimits(asked, selection)), "too large", () => [
      started.request.tokensEstimated,
      started.break,
    ])
  if (started.pass === "hold") {
    expect(applied === undefined && asked.frozen === before.frozen, "a Hold that freezes something")
    expect(previous === null || isPrefix(previous, blocks), "a Hold that breaks the prefix")
    return
  }
  expect(applied !== undefined, "a break without a record")
  if (started.pass === "refresh" && previous !== null)
    for (const segment of ["system", "agent", "history-baseline"] as const)
      expect(hashes(previous, segment) === hashes(blocks, segment), `a Refresh that changes ${segment}`)
}

const isPrefix = (earlier: readonly Block[], later: readonly Block[]): boolean =>
  earlier.every(({ json }, at) => json === later[at]?.json)

const hashes = (blocks: readonly Block[], segment: Block["segment"]): string =>
  blocks.flatMap((block) => (block.segment === segment ? [block.hash] : [])).join()

/** HB4. What a historian published beyond the window waits, and its messages are raw until then. */
export function checkPlaces(state: SessionState, said: ReadonlySet<number>): readonly string[] {
  const { frozen, items } = state
  const raw = new Set(state.messages.map(({ seq }) => seq))
  const standing = [...items.compartments.values()].toSorted((a, b) => a.fromSeq - b.fromSeq)
  standing.forEach((one, at) => {
    const before = standing[at - 1]
    expect(one.fromSeq <= one.toSeq, "a compartment of nothing", () => one.id)
    expect(before === undefined || before.toSeq < one.fromSeq, "compartments overlap", () => [
      before?.id,
      one.id,
    ])
  })
  const isRaw = ({ fromSeq, toSeq }: (typeof standing)[number]): boolean =>
    [...raw].some((seq) => seq >= fromSeq && seq <= toSeq)
  const left = standing.filter((one) => one.toSeq < frozen.from && !isRaw(one))
  for (const seq of said) {
    const covering = left.filter(({ fromSeq, toSeq }) => seq >= fromSeq && seq <= toSeq).length
    expect(covering + Number(raw.has(seq)) === 1, "a message not in exactly one place", () => ({
      seq,
      covering,
      raw: raw.has(seq),
      from: frozen.from,
      kept: [...frozen.kept],
      end: state.summary.historyEnd,
    }))
  }
  return left.map(({ id }) => id)
}

/** Each compartment below the boundary is in the Baseline, in the Delta, or known to be left out. */
export function checkSlots({ frozen: { slots } }: SessionState, left: readonly string[]): void {
  const markers = (slots?.markers ?? {}) as {
    readonly shown?: readonly { readonly id: string }[]
    readonly hidden?: readonly string[]
    readonly added?: readonly string[]
  }
  const shown = (markers.shown ?? []).map(({ id }) => id)
  const placed = [...shown, ...(markers.hidden ?? []), ...(markers.added ?? [])]
  expect(placed.toSorted().join() === left.toSorted().join(), "compartments not told once", () => [
    placed,
    left,
  ])
  for (const id of shown)
    expect(lines(slots?.baseline, id) === 1, "a compartment the Baseline does not show", () => id)
  for (const id of markers.added ?? [])
    expect(lines(slots?.delta, id) === 1, "a compartment the Delta does not show", () => id)
  expect(slots === null || slots.delta !== "", "an empty Delta")
}

const lines = (text = "", id: string): number =>
  text.split("\n").filter((line) => line === `## ${id}` || line.startsWith(`## ${id} `)).length

/** TG2, for as long as the message is in the window. */
export function checkFrozen(before: Frozen, { frozen: after, messages }: SessionState): void {
  const standing = new Set(
    messages.flatMap((message) =>
      message.kind === "assistant"
        ? message.parts.flatMap(({ part }) => (part.type === "call" ? [part.call as string] : []))
        : [message.id as string],
    ),
  )
  for (const [key, was, never] of [
    ...[...before.gone].map((each) => [each, after.gone, after.skeletons] as const),
    ...[...before.skeletons].map((each) => [each, after.skeletons, after.gone] as const),
  ])
    if (standing.has(key)) expect(was.has(key) && !never.has(key), "a drop that changes its form", () => key)
}

function checkTags(state: SessionState, tags: Map<string, number>): void {
  const units = unitsOf(historyOf(state), state.frozen)
  expect(new Set(units.map(({ tag }) => tag)).size === units.length, "two units of one tag")
  for (const unit of units) {
    const { tag } = unit
    const key = unitKey(unit)
    expect((tags.get(key) ?? tag) === tag, "a tag that changes", () => key)
    tags.set(key, tag)
  }
}

/** TU1, PS3: what stands in the log is all that the request was made of. */
function checkRebuilt({ plan, asked, selection }: Planned): void {
  const rebuilt = encodeState(asked, selection)
  const same =
    isPrefix(plan.opened.blocks, rebuilt.blocks) && rebuilt.blocks.length === plan.opened.blocks.length
  expect(same, "a request that the log does not give again")
}

/** The same question again, behind an answer of nothing; null where nothing is asked. */
function echo(world: World, { plan, asked, selection }: Planned, knowledge: World["knowledge"]) {
  const { place, nowMs, previous } = world
  const copy = new World(place)
  copy.state = { ...world.state, inbox: [] }
  copy.nowMs = nowMs
  copy.previous = previous
  copy.historian = world.historian
  copy.knowledge = knowledge
  // As large as it was thought to be, so that nothing is learned.
  copy.settle("done", sizeTokens(plan.opened.started.request.tokensEstimated, windowLimits(asked, selection)))
  copy.nowMs = nowMs
  return copy.look(null, true)
}

/** A cut that memory left nothing of may be worth its break once there is less memory; without that, it is none. */
function isCutOfLess(world: World, planned: Planned, found: Break | null): boolean {
  const { started } = planned.plan.opened
  if (started.pass !== "refresh" || started.break !== null) return false
  if (found?.reason.startsWith("cut_") !== true) return false
  return echo(world, planned, world.knowledge)?.plan.opened.started.pass === "hold"
}

/** HB6, and no loop: the same question again is a Hold, whatever became of memory. */
function checkEcho(world: World, planned: Planned): void {
  const { plan, refusal, asked, before } = planned
  const { knowledge, previous } = world
  if (plan.opened.windowSuspected !== null || refusal?.suspected === true) return
  const next = echo(world, planned, knowledge && grown(knowledge, new Draw(world.log.length)))
  if (next === null) return
  expect(next.plan.kind === "ready", "stuck behind a request that could be sent", () => next.plan)
  const { pass, break: found } = next.plan.opened.started
  // A Refresh for another reason may be the first that gets to the work that is due.
  const executed = asked.items.executedSeq > before.items.executedSeq || plan.opened.started.pass === "hold"
  const holds = pass === "hold" || !executed || isCutOfLess(world, planned, found)
  expect(holds, "a break behind a break", () => ({
    first: plan.opened.started.pass,
    reason: plan.opened.started.break,
    pass,
    found,
  }))
  const last = previous ?? []
  expect(
    pass !== "hold" || isPrefix(last, next.plan.opened.blocks),
    "a Hold behind it that breaks the prefix",
  )
  if (plan.opened.started.pass !== "fold") return
  const units = unitsOf(historyOf(asked), asked.frozen)
  const limit = protectedFrom(units)
  for (const { kind, detail, signal } of asked.items.signals.values()) {
    if (kind !== "drop") continue
    const wanted = new Set((detail as unknown as DropDetail).units.map(unitKey))
    const free = units.filter(
      (unit) =>
        wanted.has(unitKey(unit)) &&
        !unit.dropped &&
        unit.tag < limit &&
        (unit.part === null || unit.part.outcome !== null),
    )
    expect(free.length === 0, "a Fold that leaves drops behind", () => signal)
  }
}
