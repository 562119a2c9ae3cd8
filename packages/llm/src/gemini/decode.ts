/**
 * The answer's frames to canonical events (LL1, LL6).
 *
 *   open ──finishReason | blockReason──▶ finished ──end──▶ done
 *     └──── error, unreadable, too large, an end before the finish ────▶ failed
 *
 * Each chunk is a whole response with the next parts in it. There is no last word and the counts may
 * come behind the reason, so the finish waits for the end of the stream. Fields, parts and reasons
 * that are not known are passed over.
 */
import { type Usage, usageNone } from "@holdfast/schema/model"
import { decodeEventStream } from "../answer/event-stream.ts"
import { broken, cutOff, type Delta, failed, type Frame, type Reading, type Step } from "../answer/reading.ts"
import { failureOf } from "../failure/failure.ts"
import {
  countOf,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  lookUp,
  parseFields,
  textOf,
} from "../json-fields.ts"
import type { Finish, StreamDecoder, StreamEvent } from "../wire.ts"
import { addPart, type AnswerParts, closeWords, noParts, withWords } from "./answer-parts.ts"
import { failureOfError } from "./failure.ts"

interface State {
  readonly started: boolean
  readonly usage: Usage
  /** The latest chunk that was taken by its words, if its counts are the latest; read when needed. */
  readonly counted: string | null
  readonly parts: AnswerParts
  readonly finished: { readonly reason: Finish; readonly nativeReason: string } | null
}

export const reading: Reading<State> = {
  start: { started: false, usage: usageNone, counted: null, parts: noParts, finished: null },
  step,
  end,
  // Counts that grow with the answer.
  repeated: { varying: ["candidatesTokenCount", "thoughtsTokenCount", "totalTokenCount"], add },
}

export const decoder = (contentType: string): StreamDecoder => decodeEventStream(contentType, reading)

function step(state: State, { data }: Frame): Step<State> {
  // Some that pass the stream on end it in the way of another API.
  if (data.trim() === "[DONE]") return [state, []]
  const chunk = parseFields(data)
  if (chunk === null)
    return broken(state, "malformed_stream", `a chunk that is not a JSON object: ${data.slice(0, 80)}`)
  if (isFields(chunk["error"])) return failed(state, failureOfError(chunk))
  const events: StreamEvent[] = state.started
    ? []
    : [{ type: "start", nativeId: textOf(chunk["responseId"]), usage: usageNone }]
  const next: State = { ...state, started: true, usage: usageAfter(state, chunk), counted: null }
  return [readChunk(next, chunk, events), events]
}

function end(state: State): readonly StreamEvent[] {
  if (state.finished === null) return cutOff("the stream ended before a finish reason")
  return [{ type: "finish", ...state.finished, usage: usageAfter(state, {}) }]
}

function add(state: State, { text }: Delta, data: string): State {
  return { ...state, counted: data, parts: withWords(state.parts, text) }
}

function readChunk(state: State, chunk: Fields, events: StreamEvent[]): State {
  if (state.finished !== null) return state
  const blockReason = textOf(fieldsOf(chunk["promptFeedback"])["blockReason"])
  if (blockReason !== "") return finish(state, "refusal", blockReason, events)
  const candidate = listOf(chunk["candidates"]).find((item) => (fieldsOf(item)["index"] ?? 0) === 0)
  return readCandidate(state, fieldsOf(candidate), events)
}

function readCandidate(state: State, candidate: Fields, events: StreamEvent[]): State {
  const parts = listOf(fieldsOf(candidate["content"])["parts"]).reduce<AnswerParts | null>(
    (before, part) => before && addPart(before, fieldsOf(part), events),
    state.parts,
  )
  if (parts === null) {
    events.push({ type: "failure", failure: failureOf("malformed_stream", "a call without a name") })
    return state
  }
  const nativeReason = textOf(candidate["finishReason"])
  if (nativeReason === "") return { ...state, parts }
  const reason = lookUp(finishOf, nativeReason) ?? "unknown"
  const called = reason === "stop" && parts.called
  return finish({ ...state, parts }, called ? "calls" : reason, nativeReason, events)
}

function finish(state: State, reason: Finish, nativeReason: string, events: StreamEvent[]): State {
  return { ...state, parts: closeWords(state.parts, null, events), finished: { reason, nativeReason } }
}

/** documented: why an answer ended; what is missing here ended for a reason of its own. */
const finishOf: Readonly<Record<string, Finish>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  SAFETY: "refusal",
  RECITATION: "refusal",
  BLOCKLIST: "refusal",
  PROHIBITED_CONTENT: "refusal",
  SPII: "refusal",
  IMAGE_SAFETY: "refusal",
  IMAGE_PROHIBITED_CONTENT: "refusal",
  IMAGE_RECITATION: "refusal",
  MODEL_ARMOR: "refusal",
}

/** A chunk without counts leaves those before it as they are. */
function usageAfter({ usage, counted }: State, chunk: Fields): Usage {
  const latest = usageOf(chunk)
  if (latest !== null || counted === null) return latest ?? usage
  return usageOf(fieldsOf(parseFields(counted))) ?? usage
}

/** documented: the prompt counts what came from a cache; thoughts are counted beside the answer. */
function usageOf(chunk: Fields): Usage | null {
  const usage = chunk["usageMetadata"]
  if (!isFields(usage)) return null
  const prompt = countOf(usage["promptTokenCount"], 0) + countOf(usage["toolUsePromptTokenCount"], 0)
  const cacheRead = countOf(usage["cachedContentTokenCount"], 0)
  return {
    input: Math.max(0, prompt - cacheRead),
    output: countOf(usage["candidatesTokenCount"], 0) + countOf(usage["thoughtsTokenCount"], 0),
    cacheRead,
    cacheWrite: 0,
  }
}
