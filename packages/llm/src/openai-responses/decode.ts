/**
 * The answer's bytes to canonical events (LL1, LL6).
 *
 *   open ──response.completed | response.incomplete──▶ done
 *     └──── response.failed, error, unreadable, too large, an end before the finish ────▶ failed
 *
 * A part's index is the provider's output index, so order never depends on arrival. Events, fields
 * and item types that are not known are passed over; an item that an event speaks of without having
 * been announced is opened by it, since not every server announces. What cannot be true is a
 * failure: unreadable JSON, or more text for an item that has ended.
 */
import { type Usage, usageNone } from "@holdfast/schema/model"
import { type Delta, DeltaReader } from "../answer/delta-reader.ts"
import { decodeEventStream } from "../answer/event-stream.ts"
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
import type { Finish, StreamDecoder } from "../wire.ts"
import { openItem, type OpenItem, wholeReasoning } from "./open-item.ts"

export const decoder = (contentType: string): StreamDecoder => decodeEventStream(contentType, new Answer())

/** Which kind of item an event adds to, and which of its fields holds what is added. */
const deltaEvents: Readonly<Record<string, string>> = {
  "response.output_text.delta": "message",
  "response.refusal.delta": "message",
  "response.reasoning_summary_text.delta": "reasoning",
  "response.reasoning_text.delta": "reasoning",
  "response.function_call_arguments.delta": "function_call",
}

/** Fields of a delta that are not read. */
const varying = ["obfuscation", "sequence_number"]

class Answer extends DeltaReader {
  #started = false
  #calls = 0
  #refused = false
  /** All reasoning so far will come back. */
  #bound = true
  readonly #open = new Map<number, OpenItem>()
  readonly #ended = new Set<number>()
  readonly #indexOfId = new Map<string, number>()

  constructor() {
    super(varying)
  }

  cut(): void {
    this.fail("stream_cut", "the stream ended before response.completed")
  }

  frame(data: string, name: string): void {
    // recorded: some servers end in the way of the older API.
    if (data.trim() === "[DONE]") return
    const frame = parseFields(data)
    if (frame === null) {
      return this.fail("malformed_stream", `a frame that is not a JSON object: ${data.slice(0, 80)}`)
    }
    this.#read(textOf(frame["type"]) || name, frame)
  }

  protected again(words: string, { index }: Delta): void {
    this.#open.get(index)?.delta(words, this.events)
  }

  #read(type: string, frame: Fields): void {
    const kind = lookUp(deltaEvents, type)
    if (kind !== undefined) return this.#delta(type, kind, frame)
    switch (type) {
      case "response.created":
      case "response.in_progress":
        return this.#start(fieldsOf(frame["response"]))
      case "response.output_item.added":
        return this.#announce(frame)
      case "response.output_item.done":
        return this.#close(frame)
      case "response.reasoning_summary_part.added":
        return this.#part(frame)
      case "response.completed":
      case "response.done":
      case "response.incomplete":
        return this.#finish(fieldsOf(frame["response"]))
      case "response.failed":
      case "response.cancelled":
        return this.failWith(failureOfError(fieldsOf(frame["response"])["error"] ?? type))
      case "error":
        return this.failWith(failureOfError(isFields(frame["error"]) ? frame : { error: frame }))
      default:
        // Progress of the provider's own tools, and whatever it adds.
        return
    }
  }

  #start(response: Fields): void {
    if (this.#started) return
    this.#started = true
    this.events.push({ type: "start", nativeId: textOf(response["id"]), usage: usageNone })
  }

  #announce(frame: Fields): void {
    const item = fieldsOf(frame["item"])
    const index = this.#indexOf(frame, item)
    if (index === null) return this.fail("malformed_stream", "an item without a place")
    if (this.#open.has(index) || this.#ended.has(index)) {
      return this.fail("malformed_stream", `a second item at ${index}`)
    }
    this.#openAt(index, item)
  }

  #openAt(index: number, item: Fields): OpenItem {
    this.#start({})
    const open = openItem(index, item)
    this.#open.set(index, open)
    open.opened(this.events)
    return open
  }

  #delta(type: string, kind: string, frame: Fields): void {
    const index = this.#indexOf(frame, {})
    const delta = frame["delta"]
    if (index === null || typeof delta !== "string") {
      return this.fail("malformed_stream", `${type} without its place or its text`)
    }
    if (this.#ended.has(index))
      return this.fail("malformed_stream", `more for item ${index}, which has ended`)
    const open = this.#open.get(index) ?? this.#openAt(index, { type: kind, id: frame["item_id"] })
    if (open.kind !== kind) return this.fail("malformed_stream", `${type} for an item of another kind`)
    if (type === "response.refusal.delta") this.#refused = true
    open.delta(delta, this.events)
  }

  /** A summary comes in paragraphs. */
  #part(frame: Fields): void {
    const open = this.#open.get(this.#indexOf(frame, {}) ?? -1)
    if (open?.kind === "reasoning" && countOf(frame["summary_index"], 0) > 0) open.delta("\n\n", this.events)
  }

  #close(frame: Fields): void {
    const item = fieldsOf(frame["item"])
    const index = this.#indexOf(frame, item)
    if (index === null) return this.fail("malformed_stream", "the end of an item without a place")
    if (this.#ended.has(index)) return this.fail("malformed_stream", `a second end of item ${index}`)
    this.#closeAt(index, this.#open.get(index) ?? this.#openAt(index, item), item)
  }

  #closeAt(index: number, open: OpenItem, item: Fields): void {
    this.#open.delete(index)
    this.#ended.add(index)
    if (open.kind === "function_call") this.#calls += 1
    this.#refused ||= listOf(item["content"]).some((part) => fieldsOf(part)["type"] === "refusal")
    if (open.kind === "reasoning" && wholeReasoning(item) === null) this.#bound = false
    open.closed(item, this.events, this.#bound)
  }

  #finish(response: Fields): void {
    this.#start(response)
    const incomplete = textOf(fieldsOf(response["incomplete_details"])["reason"])
    const cutOff = incomplete !== "" || response["status"] === "incomplete"
    const output = listOf(response["output"])
    for (const [index, open] of [...this.#open].sort(([a], [b]) => a - b)) {
      // An item that is still open when the answer is cut off is cut off too.
      const item = fieldsOf(output[index])
      this.#closeAt(index, open, cutOff ? { ...item, status: "incomplete" } : item)
    }
    const nativeReason = incomplete || textOf(response["status"]) || "completed"
    this.finish({ type: "finish", reason: this.#reason(incomplete), nativeReason, usage: usageOf(response) })
  }

  #reason(incomplete: string): Finish {
    if (incomplete !== "") return lookUp(finishOf, incomplete) ?? "unknown"
    if (this.#calls > 0) return "calls"
    return this.#refused ? "refusal" : "stop"
  }

  /** Items are told apart by their place, or by their id where a server leaves the place out. */
  #indexOf(frame: Fields, item: Fields): number | null {
    const id = textOf(frame["item_id"]) || textOf(item["id"])
    const given = frame["output_index"]
    const index = Number.isSafeInteger(given) && (given as number) >= 0 ? (given as number) : null
    if (index !== null && id !== "") this.#indexOfId.set(id, index)
    return index ?? this.#indexOfId.get(id) ?? null
  }
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
