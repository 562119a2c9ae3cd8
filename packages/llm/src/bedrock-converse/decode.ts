/**
 * The answer's frames to canonical events (LL1, LL6).
 *
 *   open ──messageStop──▶ stopped ──metadata | end──▶ done
 *     └──── exception, unreadable, too large, an end before the stop ────▶ failed
 *
 * Only calls announce themselves; text and reasoning open with their first delta. The counts come
 * behind the stop, so the finish waits for them or for the end. Events, fields,
 * deltas and stop reasons that are not known are passed over. What cannot be true is a failure: a
 * broken frame, unreadable JSON, a delta for a block of another kind or for one that has ended.
 */
import type { JsonObject } from "@holdfast/schema/json"
import { type Usage, usageNone } from "@holdfast/schema/model"
import { decodeBytes } from "../answer/byte-stream.ts"
import { parseInput } from "../answer/call-input.ts"
import * as parts from "../answer/parts.ts"
import { type Delta, type Frame, type Meanings, readBy, type Reading } from "../answer/reading.ts"
import { countOf, type Fields, fieldsOf, isFields, listOf, textOf } from "../json-fields.ts"
import type { StreamDecoder } from "../wire.ts"
import { exceptionIn, framing } from "./event-frames.ts"
import { failureOfException } from "./failure.ts"
import { isHostedUse, type ReasoningOpaque } from "./native.ts"

interface Own {
  readonly stopReason: string | null
  readonly usage: Usage
}

/** Of a block, which is known by its index. */
interface Note {
  readonly shape: "text" | "reasoning" | "call" | "result" | "unknown"
  /** A call, or the result of a tool of the provider's own, as it was announced. */
  readonly announced: Fields
  readonly signature: string
  readonly sealed: string
  readonly content: Pieces
}

/** What came so far, the latest first: more of it costs the same however much there is. */
type Pieces = { readonly piece: JsonObject; readonly before: Pieces } | null

type Answer = parts.Answer<Own, Note>

export const reading: Reading<Own, Note> = {
  start: parts.answerWith({ stopReason: null, usage: usageNone }),
  step,
  end,
  // recorded: padding.
  repeated: { varying: ["p"], allowed },
}

export const decoder = (contentType: string): StreamDecoder =>
  decodeBytes({ given: contentType, wanted: "application/vnd.amazon.eventstream" }, reading, framing)

function step(answer: Answer, frame: Frame): Answer {
  const { name, data } = frame
  // Some put an exception where an event is expected.
  const exception = exceptionIn(name) ?? (name.endsWith("Exception") ? name : null)
  return exception === null
    ? readBy(events, answer, frame)
    : parts.failed(answer, failureOfException(exception, data))
}

const events: Meanings<Answer> = {
  messageStart: (answer) => parts.begin(answer),
  contentBlockStart: announceBlock,
  contentBlockDelta: addDelta,
  contentBlockStop: endBlock,
  messageStop: stopMessage,
  metadata: takeUsage,
}

function end(answer: Answer): Answer {
  const { stopReason, usage } = answer.own
  if (stopReason === null) return parts.cutOff(answer, "the stream ended before messageStop")
  return parts.finish(answer, finishOf(stopReason), stopReason, usage)
}

/** Seals are gathered from every delta. */
function allowed(_answer: Answer, { type }: Delta, data: string): boolean {
  return type === "text-delta" || !/"(?:signature|redactedContent)"/.test(data)
}

function announceBlock(answer: Answer, event: Fields): Answer {
  const index = placeOf(answer, event)
  if (index === null || parts.partAt(answer, index) !== undefined)
    return misplaced(answer, "the start of block", event)
  const { toolUse, toolResult } = fieldsOf(event["start"])
  if (isFields(toolUse)) return openAt(answer, index, "call", toolUse)
  return isFields(toolResult)
    ? openAt(answer, index, "result", toolResult)
    : openAt(answer, index, "unknown", {})
}

/** The place of a block that may still grow; null if there is none. */
function placeOf(answer: Answer, event: Fields): number | null {
  const index = event["contentBlockIndex"]
  if (!Number.isSafeInteger(index) || (index as number) < 0 || answer.own.stopReason !== null) return null
  return parts.hasEnded(answer, index as number) ? null : (index as number)
}

function openAt(answer: Answer, index: number, shape: Note["shape"], announced: Fields): Answer {
  // A tool of the provider's own: its input streams like that of any call (LL8).
  const silent = shape === "result" || shape === "unknown" || isHostedUse(announced)
  return parts.open(parts.begin(answer), index, {
    kind: silent ? "silent" : shape,
    index,
    nativeId: textOf(announced["toolUseId"]),
    name: textOf(announced["name"]),
    note: { shape, announced, signature: "", sealed: "", content: null },
  })
}

function addDelta(answer: Answer, event: Fields): Answer {
  const index = placeOf(answer, event)
  if (index === null) return misplaced(answer, "a delta for block", event)
  const delta = fieldsOf(event["delta"])
  const shape = shapeOf(delta)
  if (parts.partAt(answer, index) !== undefined) return grow(answer, index, delta, shape)
  if (shape === "call") return parts.impossible(answer, `a piece of call ${index}, which was not begun`)
  return grow(openAt(answer, index, shape ?? "unknown", {}), index, delta, shape)
}

/** Which shape of block a delta belongs to; null if any block may have it. */
function shapeOf(delta: Fields): "text" | "reasoning" | "call" | null {
  if (delta["text"] !== undefined) return "text"
  if (delta["reasoningContent"] !== undefined) return "reasoning"
  return delta["toolUse"] === undefined ? null : "call"
}

function grow(answer: Answer, index: number, delta: Fields, of: ReturnType<typeof shapeOf>): Answer {
  const { note } = parts.partAt(answer, index) as parts.Part<Note>
  if (note.shape === "unknown") return answer
  if (of !== null && of !== note.shape)
    return parts.impossible(answer, `a delta that block ${index} cannot have`)
  switch (note.shape) {
    case "text":
      return parts.add(answer, index, textOf(delta["text"]))
    case "reasoning": {
      const { text, signature, redactedContent } = fieldsOf(delta["reasoningContent"])
      const sealed = note.sealed + textOf(redactedContent)
      const noted = parts.note(answer, index, { signature: note.signature + textOf(signature), sealed })
      return parts.add(noted, index, textOf(text))
    }
    case "call":
      return parts.add(answer, index, textOf(fieldsOf(delta["toolUse"])["input"]))
    case "result": {
      const more = listOf(delta["toolResult"]).filter(isFields) as readonly JsonObject[]
      const content = more.reduce<Pieces>((before, piece) => ({ piece, before }), note.content)
      return parts.note(answer, index, { content })
    }
  }
}

/** A block may end without ever having said anything. */
function endBlock(answer: Answer, event: Fields): Answer {
  const index = placeOf(answer, event)
  return index === null ? misplaced(answer, "the end of block", event) : parts.end(answer, index, closing)
}

const misplaced = (answer: Answer, what: string, { contentBlockIndex: at }: Fields): Answer =>
  parts.impossible(answer, `${what} ${String(at)}, out of order`)

function closing({ kind, name, text, note }: parts.Part<Note>): parts.Closing {
  const announced = note.announced as JsonObject
  switch (note.shape) {
    case "reasoning":
      return { opaque: sealOf(text, note) }
    case "call": {
      if (kind === "call") return {}
      const input = parseInput(text.trim() === "" ? "{}" : text)
      return { hosted: { name, opaque: { toolUse: { ...announced, input } } } }
    }
    case "result": {
      const opaque = { toolResult: { ...announced, content: inOrder(note.content) } }
      return { hosted: { name: textOf(announced["type"]) || "tool_result", opaque } }
    }
    default:
      return {}
  }
}

function sealOf(text: string, { signature, sealed }: Note): ReasoningOpaque {
  if (sealed !== "") return { type: "redacted", data: sealed }
  return { type: "reasoning", text, ...(signature === "" ? {} : { signature }) }
}

function inOrder(content: Pieces): readonly JsonObject[] {
  const pieces: JsonObject[] = []
  for (let at = content; at !== null; at = at.before) pieces.push(at.piece)
  return pieces.toReversed()
}

function stopMessage(answer: Answer, event: Fields): Answer {
  if (answer.own.stopReason !== null) return parts.impossible(answer, "a second messageStop")
  const stopReason = textOf(event["stopReason"])
  return parts.endAll(parts.knowing(parts.begin(answer), { stopReason }), closing)
}

function takeUsage(answer: Answer, event: Fields): Answer {
  if (!isFields(event["usage"])) return answer
  const counted = parts.knowing(answer, { usage: usageOf(event["usage"]) })
  return answer.own.stopReason === null ? counted : end(counted)
}

/** documented: the stop reasons. */
const finishOf = parts.finishesOf({
  stop: "end_turn stop_sequence",
  calls: "tool_use",
  length: "max_tokens model_context_window_exceeded",
  refusal: "guardrail_intervened content_filtered refusal",
  pause: "pause_turn",
})

/** documented: what was read from and written to a cache is not part of the input. */
const usageOf = (usage: Fields): Usage => ({
  input: countOf(usage["inputTokens"], 0),
  output: countOf(usage["outputTokens"], 0),
  cacheRead: countOf(usage["cacheReadInputTokens"], 0),
  cacheWrite: countOf(usage["cacheWriteInputTokens"], 0),
})
