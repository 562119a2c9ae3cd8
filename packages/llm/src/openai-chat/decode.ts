/**
 * The answer's frames to canonical events (LL1, LL6).
 *
 *   open ──finish_reason──▶ finished ──[DONE] | end──▶ done
 *     └──── error, unreadable, too large, an end before the finish ────▶ failed
 *
 * A chunk has no parts, only fields that grow: parts open with the first piece of a field and close
 * when another field takes over; calls close with the finish, because their pieces may come mixed.
 * The usage comes with the finish or behind it, so the finish waits for the end of the stream.
 */
import { type Usage, usageNone } from "@holdfast/schema/model"
import { decodeEventStream } from "../answer/event-stream.ts"
import { broken, cutOff, failed, type Frame, type Reading, type Step } from "../answer/reading.ts"
import { failureOf } from "../failure/failure.ts"
import { failureOfError } from "../failure/openai.ts"
import { type Fields, fieldsOf, isFields, listOf, lookUp, parseFields, textOf } from "../json-fields.ts"
import type { FailureCode, Finish, StreamDecoder, StreamEvent } from "../wire.ts"
import {
  addDelta,
  addWords,
  type AnswerParts,
  emptyAnswer,
  hasCalls,
  isDetailed,
  saidAtFinish,
} from "./answer-parts.ts"
import { usageOf } from "./usage.ts"

interface State {
  readonly started: boolean
  /** The finish reason, once there is one. */
  readonly finished: string | null
  readonly usage: Usage
  readonly parts: AnswerParts
}

export const reading: Reading<State> = {
  start: { started: false, finished: null, usage: usageNone, parts: emptyAnswer },
  step,
  end,
  repeated: {
    varying: ["created", "obfuscation"],
    add: (state, { text }) => ({ ...state, parts: addWords(state.parts, text) }),
    // Details of reasoning are gathered from every chunk.
    allowed: ({ parts }) => !isDetailed(parts),
  },
}

export const decoder = (contentType: string): StreamDecoder => decodeEventStream(contentType, reading)

function step(state: State, { data }: Frame): Step<State> {
  if (data.trim() === "[DONE]") return [state, end(state)]
  const chunk = parseFields(data)
  if (chunk === null)
    return broken(state, "malformed_stream", `a chunk that is not a JSON object: ${data.slice(0, 80)}`)
  const { error } = chunk
  if (isFields(error) || (typeof error === "string" && error !== ""))
    return failed(state, failureOfError(chunk))
  const choice = listOf(chunk["choices"]).find((item) => (fieldsOf(item)["index"] ?? 0) === 0)
  const usage = usageOf(chunk) ?? state.usage
  const [next, said] = readChoice({ ...state, started: true, usage }, fieldsOf(choice))
  if (state.started) return [next, said]
  return [next, [{ type: "start", nativeId: textOf(chunk["id"]), usage: usageNone }, ...said]]
}

function readChoice(state: State, choice: Fields): Step<State> {
  if (state.finished !== null) return [state, []]
  const events: StreamEvent[] = []
  const fail = (code: FailureCode, detail: string): Step<State> => [
    state,
    [...events, { type: "failure", failure: failureOf(code, detail) }],
  ]
  const parts = addDelta(state.parts, fieldsOf(choice["delta"] ?? choice["message"]), events)
  if (parts === null) return fail("malformed_stream", "a piece of a call that was not begun")
  const reason = choice["finish_reason"]
  if (typeof reason !== "string" || reason === "") return [{ ...state, parts }, events]
  // documented: OpenRouter ends so when the provider behind it failed.
  if (reason === "error") return fail("server_error", "the answer ended in an error")
  return [{ ...state, parts, finished: reason }, [...events, ...saidAtFinish(parts)]]
}

function end({ finished, usage, parts }: State): readonly StreamEvent[] {
  if (finished === null) return cutOff("the stream ended before a finish reason")
  return [{ type: "finish", reason: reasonOf(finished, parts), nativeReason: finished, usage }]
}

function reasonOf(native: string, parts: AnswerParts): Finish {
  const reason = lookUp(finishOf, native) ?? "unknown"
  // recorded: a call that was demanded ends with `stop`.
  if (reason === "stop" && hasCalls(parts)) return "calls"
  return reason === "stop" && parts.refused ? "refusal" : reason
}

/** documented, by OpenAI and by those who speak its form. */
const finishOf: Readonly<Record<string, Finish>> = {
  stop: "stop",
  eos: "stop",
  end_turn: "stop",
  tool_calls: "calls",
  function_call: "calls",
  length: "length",
  max_tokens: "length",
  model_length: "length",
  content_filter: "refusal",
  refusal: "refusal",
}
