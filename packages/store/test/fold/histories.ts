/**
 * Random legal histories over all fact types, for the properties of the fold and of rebuilds.
 *
 * A step turns what stands into the next command that the store accepts, or null where it does not
 * apply. Steps of others need no lease; steps of the drain are appends. `n` makes ids, `pick` chooses.
 */
import type { Fact, FactOf } from "@holdfast/schema/event"
import type { Compartment } from "@holdfast/schema/fact/recall"
import type { Media } from "@holdfast/schema/media"
import { type AdmittedInput, isNotice } from "@holdfast/schema/state/inbox"
import { ceilingReminder } from "@holdfast/schema/state/items"
import { openCalls, type SessionState } from "@holdfast/schema/state/state"
import * as fc from "fast-check"
import type { Command } from "../../src/port.ts"
import * as records from "../records.ts"
import { passOf } from "./random-pass.ts"

export const session = records.sessionId(1)
const token = 1

interface View {
  readonly n: number
  readonly pick: number
  readonly state: SessionState
}

export type Step = (view: View) => Command | null

const contribute = (fact: Parameters<typeof records.contribute>[1], time: number): Command =>
  records.contribute(1, fact, time)
const append = (...facts: readonly Fact[]): Command => records.append(1, token, facts)
/** Planned for the place where the Session is. */
const here = (state: SessionState, fact: Fact): Command =>
  records.append(1, token, [fact], { movedAbove: state.summary.movedSeq })
const one = <A>(list: readonly A[], pick: number): A | undefined => list[pick % Math.max(1, list.length)]

const image: Media = {
  hash: "a".repeat(64),
  mediaType: "image/png",
  bytes: 3,
  width: 8,
  height: 6,
  name: null,
}

/** Of anybody, without the lease. */
const stepsOfOthers = {
  admit: ({ n, pick }) =>
    records.admit(1, n, {
      time: n,
      delivery: pick % 2 === 0 ? "steer" : "queue",
      ...(pick % 5 === 0 && { images: [image], blobs: [{ hash: image.hash, bytes: new Uint8Array(3) }] }),
    }),
  edit: ({ n, pick, state }) => {
    const prompt = promptOf(state, pick)
    return prompt && { kind: "edit-prompt", session, time: n, prompt: prompt.id, text: `edit ${n}` }
  },
  cancel: ({ n, pick, state }) => {
    const prompt = promptOf(state, pick)
    return prompt && { kind: "cancel-prompt", session, time: n, prompt: prompt.id }
  },
  notice: ({ n, pick }) => contribute(records.notice(n, pick % 2 === 0), n),
  raise: ({ n }) => contribute(records.askRaised(n), n),
  answer: ({ n, pick, state }) => {
    const ask = one(openAsks(state), pick)
    return ask === undefined ? null : contribute({ ...records.askAnswered(0), ask, ...approving(n) }, n)
  },
  signal: ({ n }) =>
    contribute({ type: "signal.raised", signal: signalId(n), kind: "drop", detail: { n } }, n),
  publish: ({ n, state }) => {
    const { historyEnd, seq } = state.summary
    return historyEnd >= seq ? null : contribute(inHalves(records.historyPublished(historyEnd + 1, seq)), n)
  },
  condense: ({ n, pick, state }) => {
    const compartment = one([...state.items.compartments.values()], pick)
    if (compartment === undefined) return null
    const { id, fromSeq, toSeq } = compartment
    const replacing = records.historyPublished(fromSeq, toSeq, [id])
    // Where what it covered is shown again, nothing takes its place.
    return contribute(pick % 3 === 0 ? { ...replacing, compartments: [] } : replacing, n)
  },
  quarantine: ({ n, pick, state }) => {
    const sound = state.messages.filter((message) => message.kind !== "system" && !message.quarantined)
    const message = one(sound, pick)
    return message === undefined ? null : contribute({ type: "message.quarantined", message: message.id }, n)
  },
  probe: ({ n }) =>
    contribute(
      {
        type: "request.probed",
        model: { provider: "offline", model: "small" },
        without: [records.messageId(n)],
        taken: n % 2 === 0,
        usage: { input: n, output: 0, cacheRead: 0, cacheWrite: 0 },
        cost: n / 8,
      },
      n,
    ),
  note: ({ n, pick }) =>
    contribute(
      { type: "note.written", note: `note-${pick % 4}`, text: `note ${n}`, anchor: null, condition: null },
      n,
    ),
  changeNote: ({ n, pick, state }) => {
    const note = one([...state.items.notes.keys()], pick)
    const change = one([{ text: `changed ${n}` }, { state: "ready" }, { state: "dismissed" }] as const, pick)
    return note === undefined ? null : contribute({ type: "note.changed", note, ...change }, n)
  },
  job: ({ n, pick }) =>
    contribute(
      {
        type: "job.settled",
        job: records.sessionId(1_000 + n),
        kind: "historian",
        outcome: "done",
        reason: null,
        usage: { input: n, output: 1, cacheRead: 0, cacheWrite: 0 },
        cost: pick % 7 === 0 ? null : n / 4,
      },
      n,
    ),
  title: ({ n, pick }) =>
    contribute(
      { type: "session.updated", title: `Title ${n}`, titledBy: "person", archived: pick % 2 === 0 },
      n,
    ),
  policy: ({ n, pick }) =>
    contribute({ type: "session.updated", policy: pick % 2 === 0 ? "continue" : "settle", agent: "plan" }, n),
  move: ({ n, state }) => (openAsks(state).length > 0 ? null : records.move(1, `/srv/${n}`)),
} satisfies Record<string, Step>

/** Of whoever holds the Session. */
const stepsOfTheDrain = {
  promote: ({ pick, state }) => {
    const input = one(state.inbox, pick)
    return input === undefined ? null : append(promotion(input))
  },
  epoch: ({ n, state }) => here(state, records.epochStarted(`Baseline ${n}`, `${n}`)),
  context: ({ n, pick, state }) =>
    state.epoch && here(state, records.contextUpdated(n, pick % 3 === 0 ? null : `${n}`)),
  begin: ({ n, pick, state }) => {
    const { openTurn, seq } = state.summary
    return openTurn === null ? append(records.turnStarted(n, Math.max(1, seq - (pick % 3)))) : null
  },
  end: ({ pick, state }) => {
    const turn = turnOf(state)
    const status = one(["done", "continue", "asking", "failed", "interrupted"] as const, pick)
    return turn === null ? null : append(records.turnSettled(turn, status))
  },
  say: ({ n, pick, state }) => {
    const turn = turnOf(state)
    const part = pick % 4 === 0 ? records.textPart(`text ${n}`) : records.callPart(n)
    return turn === null ? null : append(records.partRecorded(turn, n, part))
  },
  start: ({ pick, state }) => {
    const call = one(pendingCalls(state), pick)
    return call === undefined ? null : append({ type: "call.started", ...call })
  },
  settle: ({ n, pick, state }) => {
    const call = one(unsettledCalls(state), pick)
    if (call === undefined) return null
    const words = pick % 2 === 0 ? "Go on." : `${ceilingReminder}Drop some.`
    const added = pick % 3 === 0 ? [{ kind: "nudge", text: words } as const] : []
    return append({
      ...records.callSettled(0, 0, pick % 2 === 0 ? "done" : "interrupted"),
      ...call,
      added,
      effects: pick % 4 === 0 ? effectsOf(n, pick) : [],
      ...(pick % 3 === 1 && { seen: [{ path: `/srv/file ${pick % 5}`, hash: `${n}` }] }),
    })
  },
  plan: ({ n, pick, state }) => {
    const call = one(unsettledCalls(state), pick)
    return call === undefined || state.items.plans.has(call.call)
      ? null
      : append({ type: "call.planned", ...call, effects: effectsOf(n, pick) })
  },
  askForCall: ({ n, pick, state }) => {
    const call = one(pendingCalls(state), pick)
    if (call === undefined) return null
    return append({ ...records.askRaised(n), subject: { kind: "call", ...call } })
  },
  withdraw: ({ pick, state }) => {
    const ask = one(openAsks(state), pick)
    return ask === undefined ? null : append({ type: "ask.withdrawn", ask, cause: "declined" })
  },
  pass: ({ n, pick, state }) => append(passOf(state, n, pick)),
  learn: ({ n, pick }) =>
    append({
      type: "limit.learned",
      model: { provider: "offline", model: pick % 2 === 0 ? "small" : "large" },
      contextTokens: n,
    }),
  warm: ({ n }) =>
    append({
      type: "cache.warmed",
      model: { provider: "offline", model: "small" },
      inRow: n,
      usage: { input: 0, output: 0, cacheRead: n, cacheWrite: 0 },
      cost: n / 2,
    }),
  stage: ({ n, pick, state }) => {
    const message = one(state.messages, pick)
    if (message === undefined) return null
    const files = [{ path: "a.txt", action: "restore" } as const]
    return append({
      type: "revert.staged",
      revert: `r${n}`,
      message: message.id,
      fromSeq: message.seq,
      files,
    })
  },
  revert: ({ pick, state }) => {
    const staged = [...state.items.reverts.values()].filter(({ appliedSeq }) => appliedSeq === null)
    const revert = one(staged, pick)?.staged
    if (revert === undefined) return null
    const { fromSeq } = revert
    const [withdrawn, left] = divide(state, fromSeq)
    const withdraws = withdrawn.map(({ id }) => id)
    const historyEnd = Math.max(0, ...left.map(({ toSeq }) => toSeq))
    const facts = [{ type: "revert.applied", revert: revert.revert, fromSeq, withdraws, historyEnd } as const]
    // A revert has seen everything, or it is planned again.
    return { ...records.append(1, token, facts), followsSeq: state.summary.seq }
  },
  undo: ({ pick, state }) => {
    const revert = one([...state.items.reverts.keys()], pick)
    return revert === undefined ? null : append({ type: "revert.undone", revert })
  },
  command: ({ n }) =>
    append({ type: "command.started", command: `c${n}`, call: records.callId(n), line: "make" }),
  endCommand: ({ pick, state }) => {
    const command = one([...state.items.commands.keys()], pick)
    return command === undefined
      ? null
      : append({ type: "command.ended", command, cause: "exited", exitCode: 0 })
  },
  stand: ({ n, pick }) => {
    const reason = { code: "x", message: "y" }
    return append({
      type: "session.updated",
      ...(pick % 2 === 0 ? { blocked: reason } : { waiting: { until: n, reason } }),
    })
  },
} satisfies Record<string, Step>

/** Neither: they end what a drain waits for. */
const interrupt: Step = ({ n }) => ({ kind: "interrupt", session, time: n })
const moveAway: Step = ({ n }) => records.move(1, `/srv/${n}`)

const steps: Readonly<Record<string, Step>> = { ...stepsOfOthers, ...stepsOfTheDrain, interrupt, moveAway }

export interface PlannedStep {
  readonly step: Step
  readonly pick: number
}

/** Steps by name, so that a counterexample can be read. */
const planned = (of: Readonly<Record<string, Step>>): fc.Arbitrary<PlannedStep> =>
  fc
    .record({ name: fc.constantFrom(...Object.keys(of)), pick: fc.nat(20) })
    .map(({ name, pick }) => ({ name, pick, step: of[name] as Step }))

/** Not shrunk by those who run them: each attempt is a store of its own. Take out `endOnFailure` to see less. */
export const runs = {
  numRuns: Math.max(1, Number(process.env["HOLDFAST_FOLD_RUNS"] ?? 12)),
  seed: Number(process.env["HOLDFAST_FOLD_SEED"] ?? Date.now() % 1_000_000),
  endOnFailure: true,
}

export const timeoutMs = 30_000 + runs.numRuns * 2_000

/** Histories that are known to hold every type of fact. */
export const knownRuns = { ...runs, numRuns: 12, seed: 3 }

export const histories = fc.array(planned(steps), { minLength: 60, maxLength: 120, size: "max" })
export const stepOfOthers = planned(stepsOfOthers)
export const stepOfTheDrain = planned(stepsOfTheDrain)

/** Of several files, some of which other calls name too. */
const effectsOf = (n: number, pick: number): FactOf<"call.settled">["effects"] => [
  { path: `/srv/file ${pick % 3}`, kind: "modified", mode: 420, before: `${n}`, after: `${n + 1}` },
  { path: "/srv/file 3", kind: "moved", from: "/srv/file 4", mode: 420, before: `${n}`, after: `${n}` },
  { path: `/srv/file ${n}`, kind: "created", mode: null, before: null, after: `${n}` },
  { path: "/srv/file 0", kind: "deleted", mode: 420, before: `${n}`, after: null },
]

const signalId = (n: number) => `sig_${n}` as FactOf<"signal.raised">["signal"]

function promptOf({ inbox }: SessionState, pick: number) {
  const prompts = inbox.flatMap((input) => (isNotice(input) ? [] : [input]))
  return one(prompts, pick) ?? null
}

function promotion(input: AdmittedInput): Fact {
  const base = {
    message: records.messageId(`p${input.admittedSeq}`),
    bodySeq: input.bodySeq,
    tokens: 3,
    added: input.admittedSeq % 2 === 0 ? [{ kind: "hint", text: "Look there." } as const] : [],
  }
  return isNotice(input)
    ? { type: "notice.promoted", notice: input.notice, wakes: input.wakes, ...base }
    : { type: "prompt.promoted", prompt: input.id, ...base }
}

/** The compartments that hold messages from a sequence on, and the others. */
function divide({ items }: SessionState, fromSeq: number): readonly [Compartment[], Compartment[]] {
  const { true: over = [], false: below = [] } = Object.groupBy(items.compartments.values(), ({ toSeq }) =>
    toSeq >= fromSeq ? "true" : "false",
  )
  return [over, below]
}

const openAsks = ({ items }: SessionState) =>
  [...items.asks.values()].filter(({ answer }) => answer === null).map(({ raised }) => raised.ask)

const turnOf = ({ summary }: SessionState): number | null =>
  summary.openTurn === null ? null : Number(summary.openTurn.slice("trn_".length))

const unsettledCalls = (state: SessionState) =>
  openCalls(state).map(({ message, part }) => ({ turn: message.turn, message: message.id, call: part.call }))

/** Of three answers one allows the same for the rest of the Session. */
const approving = (n: number) =>
  n % 3 === 0
    ? ({
        scope: "session",
        approves: { resources: [{ action: "write", resource: `/${n}` }], rules: [] },
      } as const)
    : {}

/** Pending, and nobody is asked about it. */
function pendingCalls(state: SessionState) {
  const asked = new Set(
    [...state.items.asks.values()].map(({ raised }) => raised.subject.kind === "call" && raised.subject.call),
  )
  const pending = new Set(
    openCalls(state).flatMap(({ part }) =>
      part.state === "pending" && !asked.has(part.call) ? [part.call] : [],
    ),
  )
  return unsettledCalls(state).filter(({ call }) => pending.has(call))
}

/** One event may tell of several parts, of which each has a life of its own. */
function inHalves(fact: FactOf<"history.published">): FactOf<"history.published"> {
  const { fromSeq, toSeq, compartments } = fact
  const middle = Math.floor((fromSeq + toSeq) / 2)
  if (middle === toSeq) return fact
  const halves = [
    [fromSeq, middle],
    [middle + 1, toSeq],
  ] as const
  return {
    ...fact,
    compartments: halves.flatMap(([from, to]) =>
      compartments.map((whole) => ({ ...whole, id: `c${from}-${to}`, fromSeq: from, toSeq: to })),
    ),
  }
}
