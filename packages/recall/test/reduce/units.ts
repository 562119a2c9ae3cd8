/** Histories of numbered units for tests of reduction: one call an answer, each with its stored size. */
import type { HistoryView, ReduceQuestion } from "@holdfast/recall"
import type { CallId, MessageId, SignalId } from "@holdfast/schema/id"
import type { PassOp, SignalRaised } from "@holdfast/schema/fact/recall"
import type { Json } from "@holdfast/schema/json"
import type { AssistantMessage, Message } from "@holdfast/schema/message"
import { frozenOf } from "@holdfast/schema/state/frozen"
import { assistant, call, image, text, user } from "../history.ts"

export interface Called {
  readonly name?: string
  readonly input?: Json
  readonly tokens?: number
  readonly output?: string
  readonly says?: string
}

/** An answer at `seq` whose one call has the tag `seq + 1`. */
export function calls(seq: number, called: Called = {}): AssistantMessage {
  const { name = "work", input = { n: seq }, tokens = 100, output = `out ${seq}`, says } = called
  const part = { ...call(seq, output), name, input, tokens, seq: seq + 1 }
  return assistant(seq, ...(says === undefined ? [] : [text(says)]), part)
}

/** One prompt, and so many calls behind it: tags 1, 3, 5, 7 … */
export const history = (count: number, called: (n: number) => Called = () => ({})): readonly Message[] => [
  { ...user(1), tokens: 10 } as Message,
  ...Array.from({ length: count }, (_, n) => calls(2 * n + 2, called(n))),
]

export const viewOf = (messages: readonly Message[], ops: readonly PassOp[] = []): HistoryView => ({
  messages,
  frozen: frozenOf(ops, null),
})

export const asking = (view: HistoryView, more: Partial<ReduceQuestion> = {}): ReduceQuestion => ({
  view,
  signals: [],
  cause: "refresh",
  mode: "primary",
  usage: 0.5,
  workingTokens: 100_000,
  inputTokens: 50_000,
  ...more,
})

export const drop = (n: number, ...tags: readonly number[]): SignalRaised => ({
  type: "signal.raised",
  signal: `sig_${n}` as SignalId,
  kind: "drop",
  detail: { units: tags.map(unitOf) },
})

/** The first tag is that of the prompt. */
export const unitOf = (tag: number) =>
  tag === 1
    ? { message: "msg_1" as MessageId, call: null }
    : { message: `msg_${tag - 1}` as MessageId, call: `call_${tag - 1}` as CallId }

/** The tags of drops, with what they leave. */
export const dropped = (ops: readonly PassOp[]): readonly string[] =>
  ops.flatMap((op) =>
    op.op === "drop"
      ? [`${Number(/\d+/.exec(op.unit.message)?.[0]) + (op.unit.call === null ? 0 : 1)} ${op.leaves}`]
      : [],
  )

export const stripped = (ops: readonly PassOp[]): readonly string[] =>
  ops.flatMap((op) => (op.op === "strip" ? [`${op.message} ${op.what}`] : []))

/** A part of an answer whose call shows an image. */
export const withImage = (indexed: AssistantMessage["parts"][number]) =>
  indexed.part.type === "call" && indexed.part.outcome !== null
    ? { ...indexed, part: { ...indexed.part, outcome: { ...indexed.part.outcome, images: [image(1)] } } }
    : indexed
