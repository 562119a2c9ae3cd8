/**
 * Stream parts of an AI SDK model, one frame each, to canonical events (LL1, LL6).
 *
 *   open ──finish──▶ finished        (open parts are closed first)
 *     └──── error, unreadable, too large, an end before the finish ────▶ failed
 *
 * Metadata of a part is what the model wants back with it; the latest of a part's events counts.
 */
import type { JsonObject } from "@holdfast/schema/json"
import type { Usage } from "@holdfast/schema/model"
import { parseInput } from "../answer/call-input.ts"
import { decodeJsonLines } from "../answer/json-lines.ts"
import * as parts from "../answer/parts.ts"
import { type Meanings, readBy, type Reading } from "../answer/reading.ts"
import { countOf, type Fields, fieldsOf, isFields, textOf } from "../json-fields.ts"
import type { StreamDecoder } from "../wire.ts"
import { failureOf } from "../failure/failure.ts"
import { failureOfDescribed } from "./failure.ts"

/** Of text and reasoning. A part is known by its kind and id: two kinds may share an id. */
interface Note {
  readonly metadata: JsonObject | null
}

type Answer = parts.Answer<null, Note>

export const reading: Reading<null, Note> = {
  start: parts.answerWith(null),
  step: (answer, frame) => readBy(said, answer, frame),
  end: (answer) => parts.cutOff(answer, "the stream ended before its finish"),
}

export const decoder = (contentType: string): StreamDecoder => decodeJsonLines(contentType, reading)

const isHosted = (part: Fields): boolean => part["providerExecuted"] === true

/** Warnings, sources, files and raw chunks say nothing that is kept. */
const said: Meanings<Answer> = {
  "response-metadata": (answer, { id }) => parts.begin(answer, textOf(id)),
  error: (answer, { error }) => parts.failed(answer, failureOfDescribed(error, "unknown", 0)),
  "tool-input-start": (answer, part) =>
    isHosted(part) ? answer : openCall(parts.begin(answer), textOf(part["id"]), part),
  "tool-input-delta": (answer, { id, delta }) => parts.add(answer, callKey(textOf(id)), textOf(delta)),
  "tool-call": (answer, part) => (isHosted(part) ? addHosted : addCall)(parts.begin(answer), part),
  "tool-result": (answer, part) =>
    part["preliminary"] === true ? answer : addHosted(parts.begin(answer), part),
  finish: (answer, part) => finish(parts.begin(answer), part),
  ...wordsOf("text"),
  ...wordsOf("reasoning"),
}

/** Each part of text or reasoning has a key of its own and may be one of many. */
function wordsOf(kind: "text" | "reasoning"): Meanings<Answer> {
  const keyOf = ({ id }: Fields): string => `${kind} ${textOf(id)}`
  const noted = (answer: Answer, part: Fields): Answer => {
    const key = keyOf(part)
    const metadata = metadataOf(part)
    if (parts.partAt(answer, key) === undefined)
      return parts.open(parts.begin(answer), key, { kind, note: { metadata } })
    return metadata === null ? answer : parts.note(answer, key, { metadata })
  }
  return {
    [`${kind}-start`]: noted,
    [`${kind}-delta`]: (answer, part) => parts.add(noted(answer, part), keyOf(part), textOf(part["delta"])),
    [`${kind}-end`]: (answer, part) => parts.end(noted(answer, part), keyOf(part), closing),
  }
}

function closing({ kind, note: { metadata } }: parts.Part<Note>): parts.Closing {
  if (kind === "text" && metadata === null) return {}
  return { opaque: { type: kind, ...(metadata === null ? {} : { providerMetadata: metadata }) } }
}

const callKey = (id: string): string => `call ${id}`

const openCall = (answer: Answer, nativeId: string, part: Fields): Answer =>
  parts.open(answer, callKey(nativeId), {
    kind: "call",
    nativeId,
    name: textOf(part["toolName"]),
    note: { metadata: null },
  })

/** The whole call; what streamed of its input before is repeated here. */
function addCall(answer: Answer, part: Fields): Answer {
  const nativeId = textOf(part["toolCallId"])
  const key = callKey(nativeId)
  const { input } = part
  const metadata = metadataOf(part)
  const native = metadata === null ? {} : { providerMetadata: metadata }
  const opened = parts.partAt(answer, key) === undefined ? openCall(answer, nativeId, part) : answer
  return parts.end(opened, key, () => ({
    name: textOf(part["toolName"]),
    text: typeof input === "string" ? input : JSON.stringify(input ?? {}),
    opaque: { type: "call", toolCallId: nativeId, ...native },
  }))
}

/** LL8: what the provider ran itself, as it said it; the input of its call as a value. */
function addHosted(answer: Answer, part: Fields): Answer {
  const { input } = part
  return parts.hosted(answer, textOf(part["toolName"]), {
    ...(part as JsonObject),
    ...(typeof input === "string" ? { input: parseInput(input) ?? { unreadable: input } } : {}),
  })
}

function finish(answer: Answer, part: Fields): Answer {
  // A call whose input streamed and which was never made is none.
  const spoken = parts.openKeys(answer).filter((key) => parts.partAt(answer, key)?.kind !== "call")
  const ended = spoken.reduce<Answer>((left, key) => parts.end(left, key, closing), answer)
  const { finishReason } = part
  const native = isFields(finishReason) ? textOf(finishReason["unified"]) : textOf(finishReason)
  if (native === "error")
    return parts.failed(ended, failureOf("server_error", "the answer ended in an error"))
  const raw = isFields(finishReason) ? textOf(finishReason["raw"]) : ""
  const reason = finishOf(native)
  const called = ended.called && (reason === "stop" || reason === "unknown")
  return parts.finish(ended, called ? "calls" : reason, raw || native, usageOf(fieldsOf(part["usage"])))
}

const metadataOf = (part: Fields): JsonObject | null =>
  isFields(part["providerMetadata"]) ? (part["providerMetadata"] as JsonObject) : null

const finishOf = parts.finishesOf({
  stop: "stop",
  calls: "tool-calls",
  length: "length",
  refusal: "content-filter",
})

/** documented: an object of counts since version 3; before it, totals of which a part was cached. */
function usageOf(usage: Fields): Usage {
  const input = usage["inputTokens"]
  const output = usage["outputTokens"]
  if (!isFields(input)) {
    const cached = countOf(usage["cachedInputTokens"], 0)
    return parts.usageWithin(countOf(input, 0), countOf(output, 0), cached)
  }
  const [cacheRead, cacheWrite] = [countOf(input["cacheRead"], 0), countOf(input["cacheWrite"], 0)]
  const told = countOf(fieldsOf(output)["total"], 0)
  const within = parts.usageWithin(countOf(input["total"], 0), told, cacheRead, cacheWrite)
  return { ...within, input: countOf(input["noCache"], within.input) }
}
