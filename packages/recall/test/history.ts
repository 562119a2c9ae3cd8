/** Messages for tests of rendering and reducing. */
import type { CallId, MessageId, PromptId, TurnId } from "@holdfast/schema/id"
import type { AssistantMessage, CallPart, Message, Part } from "@holdfast/schema/message"
import type { Reduction } from "@holdfast/schema/reduction"

export const user = (seq: number, text = `ask ${seq}`): Message => ({
  id: `msg_${seq}` as MessageId,
  seq,
  kind: "user",
  prompt: `p${seq}` as PromptId,
  text,
})

export const system = (seq: number, text = `fact ${seq}`): Message => ({
  id: `msg_${seq}` as MessageId,
  seq,
  kind: "system",
  text,
  keys: ["sim/fact"],
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

export const reduction = (keepFrom: number, more: Partial<Reduction> = {}): Reduction => ({
  reason: "ceiling",
  keepFrom,
  kept: [],
  messagesCut: 2,
  outputsCut: [],
  tokensBefore: 100,
  tokensAfter: 10,
  ...more,
})
