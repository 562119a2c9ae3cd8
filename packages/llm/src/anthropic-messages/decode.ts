/**
 * The answer's bytes to canonical events (LL1, LL6).
 *
 *   before ──message_start──▶ open ──message_stop──▶ done
 *      └──────── anything impossible, unreadable or too large ────────▶ failed
 *
 * What a provider may add later is passed over: events, fields, delta types, block types and stop
 * reasons that are not known here. What cannot be true is a failure: unreadable JSON, a delta for
 * a block that is not open, a stop while a block is open, an end before the stop. After a failure
 * or after the stop nothing more is said.
 */
import { type Usage, usageNone } from "@holdfast/schema/model"
import { type Delta, DeltaReader } from "../answer/delta-reader.ts"
import { decodeEventStream } from "../answer/event-stream.ts"
import { countOf, fieldsOf, lookUp, textOf } from "../json-fields.ts"
import type { Finish, StreamDecoder } from "../wire.ts"
import { type OpenBlock, openBlock } from "./content-block.ts"
import { failureOfEvent } from "./failure.ts"

export const decoder = (contentType: string): StreamDecoder => decodeEventStream(contentType, new Answer())

/** The parts of a frame that are read. Every field may be missing or of another type. */
interface Frame {
  readonly type?: unknown
  readonly index?: unknown
  readonly message?: { readonly id?: unknown; readonly usage?: unknown } | null
  readonly content_block?: unknown
  readonly delta?: unknown
  readonly usage?: unknown
  readonly error?: { readonly type?: unknown; readonly message?: unknown } | null
}

class Answer extends DeltaReader {
  #started = false
  #usage: Usage = usageNone
  #stopReason = ""
  readonly #open = new Map<number, OpenBlock>()

  constructor() {
    super([])
  }

  cut(): void {
    this.fail("stream_cut", "the stream ended before message_stop")
  }

  frame(data: string, name: string): void {
    let frame: Frame | null
    try {
      frame = JSON.parse(data) as Frame | null
    } catch {
      // Only a syntax error throws here.
      return this.fail("malformed_stream", `a frame that is not JSON: ${data.slice(0, 80)}`)
    }
    if (typeof frame !== "object" || frame === null) {
      return this.fail("malformed_stream", "a frame that is not an object")
    }
    this.#read(typeof frame.type === "string" ? frame.type : name, frame)
  }

  protected again(words: string, { type, index }: Delta): void {
    const delta =
      type === "text-delta"
        ? { type: "text_delta", text: words }
        : { type: "thinking_delta", thinking: words }
    this.#open.get(index)?.delta(delta, this.events)
  }

  #read(type: string, frame: Frame): void {
    switch (type) {
      case "content_block_delta":
        return this.#delta(frame)
      case "content_block_start":
        return this.#openBlock(frame)
      case "content_block_stop":
        return this.#closeBlock(frame)
      case "message_start":
        return this.#start(frame)
      case "message_delta":
        return this.#update(frame)
      case "message_stop":
        return this.#stop()
      case "error":
        return this.failWith(failureOfEvent(textOf(frame.error?.type), textOf(frame.error?.message)))
      default:
        // `ping`, and whatever the provider adds.
        return
    }
  }

  #start(frame: Frame): void {
    if (this.#started) return this.fail("malformed_stream", "a second message_start")
    this.#started = true
    this.#usage = mergeUsage(this.#usage, frame.message?.usage)
    this.events.push({ type: "start", nativeId: textOf(frame.message?.id), usage: this.#usage })
  }

  #openBlock(frame: Frame): void {
    const index = frame.index
    if (!this.#started || typeof index !== "number" || this.#open.has(index)) {
      return this.fail("malformed_stream", `content_block_start out of order at ${String(index)}`)
    }
    const block = openBlock(index, fieldsOf(frame.content_block))
    this.#open.set(index, block)
    block.opened(this.events)
  }

  #delta(frame: Frame): void {
    const block = this.#open.get(frame.index as number)
    if (block === undefined) {
      return this.fail("malformed_stream", `a delta for block ${String(frame.index)}, which is not open`)
    }
    if (!block.delta(fieldsOf(frame.delta), this.events)) {
      this.fail("malformed_stream", `a delta that block ${String(frame.index)} cannot have`)
    }
  }

  #closeBlock(frame: Frame): void {
    const block = this.#open.get(frame.index as number)
    if (block === undefined) {
      return this.fail("malformed_stream", `the end of block ${String(frame.index)}, which is not open`)
    }
    this.#open.delete(frame.index as number)
    block.closed(this.events)
  }

  #update(frame: Frame): void {
    if (!this.#started) return this.fail("malformed_stream", "message_delta before message_start")
    this.#usage = mergeUsage(this.#usage, frame.usage)
    const reason = fieldsOf(frame.delta)["stop_reason"]
    if (typeof reason === "string") this.#stopReason = reason
  }

  #stop(): void {
    if (!this.#started || this.#open.size > 0) {
      return this.fail("malformed_stream", "message_stop before everything was closed")
    }
    this.finish({
      type: "finish",
      reason: lookUp(finishOf, this.#stopReason) ?? "unknown",
      nativeReason: this.#stopReason,
      usage: this.#usage,
    })
  }
}

/** documented: the stop reasons. */
const finishOf: Readonly<Record<string, Finish>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "refusal",
  pause_turn: "pause",
}

/** documented: counts are cumulative; what a later report leaves out keeps its value. */
function mergeUsage(usage: Usage, report: unknown): Usage {
  const counts = fieldsOf(report)
  return {
    input: countOf(counts["input_tokens"], usage.input),
    output: countOf(counts["output_tokens"], usage.output),
    cacheRead: countOf(counts["cache_read_input_tokens"], usage.cacheRead),
    cacheWrite: countOf(counts["cache_creation_input_tokens"], usage.cacheWrite),
  }
}
