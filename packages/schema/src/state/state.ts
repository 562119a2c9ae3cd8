/**
 * Session state: what the log says of a Session, as one immutable value, and the one fold.
 *
 *   advance(state, event)   used by the drain, by previews, by rebuilds of past requests (TU1) and,
 *                           in its small half (summary.ts), by the store's projections
 *
 * Folding the whole log and loading the window give the same value; what no later request can show
 * again is not kept. What others write commutes with what a drain writes without having seen it;
 * among themselves facts are folded in their order. Nothing here needs effect: the writer of the store runs it too.
 */
import type { ContextSnapshot, SnapshotChanges, SnapshotEntry } from "../context.ts"
import type { Event, Fact, FactOf } from "../event.ts"
import type { CallId, MessageId, NoticeId, PromptId, SessionId } from "../id.ts"
import type { AssistantMessage, CallPart, IndexedPart, Message, Part } from "../message.ts"
import type { ModelRef } from "../model.ts"
import { type AdmittedInput, type AdmittedNotice, type AdmittedPrompt, isNotice } from "./inbox.ts"
import { advanceItems, emptyItems, isReverted, type Items } from "./items.ts"
import { applyPass, emptyFrozen, type Frozen, inWindow } from "./frozen.ts"
import { emptySummary, summarize, type Summary } from "./summary.ts"

export interface EpochState {
  readonly startedSeq: number
  readonly baseline: string
  readonly snapshot: ContextSnapshot
}

export interface TurnState {
  /** When its request was planned: how long a provider's cache lives counts from here. */
  readonly startedAt: number
  readonly started: FactOf<"turn.started">
  readonly settled: FactOf<"turn.settled"> | null
}

export interface SessionState {
  readonly summary: Summary
  readonly epoch: EpochState | null
  readonly messages: readonly Message[]
  readonly frozen: Frozen
  /** Admitted input that is neither promoted nor cancelled. */
  readonly inbox: readonly AdmittedInput[]
  readonly lastTurn: TurnState | null
  /** What was learned of the windows of models, by `provider/model` (TU5). */
  readonly limits: ReadonlyMap<string, number>
  readonly items: Items
}

export const emptyState: SessionState = {
  summary: emptySummary,
  epoch: null,
  messages: [],
  frozen: emptyFrozen,
  inbox: [],
  lastTurn: null,
  limits: new Map(),
  items: emptyItems,
}

/**
 * The part of the fold that marked events are enough for (items.ts): a window is loaded by folding
 * these, and its messages and inbox are read.
 */
export function advanceMarked(
  state: SessionState,
  event: Pick<Event, "seq" | "time" | "fact">,
): SessionState {
  const { fact } = event
  const items = advanceItems(state.items, event)
  if (fact.type === "pass.applied") return { ...state, items, frozen: applyPass(state.frozen, fact) }
  if (fact.type === "limit.learned")
    return { ...state, items, limits: new Map(state.limits).set(modelKey(fact.model), fact.contextTokens) }
  return items === state.items ? state : { ...state, items }
}

export function advance(state: SessionState, event: Omit<Event, "version">): SessionState {
  const next = { ...advanceMarked(state, event), summary: summarize(state.summary, event) }
  const { session, seq, time, fact } = event
  switch (fact.type) {
    case "session.moved":
      return { ...next, epoch: null }
    case "prompt.admitted":
      return { ...next, inbox: [...state.inbox, admittedPrompt(session, seq, fact)] }
    case "notice.admitted":
      return { ...next, inbox: [...state.inbox, admittedNotice(session, seq, fact)] }
    case "prompt.edited":
      return { ...next, inbox: state.inbox.map((input) => edited(input, seq, fact)) }
    case "prompt.cancelled":
      return { ...next, inbox: state.inbox.filter((input) => inputId(input) !== fact.prompt) }
    case "prompt.promoted":
    case "notice.promoted":
      return promote(next, fact, seq)
    case "epoch.started": {
      const epoch = { startedSeq: seq, baseline: fact.baseline, snapshot: fact.snapshot }
      return forgetHidden({ ...next, epoch })
    }
    case "context.updated":
      return updateContext(next, fact, seq)
    case "turn.started": {
      const message: Message = { id: fact.message, seq, kind: "assistant", turn: fact.turn, parts: [] }
      const lastTurn = { startedAt: time, started: fact, settled: null }
      return { ...next, messages: [...state.messages, message], lastTurn }
    }
    case "turn.settled": {
      const open = state.lastTurn
      return open?.started.turn === fact.turn ? { ...next, lastTurn: { ...open, settled: fact } } : next
    }
    case "part.recorded":
      return changeAssistant(next, fact.message, (message) => addPart(message, seq, fact))
    case "call.started":
      return changeAssistant(next, fact.message, (message) =>
        changeCall(message, fact.call, (part) => ({ ...part, state: "running" })),
      )
    case "call.settled":
      return changeAssistant(next, fact.message, (message) =>
        changeCall(message, fact.call, (part) => settledCall(part, fact)),
      )
    case "message.quarantined":
      return { ...next, messages: state.messages.map((message) => takeOut(message, fact.message, seq)) }
    case "pass.applied":
      return forgetHidden(next)
    case "revert.applied":
      return { ...next, epoch: null }
    default:
      return next
  }
}

export const modelKey = ({ provider, model }: ModelRef): string => `${provider}/${model}`

/** The facts of one commit, from the sequence that it was given on. */
export const advanceAll = (
  state: SessionState,
  facts: readonly Fact[],
  at: { readonly session: SessionId; readonly firstSeq: number; readonly time: number },
): SessionState =>
  facts.reduce(
    (folded, fact, index) =>
      advance(folded, { session: at.session, seq: at.firstSeq + index, time: at.time, fact }),
    state,
  )

export const inputId = (input: AdmittedInput): PromptId | NoticeId =>
  isNotice(input) ? input.notice : input.id

const admittedPrompt = (
  session: SessionId,
  seq: number,
  { prompt: id, text, images, calls, delivery, sidekick }: FactOf<"prompt.admitted">,
): AdmittedInput => ({
  id,
  session,
  admittedSeq: seq,
  bodySeq: seq,
  text,
  ...(images && { images }),
  ...(calls && { calls }),
  delivery,
  ...(sidekick && { sidekick }),
})

function admittedNotice(session: SessionId, seq: number, fact: FactOf<"notice.admitted">): AdmittedInput {
  const { type: _, ...notice } = fact
  return { ...notice, session, admittedSeq: seq, bodySeq: seq }
}

function edited(input: AdmittedInput, seq: number, fact: FactOf<"prompt.edited">): AdmittedInput {
  if (inputId(input) !== fact.prompt || isNotice(input)) return input
  const { images: _images, calls: _calls, ...rest } = input
  return { ...rest, bodySeq: seq, text: fact.text, ...(fact.images && { images: fact.images }) }
}

type Promoted = FactOf<"prompt.promoted" | "notice.promoted">

function promote(state: SessionState, fact: Promoted, seq: number): SessionState {
  const id = fact.type === "prompt.promoted" ? fact.prompt : fact.notice
  const input = state.inbox.find((candidate) => inputId(candidate) === id)
  const inbox = state.inbox.filter((candidate) => candidate !== input)
  return { ...state, inbox, messages: [...state.messages, messageOf(fact, seq, input)] }
}

/**
 * A boundary folds its facts twice, to plan the request and after the commit. The same fact at the
 * same place, of the same input, gives the same message object, so that what was encoded and checked for it is found.
 */
const messagesOfFacts = new WeakMap<Fact, { readonly message: Message; readonly input?: AdmittedInput }>()

function messageOf(fact: Promoted, seq: number, input: AdmittedInput | undefined): Message {
  const known = messagesOfFacts.get(fact)
  if (known?.message.seq === seq && known.input === input) return known.message
  const message = promotedMessage(fact, seq, input)
  messagesOfFacts.set(fact, { message, ...(input && { input }) })
  return message
}

/** `input` is missing where its record is damaged: the message stands, without its words (ST3). */
export function promotedMessage(
  fact: Promoted,
  seq: number,
  input:
    | Partial<Pick<AdmittedPrompt, "text" | "images" | "calls"> & Pick<AdmittedNotice, "source">>
    | undefined,
): Message {
  const added = fact.added.length === 0 ? {} : { added: fact.added }
  const base = { id: fact.message, seq, text: input?.text ?? "", ...added, tokens: fact.tokens }
  if (fact.type === "notice.promoted")
    return { ...base, kind: "notice", notice: fact.notice, source: input?.source ?? unknownSource }
  return {
    ...base,
    kind: "user",
    prompt: fact.prompt,
    ...(input?.images && { images: input.images }),
    ...(input?.calls && { calls: input.calls }),
  }
}

const unknownSource = { kind: "runtime", id: "" } as const

function updateContext(state: SessionState, fact: FactOf<"context.updated">, seq: number): SessionState {
  const known = messagesOfFacts.get(fact)?.message
  const message = known?.seq === seq ? known : systemMessage(fact, seq)
  messagesOfFacts.set(fact, { message })
  const epoch = state.epoch && {
    ...state.epoch,
    snapshot: applySnapshotChanges(state.epoch.snapshot, fact.changes),
  }
  return { ...state, epoch, messages: [...state.messages, message] }
}

export const systemMessage = (fact: FactOf<"context.updated">, seq: number): Message => ({
  id: fact.message,
  seq,
  kind: "system",
  text: fact.text,
  keys: fact.texts.map(({ key }) => key),
  texts: fact.texts,
  tokens: fact.tokens,
})

/** The snapshot after changes; entries not named stay. */
export function applySnapshotChanges(snapshot: ContextSnapshot, changes: SnapshotChanges): ContextSnapshot {
  const next: Record<string, SnapshotEntry> = { ...snapshot }
  for (const [key, entry] of Object.entries(changes)) {
    if (entry === null) delete next[key]
    else next[key] = entry
  }
  return next
}

const takeOut = (message: Message, id: MessageId, seq: number): Message =>
  message.id === id && message.kind !== "system" ? { ...message, quarantined: seq } : message

/** What no later request can show again is not kept in memory; the log has it. */
function forgetHidden(state: SessionState): SessionState {
  const { epochSeq } = state.summary
  const messages = state.messages.filter((message) => inWindow(message, state.frozen, epochSeq))
  return messages.length === state.messages.length ? state : { ...state, messages }
}

function addPart(message: AssistantMessage, seq: number, fact: FactOf<"part.recorded">): AssistantMessage {
  const { index, tokens } = fact
  const parts: IndexedPart[] = [...message.parts, { index, part: recordedPart(seq, fact), tokens }]
  return { ...message, parts: parts.sort((a, b) => a.index - b.index) }
}

/** A part as it stands until more is known of it. */
export const recordedPart = (seq: number, { part, tokens }: FactOf<"part.recorded">): Part =>
  part.type === "call" ? { ...part, seq, tokens, state: "pending", outcome: null } : part

/** A call with its one settlement. */
export const settledCall = (
  part: CallPart,
  { outcome, added, tokens }: FactOf<"call.settled">,
): CallPart => ({
  ...part,
  tokens: (part.tokens ?? 0) + tokens,
  state: outcome.state,
  outcome,
  ...(added.length === 0 ? {} : { added }),
})

function changeCall(
  message: AssistantMessage,
  call: CallId,
  change: (part: CallPart) => CallPart,
): AssistantMessage {
  const parts = message.parts.map((indexed) =>
    indexed.part.type === "call" && indexed.part.call === call
      ? { ...indexed, part: change(indexed.part) }
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

/** Session History: the messages in the window, without what a revert took out. */
export function historyOf({ messages, items }: SessionState): readonly Message[] {
  if (items.reverts.size === 0) return messages
  return messages.filter(({ seq }) => !isReverted(items, seq))
}

/** The assistant message with this id, if the window holds it. */
export function turnMessage(state: SessionState, id: MessageId): AssistantMessage | null {
  const message = state.messages.findLast((candidate) => candidate.id === id)
  return message?.kind === "assistant" ? message : null
}

/** Sequences of the inputs that were promoted last, together. */
export function newestInputs(messages: readonly Message[]): readonly number[] {
  const isInput = (message: Message | undefined) => message?.kind === "user" || message?.kind === "notice"
  const last = messages.findLastIndex(isInput)
  const inputs: number[] = []
  for (let at = last; at >= 0 && isInput(messages[at]); at--) inputs.unshift((messages[at] as Message).seq)
  return inputs
}

/** A loop without lists in between: every boundary walks the whole window. */
export function openCalls(state: SessionState): readonly { message: AssistantMessage; part: CallPart }[] {
  const found: { message: AssistantMessage; part: CallPart }[] = []
  for (const message of state.messages) {
    if (message.kind !== "assistant") continue
    for (const { part } of message.parts)
      if (part.type === "call" && part.outcome === null) found.push({ message, part })
  }
  return found
}
