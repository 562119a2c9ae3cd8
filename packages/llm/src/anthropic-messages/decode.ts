/**
 * The answer's frames to canonical events (LL1, LL6).
 *
 *   before ──message_start──▶ open ──message_stop──▶ done
 *      └──────── anything impossible, unreadable or too large ────────▶ failed
 *
 * What a provider may add later is passed over: events, fields, delta types, block types and stop
 * reasons that are not known here. What cannot be true is a failure: unreadable JSON, a delta for
 * a block that is not open, a stop while a block is open, an end before the stop.
 */
import type { Json } from "@holdfast/schema/json"
import { type Usage, usageNone } from "@holdfast/schema/model"
import { parseInput } from "../answer/call-input.ts"
import { decodeEventStream } from "../answer/event-stream.ts"
import * as parts from "../answer/parts.ts"
import { type Meanings, readBy, type Reading } from "../answer/reading.ts"
import { countOf, type Fields, fieldsOf, listOf, lookUp, textOf } from "../json-fields.ts"
import type { StreamDecoder } from "../wire.ts"
import { isHosted, type TextOpaque, type ThinkingOpaque } from "./block-shape.ts"
import { failureOfEvent } from "./failure.ts"

interface Own {
  readonly usage: Usage
  readonly stopReason: string
}

/** Of a block, which is known by its index. */
interface Note {
  readonly content: Fields
  readonly signature: string
  readonly citations: readonly Json[]
}

type Answer = parts.Answer<Own, Note>

export const reading: Reading<Own, Note> = {
  start: parts.answerWith({ usage: usageNone, stopReason: "" }),
  step: (answer, frame) => readBy(events, answer, frame),
  end: (answer) => parts.cutOff(answer, "the stream ended before message_stop"),
  repeated: { varying: [] },
}

export const decoder = (contentType: string): StreamDecoder => decodeEventStream(contentType, reading)

const events: Meanings<Answer> = {
  content_block_delta: addDelta,
  content_block_start: startBlock,
  content_block_stop: endBlock,
  message_start: startMessage,
  message_delta: updateMessage,
  message_stop: endMessage,
  error: (answer, frame) => {
    const { type, message } = fieldsOf(frame["error"])
    return parts.failed(answer, failureOfEvent(textOf(type), textOf(message)))
  },
}

function startMessage(answer: Answer, frame: Fields): Answer {
  if (answer.started) return parts.impossible(answer, "a second message_start")
  const message = fieldsOf(frame["message"])
  const usage = mergeUsage(answer.own.usage, message["usage"])
  return parts.begin(parts.knowing(answer, { usage }), textOf(message["id"]), usage)
}

/** The kind of a block, and the field that has its words when it begins; any other type is silent (LL6). */
const shapes: Readonly<Record<string, readonly [kind: parts.Part<Note>["kind"], words?: string]>> = {
  text: ["text", "text"],
  thinking: ["reasoning", "thinking"],
  redacted_thinking: ["reasoning"],
  tool_use: ["call"],
}

function startBlock(answer: Answer, { index, content_block }: Fields): Answer {
  if (!answer.started || typeof index !== "number" || parts.partAt(answer, index) !== undefined)
    return parts.impossible(answer, `content_block_start out of order at ${String(index)}`)
  const content = fieldsOf(content_block)
  const { id, name, signature, citations } = content
  const [kind, words = ""] = lookUp(shapes, textOf(content["type"])) ?? ["silent"]
  const note = { content, signature: textOf(signature), citations: listOf(citations).flatMap(citation) }
  const opening = { kind, index, nativeId: textOf(id), name: textOf(name), note }
  return parts.add(parts.open(answer, index, opening), index, textOf(content[words]))
}

/** The type of block that a delta belongs to, and the field that has its words. */
const deltas: Readonly<Record<string, readonly [block: string, words: string]>> = {
  text_delta: ["text", "text"],
  thinking_delta: ["thinking", "thinking"],
  input_json_delta: ["tool_use", "partial_json"],
}

function addDelta(answer: Answer, frame: Fields): Answer {
  const part = partOf(answer, frame)
  if (part === undefined)
    return parts.impossible(answer, `a delta for block ${String(frame["index"])}, which is not open`)
  const { index, kind, note } = part
  const delta = fieldsOf(frame["delta"])
  const type = textOf(delta["type"])
  if (kind === "silent") return parts.add(answer, index, textOf(delta["partial_json"]))
  if (kind === "text" && type === "citations_delta")
    return parts.note(answer, index, { citations: [...note.citations, ...citation(delta["citation"])] })
  if (type === "signature_delta" && note.content["type"] === "thinking")
    return parts.note(answer, index, { signature: note.signature + textOf(delta["signature"]) })
  const [block, field = ""] = lookUp(deltas, type) ?? []
  // A type that is not known is passed over; a known one in the wrong block is an impossible order.
  if (block === undefined && type !== "signature_delta") return answer
  const words = delta[field]
  return block === note.content["type"] && typeof words === "string"
    ? parts.add(answer, index, words)
    : parts.impossible(answer, `a delta that block ${index} cannot have`)
}

function endBlock(answer: Answer, frame: Fields): Answer {
  const part = partOf(answer, frame)
  return part === undefined
    ? parts.impossible(answer, `the end of block ${String(frame["index"])}, which is not open`)
    : parts.end(answer, part.index, closing)
}

const partOf = (answer: Answer, { index }: Fields): parts.Part<Note> | undefined =>
  typeof index === "number" ? parts.partAt(answer, index) : undefined

function closing({ kind, text, note: { content, signature, citations } }: parts.Part<Note>): parts.Closing {
  switch (kind) {
    case "text": {
      // LL8: what the text cites is the provider's, and goes back to it with the text.
      const opaque: TextOpaque = { type: "text", citations }
      return citations.length === 0 ? {} : { opaque }
    }
    case "reasoning":
      return { opaque: sealOf(content, text, signature) }
    case "call":
      // recorded: a call without arguments sends no JSON; some servers send it all at the start.
      return text.trim() === "" ? { input: parseInput(JSON.stringify(content["input"] ?? {})) } : {}
    case "silent":
      return { hosted: hostedOf(content, text) }
  }
}

function sealOf(content: Fields, thinking: string, signature: string): ThinkingOpaque | null {
  if (content["type"] === "thinking")
    return signature === "" ? null : { type: "thinking", thinking, signature }
  const data = textOf(content["data"])
  return data === "" ? null : { type: "redacted_thinking", data }
}

/** A tool of the provider's own: its input may stream, a result comes whole (LL8). */
function hostedOf(content: Fields, raw: string): parts.Hosted | null {
  if (!isHosted(content["type"])) return null
  const input = raw.trim() === "" ? null : parseInput(raw)
  const opaque = (input === null ? content : { ...content, input }) as Json
  return { name: textOf(content["name"]) || textOf(content["type"]), opaque }
}

/** One that does not say what it is cannot be repeated. */
const citation = (value: unknown): readonly Json[] =>
  textOf(fieldsOf(value)["type"]) === "" ? [] : [value as Json]

function updateMessage(answer: Answer, frame: Fields): Answer {
  if (!answer.started) return parts.impossible(answer, "message_delta before message_start")
  const reason = fieldsOf(frame["delta"])["stop_reason"]
  const usage = mergeUsage(answer.own.usage, frame["usage"])
  return parts.knowing(answer, typeof reason === "string" ? { usage, stopReason: reason } : { usage })
}

function endMessage(answer: Answer): Answer {
  const { usage, stopReason } = answer.own
  if (!answer.started || parts.openKeys(answer).length > 0)
    return parts.impossible(answer, "message_stop before everything was closed")
  return parts.finish(answer, finishOf(stopReason), stopReason, usage)
}

/** documented: the stop reasons. */
const finishOf = parts.finishesOf({
  stop: "end_turn stop_sequence",
  calls: "tool_use",
  length: "max_tokens model_context_window_exceeded",
  refusal: "refusal",
  pause: "pause_turn",
})

/** documented: counts are cumulative; what a later report leaves out keeps its value. */
function mergeUsage(usage: Usage, report: unknown): Usage {
  const counts = fieldsOf(report)
  const hour = countOf(
    fieldsOf(counts["cache_creation"])["ephemeral_1h_input_tokens"],
    usage.cacheWrite1h ?? 0,
  )
  return {
    input: countOf(counts["input_tokens"], usage.input),
    output: countOf(counts["output_tokens"], usage.output),
    cacheRead: countOf(counts["cache_read_input_tokens"], usage.cacheRead),
    cacheWrite: countOf(counts["cache_creation_input_tokens"], usage.cacheWrite),
    ...(hour > 0 && { cacheWrite1h: hour }),
  }
}
