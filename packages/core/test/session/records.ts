/** Records for tests of plans: small, complete, and made from numbers. */
import type { Fact, FactOf } from "@holdfast/schema/event"
import type { CallId, MessageId, PromptId, SessionId, TurnId } from "@holdfast/schema/id"
import type { AdmittedPrompt, Delivery } from "@holdfast/schema/prompt"
import type { TurnStatus } from "@holdfast/schema/turn"
import { advance, emptyState, type SessionState } from "@holdfast/schema/state/state"
import { unsentLedger } from "../../src/session/recovery.ts"

export const session = "ses_1" as SessionId
export const messageId = (n: number) => `msg_${n}` as MessageId
export const turnId = (n: number) => `trn_${n}` as TurnId
export const callId = (n: number) => `call_${n}` as CallId
export const promptId = (n: number) => `p${n}` as PromptId

export const prompt = (seq: number, delivery: Delivery = "steer"): AdmittedPrompt => ({
  id: promptId(seq),
  session,
  admittedSeq: seq,
  bodySeq: seq,
  text: `text ${seq}`,
  delivery,
})

/** Folds facts as if they were a whole log, sequences from 1. */
export const fold = (facts: readonly Fact[], from: SessionState = emptyState): SessionState =>
  facts.reduce((state, fact) => advance(state, { session, seq: state.summary.seq + 1, time: 0, fact }), from)

export const admitted = (n: number): Fact => ({
  type: "prompt.admitted",
  prompt: promptId(n),
  text: `text ${n}`,
  delivery: "steer",
})

export const promoted = (n: number, bodySeq: number): Fact => ({
  type: "prompt.promoted",
  prompt: promptId(n),
  message: messageId(100 + n),
  bodySeq,
  tokens: 2,
  added: [],
})

export const started = (n: number, more: Partial<FactOf<"turn.started">> = {}): FactOf<"turn.started"> => ({
  type: "turn.started",
  turn: turnId(n),
  message: messageId(n),
  model: { provider: "sim", model: "script" },
  agent: "build",
  endpoint: "http://sim",
  tools: "t",
  options: "o",
  pass: "hold",
  request: {
    hash: "h",
    prefixHash: "p",
    encoder: "e",
    blocks: 1,
    bytes: 1,
    tokensEstimated: 10,
    markers: [],
    params: "q",
  },
  seenSeq: 0,
  allowanceUsed: 1,
  break: null,
  cacheExpected: 0,
  ...more,
})

export const settled = (n: number, status: TurnStatus): Fact => ({
  type: "turn.settled",
  turn: turnId(n),
  status,
  reason: null,
  ledger: unsentLedger,
})

export const textPart = (turn: number, index: number, text: string): Fact => ({
  type: "part.recorded",
  turn: turnId(turn),
  message: messageId(turn),
  index,
  part: { type: "text", text, interrupted: false },
  tokens: 1,
})

export const callPart = (turn: number, index: number, call: number, name = "work"): Fact => ({
  type: "part.recorded",
  turn: turnId(turn),
  message: messageId(turn),
  index,
  part: { type: "call", call: callId(call), nativeId: `n${call}`, name, input: {} },
  tokens: 1,
})

export const callStarted = (turn: number, call: number): Fact => ({
  type: "call.started",
  turn: turnId(turn),
  message: messageId(turn),
  call: callId(call),
})

export const callSettled = (turn: number, call: number, output = "done"): Fact => ({
  type: "call.settled",
  turn: turnId(turn),
  message: messageId(turn),
  call: callId(call),
  outcome: { state: "done", output, truncated: null, errorCode: null },
  effects: [],
  added: [],
  tokens: 1,
})
