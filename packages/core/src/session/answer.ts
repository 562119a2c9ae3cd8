/**
 * Answer: one provider stream, recorded part by part while it is live.
 *
 *   event        durable                             live
 *   *-delta      scratch row, at most 1 s or 16 KiB behind (TU3)   yes
 *   *-end        part.recorded
 *   call-end     part.recorded, then the tool starts as its turn comes (calls.ts)
 *
 * Everything that one piece of the stream completes goes into one commit.
 */
import { Clock, Effect, type Scope } from "effect"
import { partTokens } from "@holdfast/llm/size"
import type { Finish, ProviderFailure, StreamEvent } from "@holdfast/llm/wire"
import type { LeaseLost, StoreFailure } from "@holdfast/schema/error"
import type { Fact } from "@holdfast/schema/event"
import type { CallId } from "@holdfast/schema/id"
import type { Json } from "@holdfast/schema/json"
import type { SeenFile } from "@holdfast/schema/fact/turn"
import type { CallOutcome, CallRequest, Native } from "@holdfast/schema/message"
import type { OpenedTurn } from "./boundary.ts"
import { addCall, type Calls, makeCalls, recordParts, unrecordedSettlements } from "./calls.ts"
import type { Lead } from "./lead.ts"
import type { OpenPart } from "./live.ts"
import { type Meter, readMeter } from "./meter.ts"
import type { Sample } from "./ports.ts"
import { cutPart } from "./recovery.ts"
import { settledFact, unreadableInput } from "./settlement.ts"

interface OpenText {
  readonly type: "text" | "reasoning"
  text: string
  /** How much of it is in scratch, in characters. */
  kept: number
}

/** The running record of one turn's answer. Mutable, owned by the turn's fiber. */
export interface Answer {
  readonly lead: Lead
  readonly opened: OpenedTurn
  readonly nativeTag: Omit<Native, "opaque">
  readonly open: Map<number, OpenText>
  readonly calls: Calls
  /** Facts that the current piece of the stream completed, not yet committed. */
  pendingFacts: Fact[]
  /** Calls that are settled as they come: their arguments could not be read, or their result was there before. */
  settledCalls: number
  recordedText: boolean
  /** The last complete text that is not blank. */
  lastText: string
  recordedParts: number
  checkpointed: boolean
  bytesSinceCheckpoint: number
  /** Of the attempt that is under way; null between attempts. */
  meter: Meter | null
  finish: Finish | null
}

export const makeAnswer = (
  lead: Lead,
  opened: OpenedTurn,
  scope: Scope.Scope,
  { tools, authorise, mayTouch, executeShare, agent }: Sample,
  nativeTag: Answer["nativeTag"],
): Answer => ({
  lead,
  opened,
  nativeTag,
  open: new Map(),
  calls: makeCalls(lead, opened, scope, { tools, authorise, mayTouch, executeShare, agent: agent.name }),
  pendingFacts: [],
  settledCalls: 0,
  recordedText: false,
  lastText: "",
  recordedParts: 0,
  checkpointed: false,
  bytesSinceCheckpoint: 0,
  meter: null,
  finish: null,
})

/** What is open just now, for whoever begins to follow in the middle of it (EV2). */
export function* openPartsOf({ open }: Answer): Iterable<OpenPart> {
  for (const [index, { type, text }] of open) if (text !== "") yield { index, type, text }
}

/** TU4: after this an attempt may not be made again. */
export const hasDurableOutput = (answer: Answer): boolean => answer.recordedParts > 0 || answer.checkpointed

/** Forgets what an attempt streamed that never became durable. */
export function resetAttempt(answer: Answer): void {
  answer.open.clear()
  answer.pendingFacts = []
  answer.calls.line = []
  answer.calls.complete = false
  answer.settledCalls = 0
  answer.bytesSinceCheckpoint = 0
  answer.lastText = ""
  answer.finish = null
}

/** Takes in the events of one piece. Returns the failure that the stream reported, if any. */
export const takeEvents = Effect.fnUntraced(function* (
  answer: Answer,
  events: readonly StreamEvent[],
): Effect.fn.Return<ProviderFailure | null, StoreFailure | LeaseLost> {
  let failure: ProviderFailure | null = null
  for (const event of events) failure = takeEvent(answer, event) ?? failure
  // The last parts of an answer without calls go into the commit that settles the turn.
  const settlesNow = answer.finish !== null && answer.calls.line.length === 0
  if (settlesNow && failure === null) return null
  if (answer.pendingFacts.length > 0) yield* recordPending(answer)
  if (answer.bytesSinceCheckpoint >= answer.lead.ports.limits.checkpointBytes) yield* checkpoint(answer)
  return failure
})

function takeEvent(answer: Answer, event: StreamEvent): ProviderFailure | null {
  if (answer.meter !== null) readMeter(answer.meter, event)
  switch (event.type) {
    case "start":
    case "call-delta":
      return null
    case "text-start":
    case "reasoning-start":
      answer.open.set(event.index, {
        type: event.type === "text-start" ? "text" : "reasoning",
        text: "",
        kept: 0,
      })
      return null
    case "text-delta":
    case "reasoning-delta":
      takeDelta(answer, event.index, event.text, event.type)
      return null
    case "text-end":
      if (event.text !== "") {
        const native = nativeOf(answer, event.opaque)
        addPart(answer, event.index, { type: "text", text: event.text, interrupted: false, ...native })
      }
      if (event.text.trim() !== "") {
        answer.recordedText = true
        answer.lastText = event.text
      }
      answer.open.delete(event.index)
      return null
    case "reasoning-end": {
      const native = event.opaque === null ? null : { ...answer.nativeTag, opaque: event.opaque }
      addPart(answer, event.index, { type: "reasoning", text: event.text, native, interrupted: false })
      answer.open.delete(event.index)
      return null
    }
    case "call-start":
      publish(answer, { type: "call-delta", index: event.index, name: event.name })
      return null
    case "call-end":
      takeCall(answer, event, event.input === null ? { outcome: unreadableInput, seen: [] } : null)
      return null
    case "hosted":
      addPart(answer, event.index, {
        type: "hosted",
        name: event.name,
        native: { ...answer.nativeTag, opaque: event.opaque },
      })
      return null
    case "finish":
      answer.finish = event.reason
      answer.calls.complete = true
      return null
    case "failure":
      return event.failure
  }
}

/** Continuation data of a part, tagged with whom it belongs to (LL4). */
const nativeOf = (answer: Answer, opaque: Json | undefined): { readonly native?: Native } =>
  opaque === undefined ? {} : { native: { ...answer.nativeTag, opaque } }

function takeDelta(
  answer: Answer,
  index: number,
  text: string,
  type: "text-delta" | "reasoning-delta",
): void {
  const open = answer.open.get(index)
  if (open === undefined) return
  const offset = open.text.length
  open.text += text
  answer.bytesSinceCheckpoint += Buffer.byteLength(text)
  publish(answer, { type, index, text, offset })
}

/** A call that does not run in this turn. */
export interface SettledCall {
  readonly outcome: CallOutcome
  readonly seen: readonly SeenFile[]
}

/** Takes in a complete call, with its settlement where there is one already. */
export function takeCall(
  answer: Answer,
  event: Extract<StreamEvent, { type: "call-end" }>,
  settled: SettledCall | null,
): void {
  const request: CallRequest = {
    type: "call",
    call: answer.lead.ports.newId("call") as CallId,
    nativeId: event.nativeId,
    name: event.name,
    input: event.input ?? { unreadable: event.raw },
    ...nativeOf(answer, event.opaque),
  }
  addPart(answer, event.index, request)
  if (settled === null) return addCall(answer.calls, request)
  const { turn, message } = answer.opened
  answer.settledCalls += 1
  answer.pendingFacts.push(
    settledFact({ turn, message, call: request.call }, settled.outcome, { seen: settled.seen }),
  )
}

function addPart(
  answer: Answer,
  index: number,
  part: Extract<Fact, { type: "part.recorded" }>["part"],
): void {
  const { turn, message } = answer.opened
  answer.pendingFacts.push({ type: "part.recorded", turn, message, index, part, tokens: partTokens(part) })
}

function publish(
  answer: Answer,
  event:
    | { type: "text-delta" | "reasoning-delta"; index: number; text: string; offset: number }
    | { type: "call-delta"; index: number; name: string },
): void {
  answer.lead.ports.live.publish({ session: answer.lead.session, turn: answer.opened.turn, ...event })
}

const recordPending = (answer: Answer) =>
  // Taken and committed as one step: an interruption between the two would lose a complete part.
  Effect.uninterruptible(
    Effect.gen(function* () {
      const facts = answer.pendingFacts
      answer.pendingFacts = []
      if (!(yield* recordParts(answer.calls, facts))) {
        answer.pendingFacts = facts
        return
      }
      answer.recordedParts += facts.filter(({ type }) => type === "part.recorded").length
      answer.bytesSinceCheckpoint = unkeptBytes(answer) // a part that is still open may have come along
    }),
  )

const unkeptBytes = (answer: Answer): number =>
  [...answer.open.values()].reduce((bytes, { text, kept }) => bytes + Buffer.byteLength(text.slice(kept)), 0)

/** What is not on record yet: complete parts, text that broke off (TU3), settlements. */
export function unrecorded(answer: Answer): readonly Fact[] {
  const { turn, message } = answer.opened
  const cut = [...answer.open.entries()]
    .filter(([, open]) => open.text !== "")
    .map(([index, { type, text }]): Fact => {
      const part = cutPart(type, text)
      return { type: "part.recorded", turn, message, index, part, tokens: partTokens(part) }
    })
  return [...answer.pendingFacts, ...cut, ...unrecordedSettlements(answer.calls)]
}

/** Writes to scratch what was streamed since the last time. A lost lease is found out by the next append. */
export const checkpoint = Effect.fnUntraced(function* (answer: Answer) {
  const open = [...answer.open.entries()]
  const parts = open
    .map(([index, { type, text, kept: at }]) => ({ index, type, at, text: wholePairs(text.slice(at)) }))
    .filter(({ text }) => text !== "")
  if (parts.length === 0) return
  answer.bytesSinceCheckpoint = 0
  answer.checkpointed = true
  const { session, token } = answer.lead
  const time = yield* Clock.currentTimeMillis
  yield* answer.lead.ports.store.commit({
    kind: "checkpoint",
    session,
    time,
    token,
    turn: answer.opened.turn,
    parts,
  })
  // Only now: a piece that may not have arrived is sent again, with what follows it.
  for (const { index, at, text } of parts) {
    const part = answer.open.get(index)
    if (part !== undefined) part.kept = Math.max(part.kept, at + text.length)
  }
})

/** Without half of a pair at its end, which could not be stored; it comes with the next piece. */
const wholePairs = (text: string): string => (/[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text)

/** Checkpoints at an even pace while there is something new, until the turn's scope closes. */
export const keepCheckpoints = (answer: Answer) =>
  Effect.sleep(answer.lead.ports.limits.checkpointMs).pipe(
    Effect.andThen(
      Effect.suspend(() => (answer.bytesSinceCheckpoint > 0 ? checkpoint(answer) : Effect.void)),
    ),
    // A store that cannot take a checkpoint now may take the next; the next append tells the drain.
    Effect.ignore,
    Effect.forever,
  )
