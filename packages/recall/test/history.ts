/** Messages for tests of planning and rendering. */
import type { FactOf } from "@holdfast/schema/event"
import type { CallId, MessageId, NoticeId, PromptId, Seq, TurnId } from "@holdfast/schema/id"
import type { AssistantMessage, CallPart, Message, Part } from "@holdfast/schema/message"
import type { Compartment, PassOp } from "@holdfast/schema/fact/recall"
import type { Media } from "@holdfast/schema/media"

export const user = (seq: number, words = `ask ${seq}`): Message => ({
  id: `msg_${seq}` as MessageId,
  seq,
  kind: "user",
  prompt: `p${seq}` as PromptId,
  text: words,
})

export const notice = (seq: number, words = `note ${seq}`): Message => ({
  id: `msg_${seq}` as MessageId,
  seq,
  kind: "notice",
  notice: `n${seq}` as NoticeId,
  source: { kind: "runtime", id: "" },
  text: words,
})

/** What one source says; every one of its messages takes the place of the one before. */
export const system = (seq: number, words = `fact ${seq}`, key = "sim/fact"): Message => ({
  id: `msg_${seq}` as MessageId,
  seq,
  kind: "system",
  text: words,
  keys: [key],
  texts: [{ key, text: words }],
})

export const assistant = (seq: number, ...parts: readonly Part[]): AssistantMessage => ({
  id: `msg_${seq}` as MessageId,
  seq,
  kind: "assistant",
  turn: `trn_${seq}` as TurnId,
  parts: parts.map((part, index) => ({ index, part })),
})

export const text = (words: string, interrupted = false): Part => ({ type: "text", text: words, interrupted })

export const reasoning = (words: string, signed = true): Part => ({
  type: "reasoning",
  text: words,
  native: signed ? { provider: "sim", model: "script", endpoint: "http://sim", opaque: "sig" } : null,
  interrupted: !signed,
})

export const call = (n: number, output: string | null, state: CallPart["state"] = "done"): CallPart => ({
  type: "call",
  call: `call_${n}` as CallId,
  nativeId: `n${n}`,
  name: "work",
  input: {},
  state: output === null ? "running" : state,
  outcome:
    output === null || state === "pending" || state === "running"
      ? null
      : { state, output, truncated: null, errorCode: null },
})

export const image = (n: number, bytes = 1_000): Media => ({
  hash: n.toString(16).padStart(64, "0"),
  mediaType: "image/png",
  bytes,
  width: 800,
  height: 600,
  name: `${n}.png`,
})

/** An answer whose tool showed images. */
export function reads(seq: number, ...images: readonly Media[]): Message {
  const part = call(seq, "seen")
  return assistant(seq, { ...part, outcome: part.outcome && { ...part.outcome, images } })
}

/** Words of about this many tokens. */
export const words = (tokens: number): string => "w".repeat(Math.round(tokens * 3.5))

export const cutBelow = (
  below: number,
  more: { readonly kept?: number[]; readonly messages?: number } = {},
): PassOp => ({ op: "cut", below, kept: [], messages: 2, ...more })

export const skeleton = (message: number, called: number): PassOp => ({
  op: "drop",
  unit: { message: `msg_${message}` as MessageId, call: `call_${called}` as CallId },
  leaves: "skeleton",
})

/** What a historian published of a range: one part, in the place of others where any are named. */
export const published = (
  fromSeq: number,
  toSeq: number,
  part: Partial<Compartment> = {},
  replaces: readonly string[] = [],
): FactOf<"history.published"> => ({
  type: "history.published",
  fromSeq: fromSeq as Seq,
  toSeq: toSeq as Seq,
  fingerprint: "f",
  by: "model",
  compartments: [
    {
      id: `c${fromSeq}-${toSeq}`,
      fromSeq: fromSeq as Seq,
      toSeq: toSeq as Seq,
      title: "what happened",
      tiers: ["U told in full", "U told", "told", ""],
      importance: 50,
      episode: "talk",
      ...part,
    },
  ],
  events: [],
  facts: [],
  observations: [],
  replaces,
  job: null,
})
