/**
 * Session state: what a drain knows of its Session, as one immutable value.
 *
 * It is loaded from the store's window and then advanced by the facts that the drain itself
 * commits. `advance` folds one fact; folding the whole log gives the same value, which is how
 * past requests are rebuilt (TU1). Facts of concurrent calls may be folded in any order.
 */
import type { ContextSnapshot } from "@holdfast/schema/context"
import { applySnapshotChanges } from "@holdfast/schema/context"
import type { Fact, FactOf } from "@holdfast/schema/event"
import type { CallId, MessageId, PromptId } from "@holdfast/schema/id"
import type { Location } from "@holdfast/schema/location"
import type { AssistantMessage, CallPart, CallState, IndexedPart, Message } from "@holdfast/schema/message"
import type { ModelRef } from "@holdfast/schema/model"
import type { PromptBody } from "@holdfast/schema/prompt"
import type { Reduction } from "@holdfast/schema/reduction"
import type { RestartPolicy } from "@holdfast/schema/session"
import type { Reason } from "@holdfast/schema/turn"
import { frozenCut, isRendered } from "@holdfast/recall"
import type { SessionWindow } from "@holdfast/store/port"

export interface EpochState {
  readonly startedSeq: number
  readonly baseline: string
  readonly snapshot: ContextSnapshot
}

export interface TurnState {
  readonly started: FactOf<"turn.started">
  readonly settled: FactOf<"turn.settled"> | null
}

export interface SessionState {
  readonly seq: number
  readonly location: Location
  readonly model: ModelRef | null
  readonly policy: RestartPolicy
  readonly epoch: EpochState | null
  readonly messages: readonly Message[]
  readonly reductions: readonly Reduction[]
  /** Bodies of prompts met while folding a log, until promoted; empty when loaded from a window. */
  readonly bodies: ReadonlyMap<number, PromptBody>
  readonly lastTurn: TurnState | null
  readonly owing: boolean
  readonly blocked: Reason | null
  readonly interruptedSeq: number
}

export function stateFromWindow(window: SessionWindow): SessionState {
  return forgetHidden({
    seq: window.session.seq,
    location: window.session.location,
    model: window.session.model,
    policy: window.session.policy,
    epoch: window.epoch,
    messages: window.messages,
    reductions: window.reductions,
    bodies: new Map(),
    lastTurn: window.lastTurn,
    owing: window.session.owing,
    blocked: window.session.blocked,
    interruptedSeq: window.session.interruptedSeq,
  })
}

export const emptyState: SessionState = {
  seq: 0,
  location: { directory: "/", projectRoot: "/" },
  model: null,
  policy: "settle",
  epoch: null,
  messages: [],
  reductions: [],
  bodies: new Map(),
  lastTurn: null,
  owing: false,
  blocked: null,
  interruptedSeq: 0,
}

/** What prompts that a boundary promotes say; the fact itself names only the event that holds it. */
export type PromptBodies = ReadonlyMap<PromptId, PromptBody>

const noBodies: PromptBodies = new Map()
const emptyBody: PromptBody = { text: "" }

export function advance(
  state: SessionState,
  fact: Fact,
  seq: number,
  promoted: PromptBodies = noBodies,
): SessionState {
  const next = { ...state, seq: Math.max(state.seq, seq) }
  switch (fact.type) {
    case "session.created":
      return { ...next, location: fact.location, model: fact.model, policy: fact.policy }
    case "session.updated":
      return {
        ...next,
        model: fact.model ?? state.model,
        policy: fact.policy ?? state.policy,
        blocked: fact.blocked === undefined ? state.blocked : fact.blocked,
      }
    case "session.moved":
      return { ...next, location: fact.location, epoch: null }
    case "session.interrupted":
      return { ...next, interruptedSeq: seq }
    case "prompt.admitted":
    case "prompt.edited":
      return { ...next, bodies: new Map(state.bodies).set(seq, fact) }
    case "prompt.promoted": {
      const { text, images } = promoted.get(fact.prompt) ?? state.bodies.get(fact.bodySeq) ?? emptyBody
      const said = images === undefined ? { text } : { text, images }
      const message = messageOf(fact, { id: fact.message, seq, kind: "user", prompt: fact.prompt, ...said })
      const bodies = without(state.bodies, fact.bodySeq)
      return { ...next, bodies, messages: [...state.messages, message], owing: true }
    }
    case "epoch.started": {
      const epoch = { startedSeq: seq, baseline: fact.baseline, snapshot: fact.snapshot }
      return forgetHidden({ ...next, epoch })
    }
    case "context.updated":
      return advanceContext(next, fact, seq)
    case "turn.started": {
      const message: Message = { id: fact.message, seq, kind: "assistant", turn: fact.turn, parts: [] }
      const lastTurn = { started: fact, settled: null }
      return { ...next, messages: [...state.messages, message], lastTurn, blocked: null }
    }
    case "turn.settled": {
      const open = state.lastTurn
      const lastTurn = open?.started.turn === fact.turn ? { ...open, settled: fact } : open
      return { ...next, lastTurn, owing: state.owing && fact.status !== "done" }
    }
    case "part.recorded":
      return changeAssistant(next, fact.message, (message) => addPart(message, fact))
    case "call.started":
      return changeAssistant(next, fact.message, (message) => changeCall(message, fact.call, "running", null))
    case "call.settled":
      return changeAssistant(next, fact.message, (message) =>
        changeCall(message, fact.call, fact.outcome.state, fact.outcome),
      )
    case "message.quarantined":
      return { ...next, messages: state.messages.map((message) => takeOut(message, fact.message, seq)) }
    case "reduction.applied":
      return forgetHidden({ ...next, reductions: [...state.reductions, fact.reduction] })
    case "session.deleted":
    case "prompt.cancelled":
      return next
  }
}

function advanceContext(state: SessionState, fact: FactOf<"context.updated">, seq: number): SessionState {
  const { text, keys } = fact
  const message = messageOf(fact, { id: fact.message, seq, kind: "system", text, keys })
  const epoch = state.epoch && {
    ...state.epoch,
    snapshot: applySnapshotChanges(state.epoch.snapshot, fact.changes),
  }
  return { ...state, epoch, messages: [...state.messages, message] }
}

const takeOut = (message: Message, id: MessageId, seq: number): Message =>
  message.id === id && message.kind !== "system" ? { ...message, quarantined: seq } : message

const messagesOfFacts = new WeakMap<Fact, Message>()

/**
 * A boundary folds its facts twice, to plan the request and after the commit. The same fact at the
 * same place gives the same message object, so that what was encoded and checked for it is found.
 */
function messageOf<M extends Extract<Message, { text: string }>>(fact: Fact, made: M): M {
  const known = messagesOfFacts.get(fact) as M | undefined
  if (known?.seq === made.seq && known.text === made.text) return known
  messagesOfFacts.set(fact, made)
  return made
}

/** What no later request can show again is not kept in memory; the log has it. */
function forgetHidden(state: SessionState): SessionState {
  const frozen = frozenCut(state.reductions)
  const epochSeq = state.epoch?.startedSeq ?? 0
  return { ...state, messages: state.messages.filter((message) => isRendered(message, epochSeq, frozen)) }
}

function without(bodies: SessionState["bodies"], seq: number): SessionState["bodies"] {
  if (!bodies.has(seq)) return bodies
  const rest = new Map(bodies)
  rest.delete(seq)
  return rest
}

function addPart(message: AssistantMessage, fact: FactOf<"part.recorded">): AssistantMessage {
  const part =
    fact.part.type === "call"
      ? ({ ...fact.part, state: "pending", outcome: null } satisfies CallPart)
      : fact.part
  const parts: IndexedPart[] = [...message.parts, { index: fact.index, part }]
  return { ...message, parts: parts.sort((a, b) => a.index - b.index) }
}

function changeCall(
  message: AssistantMessage,
  call: CallId,
  callState: CallState,
  outcome: CallPart["outcome"],
): AssistantMessage {
  const parts = message.parts.map((indexed) =>
    indexed.part.type === "call" && indexed.part.call === call
      ? { ...indexed, part: { ...indexed.part, state: callState, outcome } }
      : indexed,
  )
  return { ...message, parts }
}

function changeAssistant(
  state: SessionState,
  id: MessageId,
  change: (message: AssistantMessage) => AssistantMessage,
): SessionState {
  const at = state.messages.findLastIndex((message) => message.id === id)
  const message = state.messages[at]
  if (message?.kind !== "assistant") return state
  return { ...state, messages: state.messages.with(at, change(message)) }
}

/** The newest assistant message, if it belongs to this turn. */
export function turnMessage(state: SessionState, id: MessageId): AssistantMessage | null {
  const message = state.messages.findLast((candidate) => candidate.id === id)
  return message?.kind === "assistant" ? message : null
}

/** Sequences of the inputs that were promoted last, together. */
export function newestInputs(messages: readonly Message[]): readonly number[] {
  const last = messages.findLastIndex((message) => message.kind === "user")
  const inputs: number[] = []
  for (let at = last; at >= 0; at--) {
    const message = messages[at]
    if (message?.kind !== "user") break
    inputs.unshift(message.seq)
  }
  return inputs
}

export function openCalls(state: SessionState): readonly { message: AssistantMessage; part: CallPart }[] {
  return state.messages.flatMap((message) =>
    message.kind !== "assistant"
      ? []
      : message.parts.flatMap(({ part }) =>
          part.type === "call" && part.outcome === null ? [{ message, part }] : [],
        ),
  )
}

/** Messages taken out since the newest turn began: its request still had them. */
export function quarantinedSince(state: SessionState): readonly MessageId[] {
  const last = state.lastTurn?.started.message
  const began = state.messages.findLast((message) => message.id === last)?.seq ?? Number.MAX_SAFE_INTEGER
  return state.messages
    .filter((message) => message.kind !== "system" && (message.quarantined ?? 0) > began)
    .map((message) => message.id)
}

/** The state as the newest turn saw it. */
export function beforeQuarantine(state: SessionState): SessionState {
  const back = new Set(quarantinedSince(state))
  if (back.size === 0) return state
  const messages = state.messages.map((message): Message => {
    if (!back.has(message.id) || message.kind === "system") return message
    const { quarantined: _, ...whole } = message
    return whole
  })
  return { ...state, messages }
}
