/**
 * The answer's frames to canonical events (LL1, LL6).
 *
 *   open ──response.completed | response.incomplete──▶ done
 *     └──── response.failed, error, unreadable, too large, an end before the finish ────▶ failed
 *
 * A part's index is the provider's output index, so order never depends on arrival. Events, fields
 * and item types that are not known are passed over; an item that an event speaks of without having
 * been announced is opened by it, since not every server announces, and an item that only the completed
 * answer holds is told from there. What cannot be true is a failure: unreadable JSON, or more text for
 * an item that has ended.
 */
import type { Json } from "@holdfast/schema/json"
import type { Usage } from "@holdfast/schema/model"
import { HashMap, HashSet, Option } from "effect"
import { decodeEventStream } from "../answer/event-stream.ts"
import * as parts from "../answer/parts.ts"
import { type Meanings, readBy, type Reading } from "../answer/reading.ts"
import { failureOfError } from "../failure/openai.ts"
import { countOf, fieldsOf, isFields, listOf, lookUp, textOf } from "../json-fields.ts"
import type { Fields } from "../json-fields.ts"
import type { Finish, StreamDecoder } from "../wire.ts"
import { closing, type Note, wholeReasoning, wordsAtEnd } from "./item-end.ts"

interface Own {
  readonly refused: boolean
  /** All reasoning so far will come back. */
  readonly bound: boolean
  readonly indexOfId: HashMap.HashMap<string, number>
}

/** Parts are known by their output index. */
type Answer = parts.Answer<Own, Note>

export const reading: Reading<Own, Note> = {
  start: parts.answerWith({ refused: false, bound: true, indexOfId: HashMap.empty() }),
  // recorded: some servers end in the way of the older API.
  step: (answer, frame) => (frame.data.trim() === "[DONE]" ? answer : readBy(events, answer, frame)),
  end: (answer) => parts.cutOff(answer, "the stream ended before response.completed"),
  repeated: { varying: ["obfuscation", "sequence_number"] },
}

export const decoder = (contentType: string): StreamDecoder => decodeEventStream(contentType, reading)

const begin = (answer: Answer, { response }: Fields): Answer =>
  parts.begin(answer, textOf(fieldsOf(response)["id"]))
const fail = (answer: Answer, { type, response }: Fields): Answer =>
  parts.failed(answer, failureOfError(fieldsOf(response)["error"] ?? type))

const events: Meanings<Answer> = {
  "response.created": begin,
  "response.in_progress": begin,
  "response.output_item.added": announce,
  "response.output_text.delta": deltaOf("message"),
  "response.refusal.delta": (answer, frame) =>
    parts.knowing(deltaOf("message")(answer, frame), { refused: true }),
  "response.reasoning_summary_text.delta": deltaOf("reasoning"),
  "response.reasoning_text.delta": deltaOf("reasoning"),
  "response.function_call_arguments.delta": deltaOf("function_call"),
  "response.output_item.done": close,
  "response.reasoning_summary_part.added": startParagraph,
  "response.output_text.annotation.added": annotate,
  "response.completed": finish,
  "response.done": finish,
  "response.incomplete": finish,
  "response.failed": fail,
  "response.cancelled": fail,
  error: (answer, frame) =>
    parts.failed(answer, failureOfError(isFields(frame["error"]) ? frame : { error: frame })),
}

const kindOfItem: Readonly<Record<string, parts.Part<Note>["kind"]>> = {
  message: "text",
  reasoning: "reasoning",
  function_call: "call",
}

function announce(answer: Answer, frame: Fields): Answer {
  const item = fieldsOf(frame["item"])
  const [placed, index] = place(answer, frame, item)
  if (index === null) return parts.impossible(answer, "an item without a place")
  if (parts.partAt(answer, index) !== undefined || parts.hasEnded(answer, index))
    return parts.impossible(answer, `a second item at ${index}`)
  return withItem(placed, index, item)
}

/** Opens the item at this place if it is not yet open. */
function withItem(answer: Answer, index: number, announced: Fields): Answer {
  if (parts.partAt(answer, index) !== undefined) return answer
  return parts.open(parts.begin(answer), index, {
    kind: lookUp(kindOfItem, textOf(announced["type"])) ?? "silent",
    index,
    nativeId: textOf(announced["call_id"]),
    name: textOf(announced["name"]),
    note: { announced, annotations: [] },
  })
}

/** More of an item of this type. */
function deltaOf(item: string): Meanings<Answer>[string] {
  return (answer, frame) => {
    const [placed, index] = place(answer, frame, {})
    const { delta } = frame
    if (index === null || typeof delta !== "string")
      return parts.impossible(answer, `more of a ${item} without its place or its text`)
    if (parts.hasEnded(answer, index))
      return parts.impossible(answer, `more for item ${index}, which has ended`)
    const opened = withItem(placed, index, { type: item, id: frame["item_id"] })
    return parts.partAt(opened, index)?.kind === kindOfItem[item]
      ? parts.add(opened, index, delta)
      : parts.impossible(answer, `more of a ${item} for an item of another kind`)
  }
}

/** A summary comes in paragraphs. */
function startParagraph(answer: Answer, frame: Fields): Answer {
  const [placed, index] = place(answer, frame, {})
  if (index === null || parts.partAt(answer, index)?.kind !== "reasoning") return placed
  return countOf(frame["summary_index"], 0) === 0 ? placed : parts.add(placed, index, "\n\n")
}

/** What a text cites. In a later part of a message it stands at places that only the item's end can tell. */
function annotate(answer: Answer, frame: Fields): Answer {
  const [placed, index] = place(answer, frame, {})
  const part = index === null ? undefined : parts.partAt(answer, index)
  const { annotation } = frame
  if (part?.kind !== "text" || !isFields(annotation)) return placed
  if (countOf(frame["content_index"], 0) > 0) return placed
  return parts.note(placed, part.index, { annotations: [...part.note.annotations, annotation as Json] })
}

function close(answer: Answer, frame: Fields): Answer {
  const item = fieldsOf(frame["item"])
  const [placed, index] = place(answer, frame, item)
  if (index === null) return parts.impossible(answer, "the end of an item without a place")
  if (parts.hasEnded(answer, index)) return parts.impossible(answer, `a second end of item ${index}`)
  return closeAt(withItem(placed, index, item), index, item)
}

function closeAt(answer: Answer, index: number, end: Fields): Answer {
  const part = parts.partAt(answer, index) as parts.Part<Note>
  const bound = answer.own.bound && (part.kind !== "reasoning" || wholeReasoning(end) !== null)
  const declined = listOf(end["content"]).some((content) => fieldsOf(content)["type"] === "refusal")
  const whole = part.text === "" ? parts.add(answer, index, wordsAtEnd(part, end)) : answer
  const refused = answer.own.refused || declined
  return parts.knowing(
    parts.end(whole, index, () => closing(part, end, bound)),
    { bound, refused },
  )
}

function finish(answer: Answer, frame: Fields): Answer {
  const response = fieldsOf(frame["response"])
  const incomplete = textOf(fieldsOf(response["incomplete_details"])["reason"])
  const isCut = incomplete !== "" || response["status"] === "incomplete"
  const output = listOf(response["output"])
  const unsaid = unsaidIn(answer, output)
  const left = [...(parts.openKeys(answer) as readonly number[]), ...unsaid].sort((a, b) => a - b)
  const closed = left.reduce<Answer>(
    (before, index) => {
      const end = fieldsOf(output[index])
      // An item that is still open when the answer is cut off is cut off too.
      const cut = isCut && (!unsaid.includes(index) || isCutUnsaid(output, index))
      return closeAt(withItem(before, index, end), index, cut ? { ...end, status: "incomplete" } : end)
    },
    parts.begin(answer, textOf(response["id"])),
  )
  const nativeReason = incomplete || textOf(response["status"]) || "completed"
  return parts.finish(closed, reasonOf(closed, incomplete), nativeReason, usageOf(response))
}

/** Places of items that the completed answer holds and that no event spoke of. */
function unsaidIn(answer: Answer, output: readonly unknown[]): readonly number[] {
  // Servers number items in their own ways; one that told of as many as there are told of all.
  if (output.length <= HashSet.size(answer.ended) + HashMap.size(answer.open)) return []
  return output.flatMap((value, index) => {
    const id = textOf(fieldsOf(value)["id"])
    const known = id !== "" && HashMap.has(answer.own.indexOfId, id)
    return known || parts.hasEnded(answer, index) || parts.partAt(answer, index) !== undefined ? [] : [index]
  })
}

/** Only the last item of an answer is cut, unless each says itself how it ended. */
const isCutUnsaid = (output: readonly unknown[], index: number): boolean =>
  index === output.length - 1 && fieldsOf(output[index])["status"] === undefined

function reasonOf({ called, own }: Answer, incomplete: string): Finish {
  if (incomplete !== "") return finishOf(incomplete)
  if (called) return "calls"
  return own.refused ? "refusal" : "stop"
}

/** Items are told apart by their place, or by their id where a server leaves the place out. */
function place(answer: Answer, frame: Fields, item: Fields): readonly [Answer, number | null] {
  const { indexOfId } = answer.own
  const id = textOf(frame["item_id"]) || textOf(item["id"])
  const given = frame["output_index"]
  const known = Option.getOrNull(HashMap.get(indexOfId, id))
  if (!Number.isSafeInteger(given) || (given as number) < 0) return [answer, known]
  const index = given as number
  if (id === "" || index === known) return [answer, index]
  return [parts.knowing(answer, { indexOfId: HashMap.set(indexOfId, id, index) }), index]
}

/** documented: why an answer is not complete. */
const finishOf = parts.finishesOf({ length: "max_output_tokens", refusal: "content_filter" })

/** documented: what was read from and written to a cache is part of the input. */
function usageOf(response: Fields): Usage {
  const usage = fieldsOf(response["usage"])
  const details = fieldsOf(usage["input_tokens_details"])
  const cacheRead = countOf(details["cached_tokens"], 0)
  const cacheWrite = countOf(details["cache_write_tokens"], 0)
  const [input, output] = [countOf(usage["input_tokens"], 0), countOf(usage["output_tokens"], 0)]
  return parts.usageWithin(input, output, cacheRead, cacheWrite)
}
