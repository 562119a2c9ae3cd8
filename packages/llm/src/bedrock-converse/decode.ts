/**
 * The answer's bytes to canonical events (LL1, LL6).
 *
 *   open ──messageStop──▶ stopped ──metadata | end──▶ done
 *     └──── exception, unreadable, too large, an end before the stop ────▶ failed
 *
 * The counts come behind the stop, so the finish waits for them or for the end. Events, fields,
 * deltas and stop reasons that are not known are passed over. What cannot be true is a failure: a
 * broken frame, unreadable JSON, a delta for a block of another kind or for one that has ended.
 */
import { type Usage, usageNone } from "@holdfast/schema/model"
import { decodeBytes } from "../answer/byte-stream.ts"
import { type Delta, DeltaReader } from "../answer/delta-reader.ts"
import { countOf, type Fields, fieldsOf, isFields, lookUp, parseFields, textOf } from "../json-fields.ts"
import type { Finish, StreamDecoder } from "../wire.ts"
import { announcedBlock, blockOfDelta, kindOfDelta, type OpenBlock } from "./content-block.ts"
import { type EventFrame, FrameSplitter } from "./event-frames.ts"
import { failureOfException } from "./failure.ts"

export function decoder(contentType: string): StreamDecoder {
  const answer = new Answer()
  const frames = new FrameSplitter({
    frame: (frame) => answer.message(frame),
    fail: (code, detail) => answer.fail(code, detail),
  })
  const type = { given: contentType, wanted: "application/vnd.amazon.eventstream" }
  return decodeBytes(type, answer, (bytes) => frames.push(bytes))
}

/** recorded: padding. */
const varying = ["p"]

class Answer extends DeltaReader {
  #started = false
  #stopReason: string | null = null
  #usage: Usage = usageNone
  readonly #open = new Map<number, OpenBlock>()
  readonly #ended = new Set<number>()

  constructor() {
    super(varying)
  }

  cut(): void {
    if (this.#stopReason === null) this.fail("stream_cut", "the stream ended before messageStop")
    else this.#finish(this.#stopReason)
  }

  /** documented: an event, an exception that the API describes, or an error that it does not. */
  message({ headers, payload }: EventFrame): void {
    if (this.closed) return
    switch (headers.get(":message-type")) {
      case "event":
        return this.read(payload, headers.get(":event-type") ?? "")
      case "exception":
        return this.failWith(failureOfException(headers.get(":exception-type") ?? "", payload))
      case "error": {
        const message = headers.get(":error-message") ?? payload
        return this.failWith(failureOfException(headers.get(":error-code") ?? "", message))
      }
      default:
        return
    }
  }

  frame(data: string, name: string): void {
    const event = parseFields(data)
    if (event === null)
      return this.fail("malformed_stream", `${name} is not a JSON object: ${data.slice(0, 80)}`)
    switch (name) {
      case "messageStart":
        return this.#start()
      case "contentBlockStart":
        return this.#announce(event)
      case "contentBlockDelta":
        return this.#delta(event)
      case "contentBlockStop":
        return this.#close(event)
      case "messageStop":
        return this.#stop(event)
      case "metadata":
        return this.#metadata(event)
      default:
        // Some put an exception where an event is expected; others add events.
        if (name.endsWith("Exception")) this.failWith(failureOfException(name, data))
    }
  }

  protected again(words: string, { type, index }: Delta): void {
    const delta = type === "text-delta" ? { text: words } : { reasoningContent: { text: words } }
    this.#open.get(index)?.delta(delta, this.events)
  }

  /** Seals are gathered from every delta. */
  protected override repeats({ type }: Delta, data: string): boolean {
    return type === "text-delta" || !/"(?:signature|redactedContent)"/.test(data)
  }

  #start(): void {
    if (this.#started) return
    this.#started = true
    this.events.push({ type: "start", nativeId: "", usage: usageNone })
  }

  #announce(event: Fields): void {
    const index = indexOf(event)
    if (index === null || this.#open.has(index) || this.#ended.has(index) || this.#stopReason !== null) {
      return this.fail("malformed_stream", `contentBlockStart out of order at ${String(index)}`)
    }
    this.#openAt(index, announcedBlock(index, fieldsOf(event["start"])))
  }

  #openAt(index: number, block: OpenBlock): OpenBlock {
    this.#start()
    this.#open.set(index, block)
    block.opened(this.events)
    return block
  }

  #delta(event: Fields): void {
    const index = indexOf(event)
    const delta = fieldsOf(event["delta"])
    if (index === null || this.#ended.has(index) || this.#stopReason !== null) {
      return this.fail("malformed_stream", `a delta for block ${String(index)}, which is not open`)
    }
    const kind = kindOfDelta(delta)
    const known = this.#open.get(index)
    if (known === undefined && kind === "call") {
      return this.fail("malformed_stream", `a piece of call ${index}, which was not begun`)
    }
    const block = known ?? this.#openAt(index, blockOfDelta(index, delta))
    if (kind !== null && block.kind !== "unknown" && block.kind !== kind) {
      return this.fail("malformed_stream", `a delta that block ${index} cannot have`)
    }
    block.delta(delta, this.events)
  }

  #close(event: Fields): void {
    const index = indexOf(event)
    const block = index === null ? undefined : this.#open.get(index)
    if (index === null || block === undefined) {
      // A block may end without ever having said anything.
      if (index !== null && !this.#ended.has(index) && this.#stopReason === null) this.#ended.add(index)
      else this.fail("malformed_stream", `the end of block ${String(index)}, which is not open`)
      return
    }
    this.#open.delete(index)
    this.#ended.add(index)
    block.closed(this.events)
  }

  #stop(event: Fields): void {
    if (this.#stopReason !== null) return this.fail("malformed_stream", "a second messageStop")
    this.#start()
    this.#stopReason = textOf(event["stopReason"])
    for (const [index, block] of [...this.#open].sort(([a], [b]) => a - b)) {
      this.#open.delete(index)
      block.closed(this.events)
    }
  }

  #metadata(event: Fields): void {
    const { usage } = event
    if (!isFields(usage)) return
    this.#usage = usageOf(usage)
    if (this.#stopReason !== null) this.#finish(this.#stopReason)
  }

  #finish(nativeReason: string): void {
    const reason = lookUp(finishOf, nativeReason) ?? "unknown"
    this.finish({ type: "finish", reason, nativeReason, usage: this.#usage })
  }
}

function indexOf(event: Fields): number | null {
  const index = event["contentBlockIndex"]
  return Number.isSafeInteger(index) && (index as number) >= 0 ? (index as number) : null
}

/** documented: the stop reasons. */
const finishOf: Readonly<Record<string, Finish>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  guardrail_intervened: "refusal",
  content_filtered: "refusal",
  refusal: "refusal",
  pause_turn: "pause",
}

/** documented: what was read from and written to a cache is not part of the input. */
const usageOf = (usage: Fields): Usage => ({
  input: countOf(usage["inputTokens"], 0),
  output: countOf(usage["outputTokens"], 0),
  cacheRead: countOf(usage["cacheReadInputTokens"], 0),
  cacheWrite: countOf(usage["cacheWriteInputTokens"], 0),
})
