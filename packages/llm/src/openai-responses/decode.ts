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
import { type Usage, usageNone } from "@holdfast/schema/model"
import { HashMap, HashSet, Option } from "effect"
import { decodeEventStream } from "../answer/event-stream.ts"
import { allParts, noParts, type OpenParts, partAt, withoutPart, withPart } from "../answer/open-parts.ts"
import { broken, cutOff, type Delta, failed, type Frame, type Reading, type Step } from "../answer/reading.ts"
import { failureOfError } from "../failure/openai.ts"
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
import { grow, openItem, type OpenItem, saidAtEnd, saidAtStart, wholeReasoning } from "./open-item.ts"

interface State {
  readonly started: boolean
  /** A call has ended. */
  readonly called: boolean
  readonly refused: boolean
  /** All reasoning so far will come back. */
  readonly bound: boolean
  readonly open: OpenParts<number, OpenItem>
  readonly ended: HashSet.HashSet<number>
  readonly indexOfId: HashMap.HashMap<string, number>
}

export const reading: Reading<State> = {
  start: {
    started: false,
    called: false,
    refused: false,
    bound: true,
    open: noParts,
    ended: HashSet.empty(),
    indexOfId: HashMap.empty(),
  },
  step,
  end: () => cutOff("the stream ended before response.completed"),
  repeated: { varying: ["obfuscation", "sequence_number"], add },
}

export const decoder = (contentType: string): StreamDecoder => decodeEventStream(contentType, reading)

function step(state: State, { name, data }: Frame): Step<State> {
  // recorded: some servers end in the way of the older API.
  if (data.trim() === "[DONE]") return [state, []]
  const frame = parseFields(data)
  if (frame === null)
    return broken(state, "malformed_stream", `a frame that is not a JSON object: ${data.slice(0, 80)}`)
  const type = textOf(frame["type"]) || name
  const kind = lookUp(kindOfDelta, type)
  if (kind !== undefined) return addDelta(state, type, kind, frame)
  switch (type) {
    case "response.created":
    case "response.in_progress":
      return start(state, fieldsOf(frame["response"]))
    case "response.output_item.added":
      return announce(state, frame)
    case "response.output_item.done":
      return close(state, frame)
    case "response.reasoning_summary_part.added":
      return startParagraph(state, frame)
    case "response.output_text.annotation.added":
      return annotate(state, frame)
    case "response.completed":
    case "response.done":
    case "response.incomplete":
      return finish(state, fieldsOf(frame["response"]))
    case "response.failed":
    case "response.cancelled":
      return failed(state, failureOfError(fieldsOf(frame["response"])["error"] ?? type))
    case "error":
      return failed(state, failureOfError(isFields(frame["error"]) ? frame : { error: frame }))
    default:
      // Progress of the provider's own tools, and whatever it adds.
      return [state, []]
  }
}

/** Which kind of item an event adds to. */
const kindOfDelta: Readonly<Record<string, OpenItem["kind"]>> = {
  "response.output_text.delta": "message",
  "response.refusal.delta": "message",
  "response.reasoning_summary_text.delta": "reasoning",
  "response.reasoning_text.delta": "reasoning",
  "response.function_call_arguments.delta": "function_call",
}

function add(state: State, { index, text }: Delta): State {
  const item = partAt(state.open, index)
  if (item === undefined) return state
  return { ...state, open: withPart(state.open, index, { ...item, text: item.text + text }) }
}

function start(state: State, response: Fields): Step<State> {
  if (state.started) return [state, []]
  const nativeId = textOf(response["id"])
  return [{ ...state, started: true }, [{ type: "start", nativeId, usage: usageNone }]]
}

function announce(state: State, frame: Fields): Step<State> {
  const item = fieldsOf(frame["item"])
  const [placed, index] = place(state, frame, item)
  if (index === null) return broken(state, "malformed_stream", "an item without a place")
  if (partAt(state.open, index) !== undefined || HashSet.has(state.ended, index))
    return broken(state, "malformed_stream", `a second item at ${index}`)
  const [opened, , said] = itemAt(placed, index, item)
  return [opened, said]
}

/** The item at this place, which is opened if it is not yet open. */
function itemAt(
  state: State,
  index: number,
  announced: Fields,
): readonly [State, OpenItem, readonly StreamEvent[]] {
  const known = partAt(state.open, index)
  if (known !== undefined) return [state, known, []]
  const [started, said] = start(state, {})
  const item = openItem(announced)
  const open = withPart(state.open, index, item)
  return [{ ...started, open }, item, [...said, ...saidAtStart(index, item)]]
}

function addDelta(state: State, type: string, kind: OpenItem["kind"], frame: Fields): Step<State> {
  const [placed, index] = place(state, frame, {})
  const { delta } = frame
  if (index === null || typeof delta !== "string")
    return broken(state, "malformed_stream", `${type} without its place or its text`)
  if (HashSet.has(state.ended, index))
    return broken(state, "malformed_stream", `more for item ${index}, which has ended`)
  const [opened, item, said] = itemAt(placed, index, { type: kind, id: frame["item_id"] })
  if (item.kind !== kind) return broken(state, "malformed_stream", `${type} for an item of another kind`)
  const [grown, more] = growAt(opened, index, item, delta)
  const refused = grown.refused || type === "response.refusal.delta"
  return [{ ...grown, refused }, [...said, ...more]]
}

function growAt(state: State, index: number, item: OpenItem, text: string): Step<State> {
  const [grown, said] = grow(index, item, text)
  return [{ ...state, open: withPart(state.open, index, grown) }, said]
}

/** A summary comes in paragraphs. */
function startParagraph(state: State, frame: Fields): Step<State> {
  const [placed, index] = place(state, frame, {})
  const item = index === null ? undefined : partAt(state.open, index)
  if (index === null || item?.kind !== "reasoning" || countOf(frame["summary_index"], 0) === 0)
    return [placed, []]
  return growAt(placed, index, item, "\n\n")
}

/** What a text cites. In a later part of a message it stands at places that only the item's end can tell. */
function annotate(state: State, frame: Fields): Step<State> {
  const [placed, index] = place(state, frame, {})
  const item = index === null ? undefined : partAt(state.open, index)
  const { annotation } = frame
  if (index === null || item?.kind !== "message" || !isFields(annotation)) return [placed, []]
  if (countOf(frame["content_index"], 0) > 0) return [placed, []]
  const cited = { ...item, annotations: [...item.annotations, annotation as Json] }
  return [{ ...placed, open: withPart(placed.open, index, cited) }, []]
}

function close(state: State, frame: Fields): Step<State> {
  const end = fieldsOf(frame["item"])
  const [placed, index] = place(state, frame, end)
  if (index === null) return broken(state, "malformed_stream", "the end of an item without a place")
  if (HashSet.has(state.ended, index))
    return broken(state, "malformed_stream", `a second end of item ${index}`)
  const [opened, item, said] = itemAt(placed, index, end)
  const [closed, more] = closeAt(opened, index, item, end)
  return [closed, [...said, ...more]]
}

function closeAt(state: State, index: number, item: OpenItem, end: Fields): Step<State> {
  const { kind } = item
  const bound = state.bound && (kind !== "reasoning" || wholeReasoning(end) !== null)
  const closed: State = {
    ...state,
    called: state.called || kind === "function_call",
    refused: state.refused || listOf(end["content"]).some((part) => fieldsOf(part)["type"] === "refusal"),
    bound,
    open: withoutPart(state.open, index),
    ended: HashSet.add(state.ended, index),
  }
  return [closed, saidAtEnd(index, item, end, bound)]
}

function finish(state: State, response: Fields): Step<State> {
  const incomplete = textOf(fieldsOf(response["incomplete_details"])["reason"])
  const isCut = incomplete !== "" || response["status"] === "incomplete"
  const output = listOf(response["output"])
  const [started, saidFirst] = start(state, response)
  const events: StreamEvent[] = [...saidFirst]
  const open = allParts(state.open).map(([index]) => index)
  const unsaid = unsaidIn(state, output)
  const inOrder = [...open, ...unsaid].sort((a, b) => a - b)
  const closed = inOrder.reduce((before, index) => {
    const end = fieldsOf(output[index])
    // An item that is still open when the answer is cut off is cut off too.
    const cut = isCut && (!unsaid.includes(index) || isCutUnsaid(output, index))
    const [opened, item, first] = itemAt(before, index, end)
    const [after, said] = closeAt(opened, index, item, cut ? { ...end, status: "incomplete" } : end)
    events.push(...first, ...said)
    return after
  }, started)
  const reason = reasonOf(closed, incomplete)
  const nativeReason = incomplete || textOf(response["status"]) || "completed"
  return [closed, [...events, { type: "finish", reason, nativeReason, usage: usageOf(response) }]]
}

/** Places of items that the completed answer holds and that no event spoke of. */
function unsaidIn(state: State, output: readonly unknown[]): readonly number[] {
  // Servers number items in their own ways; one that told of as many as there are told of all.
  if (output.length <= HashSet.size(state.ended) + allParts(state.open).length) return []
  return output.flatMap((value, index) => {
    const id = textOf(fieldsOf(value)["id"])
    const known = id !== "" && HashMap.has(state.indexOfId, id)
    return known || HashSet.has(state.ended, index) || partAt(state.open, index) !== undefined ? [] : [index]
  })
}

/** Only the last item of an answer is cut, unless each says itself how it ended. */
const isCutUnsaid = (output: readonly unknown[], index: number): boolean =>
  index === output.length - 1 && fieldsOf(output[index])["status"] === undefined

function reasonOf({ called, refused }: State, incomplete: string): Finish {
  if (incomplete !== "") return lookUp(finishOf, incomplete) ?? "unknown"
  if (called) return "calls"
  return refused ? "refusal" : "stop"
}

/** Items are told apart by their place, or by their id where a server leaves the place out. */
function place(state: State, frame: Fields, item: Fields): readonly [State, number | null] {
  const id = textOf(frame["item_id"]) || textOf(item["id"])
  const given = frame["output_index"]
  const known = Option.getOrNull(HashMap.get(state.indexOfId, id))
  if (!Number.isSafeInteger(given) || (given as number) < 0) return [state, known]
  const index = given as number
  if (id === "" || index === known) return [state, index]
  return [{ ...state, indexOfId: HashMap.set(state.indexOfId, id, index) }, index]
}

/** documented: why an answer is not complete. */
const finishOf: Readonly<Record<string, Finish>> = {
  max_output_tokens: "length",
  content_filter: "refusal",
}

/** documented: what was read from and written to a cache is part of the input. */
function usageOf(response: Fields): Usage {
  const usage = fieldsOf(response["usage"])
  const details = fieldsOf(usage["input_tokens_details"])
  const cacheRead = countOf(details["cached_tokens"], 0)
  const cacheWrite = countOf(details["cache_write_tokens"], 0)
  return {
    input: Math.max(0, countOf(usage["input_tokens"], 0) - cacheRead - cacheWrite),
    output: countOf(usage["output_tokens"], 0),
    cacheRead,
    cacheWrite,
  }
}
