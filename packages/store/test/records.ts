/** Records for tests: small, complete, and told apart by a number. */
import type { Fact, FactOf } from "@holdfast/schema/event"
import type { AskId, CallId, MessageId, NoticeId, PromptId, SessionId, TurnId } from "@holdfast/schema/id"
import type { CallOutcome, RecordedPart } from "@holdfast/schema/message"
import type { Append, Command, Contribute, ContributedFact, ForkSession, LeaseOwner } from "../src/port.ts"

export const sessionId = (n: number): SessionId => `ses_${n}` as SessionId
export const promptId = (n: number | string): PromptId => `prm_${n}` as PromptId
export const messageId = (n: number | string): MessageId => `msg_${n}` as MessageId
export const turnId = (n: number): TurnId => `trn_${n}` as TurnId
export const callId = (n: number): CallId => `call_${n}` as CallId
const askId = (n: number | string): AskId => `ask_${n}` as AskId

const model = { provider: "offline", model: "small" }

export const owner = (pid: number): LeaseOwner => ({ boot: "b", space: "s", pid, start: "1", instance: "i" })

export const create = (n: number): Extract<Command, { kind: "create-session" }> => ({
  kind: "create-session",
  session: sessionId(n),
  time: 1_000,
  fact: {
    type: "session.created",
    kind: "primary",
    parent: null,
    origin: null,
    location: { directory: "/srv/here", projectRoot: "/work" },
    title: null,
    titledBy: "runtime",
    model,
    agent: "build",
    policy: "settle",
    onAsk: "wait",
    harness: "holdfast",
  },
})

/** Session `n` as a fork of another. */
export const fork = (n: number, source: number, more: Partial<ForkSession> = {}): ForkSession => ({
  kind: "fork-session",
  session: sessionId(n),
  time: 9_000,
  source: sessionId(source),
  message: null,
  title: null,
  prompts: `prm_of_${n}` as PromptId,
  ...more,
})

export const move = (n: number, directory: string): Extract<Command, { kind: "move-session" }> => ({
  kind: "move-session",
  session: sessionId(n),
  time: 8_000,
  location: { directory, projectRoot: "/work" },
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
  movedAbove: null,
  clearsScratch: [],
  release: "keep",
  ...more,
})

export const promoted = (prompt: number | string, bodySeq: number): FactOf<"prompt.promoted"> => ({
  type: "prompt.promoted",
  prompt: promptId(prompt),
  message: messageId(`p${prompt}`),
  bodySeq,
  tokens: 3,
  added: [],
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
  texts: [{ key: "core/date", text: `The date is ${value}.` }],
  changes: { "core/date": value === null ? null : { value } },
  tokens: 4,
})

export const turnStarted = (n: number, seenSeq = 0): FactOf<"turn.started"> => ({
  type: "turn.started",
  turn: turnId(n),
  message: messageId(`t${n}`),
  model,
  agent: "build",
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
    markers: [{ block: 1, lifetime: "5m" }],
    params: "cc",
  },
  seenSeq,
  allowanceUsed: 1,
  break: null,
  cacheExpected: 0,
})

export const partRecorded = (turn: number, index: number, part: RecordedPart): FactOf<"part.recorded"> => ({
  type: "part.recorded",
  turn: turnId(turn),
  message: messageId(`t${turn}`),
  index,
  part,
  tokens: 5,
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
  effects: [],
  added: [],
  tokens: 6,
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
    attempts: [{ failure: null, waitMs: 0 }],
    durationMs: 5,
    finish: "stop",
  },
})

/** A Fold that cuts what lies below a sequence. */
export const cutBelow = (below: number, kept: readonly number[] = []): FactOf<"pass.applied"> => ({
  type: "pass.applied",
  pass: "fold",
  reason: "ceiling",
  ops: [{ op: "cut", below, kept, messages: 2 }],
  slots: null,
  consumes: [],
  tokensBefore: 9,
  tokensAfter: 3,
})

export const contribute = (n: number, fact: ContributedFact, time = 4_000): Contribute => ({
  kind: "contribute",
  session: sessionId(n),
  time,
  fact,
})

export const notice = (n: number | string, wakes = true): FactOf<"notice.admitted"> => ({
  type: "notice.admitted",
  notice: `command:${n}` as NoticeId,
  source: { kind: "command", id: `${n}` },
  text: `command ${n} ended`,
  delivery: "steer",
  wakes,
})

/** About a call of a turn, or about a request of the runtime. */
export const askRaised = (
  n: number | string,
  about: { readonly turn: number; readonly call: number } | null = null,
): FactOf<"ask.raised"> => ({
  type: "ask.raised",
  ask: askId(n),
  subject:
    about === null
      ? { kind: "request", name: "trust", detail: { n } }
      : {
          kind: "call",
          turn: turnId(about.turn),
          message: messageId(`t${about.turn}`),
          call: callId(about.call),
        },
  question: `May I ${n}?`,
  resources: [{ action: "read", resource: "a.txt" }],
  rule: null,
  agent: "build",
  options: [],
})

export const askAnswered = (n: number | string): FactOf<"ask.answered"> => ({
  type: "ask.answered",
  ask: askId(n),
  decision: "allow",
  scope: "once",
  text: null,
  by: "person",
})

/** One compartment for the whole range, `c1-4`; a `+` tells it from the one that it replaces. */
export const historyPublished = (
  fromSeq: number,
  toSeq: number,
  replaces: readonly string[] = [],
): FactOf<"history.published"> => ({
  type: "history.published",
  fromSeq,
  toSeq,
  fingerprint: `f${fromSeq}`,
  by: "extractive",
  compartments: [
    {
      id: `c${fromSeq}-${toSeq}${replaces.length === 0 ? "" : "+"}`,
      fromSeq,
      toSeq,
      title: "What was said",
      tiers: ["long", "less", "short", "dense"],
      importance: 50,
      episode: "e",
    },
  ],
  events: [],
  facts: [],
  observations: [],
  replaces,
  job: null,
})
