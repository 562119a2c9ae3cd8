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
import { createParser } from "eventsource-parser"
import { type Usage, usageNone } from "@holdfast/schema/model"
import type { FailureCode, Finish, ProviderFailure, StreamDecoder, StreamEvent } from "../wire.ts"
import { type OpenBlock, openBlock } from "./content-block.ts"
import { failureOf, failureOfEvent } from "./failure.ts"

/** Largest answer, and largest single frame of it. */
const answerBytesMax = 64 * 1024 * 1024
export const frameCharsMax = 8 * 1024 * 1024

export function decoder(contentType: string): StreamDecoder {
  const answer = new Answer()
  const text = new TextDecoder()
  let bytesSeen = 0
  const parser = createParser({
    maxBufferSize: frameCharsMax,
    onEvent: ({ data, event }) => answer.frame(data, event ?? ""),
    onError: (error) => {
      if (error.type === "max-buffer-size-exceeded") answer.fail("answer_too_large", "one frame is too large")
    },
  })
  const isStream = /^\s*text\/event-stream\s*(?:;|$)/i.test(contentType)
  const refuse = () =>
    answer.fail("not_a_stream", `content-type ${contentType === "" ? "missing" : contentType}`)
  return {
    push: (bytes) => {
      if (answer.closed) return []
      bytesSeen += bytes.length
      if (!isStream) refuse()
      else if (bytesSeen > answerBytesMax)
        answer.fail("answer_too_large", `more than ${answerBytesMax} bytes`)
      else parser.feed(text.decode(bytes, { stream: true }))
      return answer.take()
    },
    end: () => {
      if (answer.closed) return []
      if (!isStream) refuse()
      else answer.fail("stream_cut", "the stream ended before message_stop")
      return answer.take()
    },
  }
}

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

class Answer {
  closed = false
  #events: StreamEvent[] = []
  #started = false
  #usage: Usage = usageNone
  #stopReason = ""
  readonly #open = new Map<number, OpenBlock>()

  take(): readonly StreamEvent[] {
    const events = this.#events
    if (events.length > 0) this.#events = []
    return events
  }

  fail(code: FailureCode, detail: string): void {
    this.#failWith(failureOf(code, detail))
  }

  frame(data: string, name: string): void {
    if (this.closed) return
    if (data.length > frameCharsMax) return this.fail("answer_too_large", "one frame is too large")
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
        return this.#failWith(failureOfEvent(textOf(frame.error?.type), textOf(frame.error?.message)))
      default:
        // `ping`, and whatever the provider adds.
        return
    }
  }

  #start(frame: Frame): void {
    if (this.#started) return this.fail("malformed_stream", "a second message_start")
    this.#started = true
    this.#usage = mergeUsage(this.#usage, frame.message?.usage)
    this.#events.push({ type: "start", nativeId: textOf(frame.message?.id), usage: this.#usage })
  }

  #openBlock(frame: Frame): void {
    const index = frame.index
    if (!this.#started || typeof index !== "number" || this.#open.has(index)) {
      return this.fail("malformed_stream", `content_block_start out of order at ${String(index)}`)
    }
    const block = openBlock(index, objectOf(frame.content_block))
    this.#open.set(index, block)
    block.opened(this.#events)
  }

  #delta(frame: Frame): void {
    const block = this.#open.get(frame.index as number)
    if (block === undefined) {
      return this.fail("malformed_stream", `a delta for block ${String(frame.index)}, which is not open`)
    }
    if (!block.delta(objectOf(frame.delta), this.#events)) {
      this.fail("malformed_stream", `a delta that block ${String(frame.index)} cannot have`)
    }
  }

  #closeBlock(frame: Frame): void {
    const block = this.#open.get(frame.index as number)
    if (block === undefined) {
      return this.fail("malformed_stream", `the end of block ${String(frame.index)}, which is not open`)
    }
    this.#open.delete(frame.index as number)
    block.closed(this.#events)
  }

  #update(frame: Frame): void {
    if (!this.#started) return this.fail("malformed_stream", "message_delta before message_start")
    this.#usage = mergeUsage(this.#usage, frame.usage)
    const reason = objectOf(frame.delta)["stop_reason"]
    if (typeof reason === "string") this.#stopReason = reason
  }

  #stop(): void {
    if (!this.#started || this.#open.size > 0) {
      return this.fail("malformed_stream", "message_stop before everything was closed")
    }
    this.closed = true
    this.#events.push({
      type: "finish",
      reason: Object.hasOwn(finishOf, this.#stopReason)
        ? (finishOf[this.#stopReason] ?? "unknown")
        : "unknown",
      nativeReason: this.#stopReason,
      usage: this.#usage,
    })
  }

  #failWith(failure: ProviderFailure): void {
    if (this.closed) return
    this.closed = true
    this.#events.push({ type: "failure", failure })
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
  const counts = objectOf(report)
  return {
    input: countOf(counts["input_tokens"], usage.input),
    output: countOf(counts["output_tokens"], usage.output),
    cacheRead: countOf(counts["cache_read_input_tokens"], usage.cacheRead),
    cacheWrite: countOf(counts["cache_creation_input_tokens"], usage.cacheWrite),
  }
}

const countOf = (value: unknown, otherwise: number): number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : otherwise

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}
