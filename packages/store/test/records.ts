/** Records for tests: small, complete, and told apart by a number. */
import type { Fact, FactOf } from "@holdfast/schema/event"
import type { CallId, MessageId, PromptId, SessionId, TurnId } from "@holdfast/schema/id"
import type { CallOutcome, RecordedPart } from "@holdfast/schema/message"
import type { Append, Command, LeaseOwner } from "../src/port.ts"

export const sessionId = (n: number): SessionId => `ses_${n}` as SessionId
export const promptId = (n: number | string): PromptId => `prm_${n}` as PromptId
export const messageId = (n: number | string): MessageId => `msg_${n}` as MessageId
export const turnId = (n: number): TurnId => `trn_${n}` as TurnId
const callId = (n: number): CallId => `call_${n}` as CallId

export const owner = (pid: number): LeaseOwner => ({ boot: "b", space: "s", pid, start: "1", instance: "i" })

export const create = (n: number): Extract<Command, { kind: "create-session" }> => ({
  kind: "create-session",
  session: sessionId(n),
  time: 1_000,
  fact: {
    type: "session.created",
    location: { directory: "/srv/here", projectRoot: "/work" },
    title: null,
    model: { provider: "offline", model: "small" },
    policy: "settle",
    harness: "holdfast",
  },
})

export const admit = (
  n: number,
  prompt: number | string,
  more: Partial<Extract<Command, { kind: "admit" }>> = {},
): Extract<Command, { kind: "admit" }> => ({
  kind: "admit",
  session: sessionId(n),
  time: 2_000,
  prompt: promptId(prompt),
  text: `text of ${prompt}`,
  delivery: "steer",
  ...more,
})

export const acquire = (n: number, pid = 1): Extract<Command, { kind: "acquire" }> => ({
  kind: "acquire",
  session: sessionId(n),
  owner: owner(pid),
  dead: null,
})

export const append = (
  n: number,
  token: number,
  facts: readonly Fact[],
  more: Partial<Append> = {},
): Append => ({
  kind: "append",
  session: sessionId(n),
  time: 3_000,
  token,
  facts,
  blobs: [],
  interruptedAbove: null,
  promotes: [],
  followsSeq: null,
  clearsScratch: [],
  release: "keep",
  ...more,
})

export const promoted = (prompt: number | string, bodySeq: number): FactOf<"prompt.promoted"> => ({
  type: "prompt.promoted",
  prompt: promptId(prompt),
  message: messageId(`p${prompt}`),
  bodySeq,
})

export const epochStarted = (baseline: string, value: string): FactOf<"epoch.started"> => ({
  type: "epoch.started",
  baseline,
  snapshot: { "core/date": { value }, "core/place": { value: "here", removal: "No place." } },
  cause: "first",
})

export const contextUpdated = (n: number, value: string | null): FactOf<"context.updated"> => ({
  type: "context.updated",
  message: messageId(`s${n}`),
  text: `The date is ${value}.`,
  keys: ["core/date"],
  changes: { "core/date": value === null ? null : { value } },
})

export const turnStarted = (n: number): FactOf<"turn.started"> => ({
  type: "turn.started",
  turn: turnId(n),
  message: messageId(`t${n}`),
  model: { provider: "offline", model: "small" },
  endpoint: "loopback",
  tools: "aa",
  options: "bb",
  pass: "hold",
  request: {
    hash: "h",
    prefixHash: "p",
    encoder: "1",
    blocks: 3,
    bytes: 900,
    tokensEstimated: 200,
    markers: [1],
  },
  allowanceUsed: 1,
})

export const partRecorded = (turn: number, index: number, part: RecordedPart): FactOf<"part.recorded"> => ({
  type: "part.recorded",
  turn: turnId(turn),
  message: messageId(`t${turn}`),
  index,
  part,
})

export const textPart = (text: string): RecordedPart => ({ type: "text", text, interrupted: false })

export const callPart = (n: number): RecordedPart => ({
  type: "call",
  call: callId(n),
  nativeId: `native-${n}`,
  name: "read",
  input: { path: "a.txt", lines: [1, 2] },
})

export const callStarted = (turn: number, call: number): FactOf<"call.started"> => ({
  type: "call.started",
  turn: turnId(turn),
  message: messageId(`t${turn}`),
  call: callId(call),
})

export const outcome = (state: CallOutcome["state"]): CallOutcome => ({
  state,
  output: `it is ${state}`,
  truncated: null,
  errorCode: null,
})

export const callSettled = (
  turn: number,
  call: number,
  state: CallOutcome["state"] = "done",
): FactOf<"call.settled"> => ({
  type: "call.settled",
  turn: turnId(turn),
  message: messageId(`t${turn}`),
  call: callId(call),
  outcome: outcome(state),
})

export const turnSettled = (
  turn: number,
  status: FactOf<"turn.settled">["status"] = "done",
): FactOf<"turn.settled"> => ({
  type: "turn.settled",
  turn: turnId(turn),
  status,
  reason: status === "failed" ? { code: "auth", message: "Sign in again." } : null,
  ledger: {
    usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
    cost: null,
    cacheExpected: 0,
    break: null,
    attempts: [{ failure: null, waitMs: 0 }],
    durationMs: 5,
    finish: "stop",
  },
})

export const reductionApplied = (
  keepFrom: number,
  kept: readonly number[] = [],
): FactOf<"reduction.applied"> => ({
  type: "reduction.applied",
  reduction: {
    reason: "ceiling",
    keepFrom,
    kept,
    messagesCut: 2,
    outputsCut: [],
    tokensBefore: 9,
    tokensAfter: 3,
  },
})
