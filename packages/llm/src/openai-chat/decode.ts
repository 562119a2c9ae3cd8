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
import { usageNone } from "@holdfast/schema/model"
import { decodeEventStream } from "../answer/event-stream.ts"
import * as parts from "../answer/parts.ts"
import { readAs, type Reading } from "../answer/reading.ts"
import { failureOf } from "../failure/failure.ts"
import { failureOfError } from "../failure/openai.ts"
import { type Fields, fieldsOf, isFields, listOf, textOf } from "../json-fields.ts"
import type { Finish, StreamDecoder } from "../wire.ts"
import { addDelta, type Answer, closing, isDetailed, type Note, type Own } from "./answer-parts.ts"
import { usageOf } from "./usage.ts"

export const reading: Reading<Own, Note> = {
  start: parts.answerWith({
    finished: null,
    usage: usageNone,
    refused: false,
    placeLatest: -1,
    placeFree: 0,
  }),
  step: (answer, { data }) => (data.trim() === "[DONE]" ? end(answer) : readAs(readChunk, answer, data)),
  end,
  // Details of reasoning are gathered from every chunk.
  repeated: { varying: ["created", "obfuscation"], allowed: (answer) => !isDetailed(answer) },
}

export const decoder = (contentType: string): StreamDecoder => decodeEventStream(contentType, reading)

function readChunk(answer: Answer, chunk: Fields): Answer {
  const { error } = chunk
  if (isFields(error) || (typeof error === "string" && error !== ""))
    return parts.failed(answer, failureOfError(chunk))
  const choice = listOf(chunk["choices"]).find((item) => (fieldsOf(item)["index"] ?? 0) === 0)
  const begun = parts.begin(answer, textOf(chunk["id"]))
  return readChoice(parts.knowing(begun, { usage: usageOf(chunk) ?? answer.own.usage }), fieldsOf(choice))
}

function readChoice(answer: Answer, choice: Fields): Answer {
  if (answer.own.finished !== null) return answer
  const grown = addDelta(answer, fieldsOf(choice["delta"] ?? choice["message"]))
  const reason = choice["finish_reason"]
  if (parts.isOver(grown) || typeof reason !== "string" || reason === "") return grown
  // documented: OpenRouter ends so when the provider behind it failed.
  if (reason === "error")
    return parts.failed(grown, failureOf("server_error", "the answer ended in an error"))
  return parts.endAll(parts.end(parts.knowing(grown, { finished: reason }), parts.spoken, closing), closing)
}

function end(answer: Answer): Answer {
  const { finished, usage } = answer.own
  if (finished === null) return parts.cutOff(answer, "the stream ended before a finish reason")
  return parts.finish(answer, reasonOf(finished, answer), finished, usage)
}

function reasonOf(native: string, { called, own }: Answer): Finish {
  const reason = finishOf(native)
  // recorded: a call that was demanded ends with `stop`.
  if (reason === "stop" && called) return "calls"
  return reason === "stop" && own.refused ? "refusal" : reason
}

/** documented, by OpenAI and by those who speak its form. */
const finishOf = parts.finishesOf({
  stop: "stop eos end_turn",
  calls: "tool_calls function_call",
  length: "length max_tokens model_length",
  refusal: "content_filter refusal",
})
