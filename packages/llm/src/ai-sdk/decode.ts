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
import type { Frame, Reading } from "../answer/reading.ts"
import { countOf, type Fields, fieldsOf, isFields, parseFields, textOf } from "../json-fields.ts"
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
  step,
  end: (answer) => parts.cutOff(answer, "the stream ended before its finish"),
}

export const decoder = (contentType: string): StreamDecoder => decodeJsonLines(contentType, reading)

function step(answer: Answer, { data }: Frame): Answer {
  const part = parseFields(data)
  if (part === null) return parts.impossible(answer, "a part that is not a JSON object")
  const type = textOf(part["type"])
  const [, kind, at] = /^(text|reasoning)-(start|delta|end)$/.exec(type) ?? []
  if (kind !== undefined) return addWords(parts.begin(answer), kind as "text" | "reasoning", at, part)
  const isHosted = part["providerExecuted"] === true
  switch (type) {
    case "response-metadata":
      return parts.begin(answer, textOf(part["id"]))
    case "error":
      return parts.failed(answer, failureOfDescribed(part["error"], "unknown", 0))
    case "tool-input-start":
      return isHosted ? answer : openCall(parts.begin(answer), textOf(part["id"]), part)
    case "tool-input-delta":
      return parts.add(answer, callKey(textOf(part["id"])), textOf(part["delta"]))
    case "tool-call":
      return isHosted ? addHosted(parts.begin(answer), part) : addCall(parts.begin(answer), part)
    case "tool-result":
      return part["preliminary"] === true ? answer : addHosted(parts.begin(answer), part)
    case "finish":
      return finish(parts.begin(answer), part)
    default:
      // Warnings, sources, files, raw chunks and whatever comes later say nothing that is kept (LL6).
      return answer
  }
}

function addWords(answer: Answer, kind: "text" | "reasoning", at: string | undefined, part: Fields): Answer {
  const key = `${kind} ${textOf(part["id"])}`
  const metadata = metadataOf(part)
  const known = parts.partAt(answer, key)
  const opened = known === undefined ? parts.open(answer, key, { kind, note: { metadata } }) : answer
  const noted = metadata === null ? opened : parts.note(opened, key, { metadata })
  if (at === "delta") return parts.add(noted, key, textOf(part["delta"]))
  return at === "end" ? parts.end(noted, key, closing) : noted
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
