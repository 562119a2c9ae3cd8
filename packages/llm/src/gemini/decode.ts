/**
 * The answer's bytes to canonical events (LL1, LL6).
 *
 *   open ──finishReason | blockReason──▶ finished ──end──▶ done
 *     └──── error, unreadable, too large, an end before the finish ────▶ failed
 *
 * Each chunk is a whole response with the next parts in it. There is no last word and the counts may
 * come behind the reason, so the finish waits for the end of the stream. Fields, parts and reasons
 * that are not known are passed over.
 */
import { type Usage, usageNone } from "@holdfast/schema/model"
import { type Delta, DeltaReader } from "../answer/delta-reader.ts"
import { decodeEventStream } from "../answer/event-stream.ts"
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
import { failureOfError } from "./failure.ts"
import { OpenParts } from "./open-parts.ts"

export const decoder = (contentType: string): StreamDecoder => decodeEventStream(contentType, new Answer())

/** Counts that grow with the answer. Those of a chunk that repeats another are read when they are needed. */
const varying = ["candidatesTokenCount", "thoughtsTokenCount", "totalTokenCount"]

class Answer extends DeltaReader {
  #started = false
  #blocked = false
  #finished: string | null = null
  #usage: Usage = usageNone
  /** The latest chunk that was not read in full, if its counts are the latest. */
  #counted: string | null = null
  readonly #parts = new OpenParts()

  constructor() {
    super(varying)
  }

  cut(): void {
    const nativeReason = this.#finished
    if (nativeReason === null) return this.fail("stream_cut", "the stream ended before a finish reason")
    this.#count({})
    this.finish({ type: "finish", reason: this.#reason(nativeReason), nativeReason, usage: this.#usage })
  }

  frame(data: string): void {
    // Some that pass the stream on end it in the way of another API.
    if (data.trim() === "[DONE]") return
    const chunk = parseFields(data)
    if (chunk === null) {
      return this.fail("malformed_stream", `a chunk that is not a JSON object: ${data.slice(0, 80)}`)
    }
    if (isFields(chunk["error"])) return this.failWith(failureOfError(chunk))
    this.#start(chunk)
    this.#count(chunk)
    const block = textOf(fieldsOf(chunk["promptFeedback"])["blockReason"])
    if (block !== "" && this.#finished === null) {
      this.#blocked = true
      this.#end(block)
    }
    const candidate = listOf(chunk["candidates"]).find((item) => (fieldsOf(item)["index"] ?? 0) === 0)
    if (candidate !== undefined && this.#finished === null) this.#read(fieldsOf(candidate))
  }

  protected again(words: string, _of: Delta, data: string): void {
    this.#counted = data
    this.#parts.more(words, this.events)
  }

  /** A chunk without counts leaves those before it as they are. */
  #count(chunk: Fields): void {
    const before = this.#counted === null ? null : usageOf(fieldsOf(parseFields(this.#counted)))
    this.#counted = null
    this.#usage = usageOf(chunk) ?? before ?? this.#usage
  }

  #start(chunk: Fields): void {
    if (this.#started) return
    this.#started = true
    this.events.push({ type: "start", nativeId: textOf(chunk["responseId"]), usage: usageNone })
  }

  #read(candidate: Fields): void {
    for (const part of listOf(fieldsOf(candidate["content"])["parts"])) {
      if (!this.#parts.add(fieldsOf(part), this.events)) {
        return this.fail("malformed_stream", "a call without a name")
      }
    }
    const reason = textOf(candidate["finishReason"])
    if (reason !== "") this.#end(reason)
  }

  #end(reason: string): void {
    this.#finished = reason
    this.#parts.close(this.events)
  }

  #reason(native: string): Finish {
    if (this.#blocked) return "refusal"
    const reason = lookUp(finishOf, native) ?? "unknown"
    return reason === "stop" && this.#parts.calls > 0 ? "calls" : reason
  }
}

/** documented: why an answer ended; what is missing here ended for a reason of its own. */
const finishOf: Readonly<Record<string, Finish>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  SAFETY: "refusal",
  RECITATION: "refusal",
  BLOCKLIST: "refusal",
  PROHIBITED_CONTENT: "refusal",
  SPII: "refusal",
  IMAGE_SAFETY: "refusal",
  IMAGE_PROHIBITED_CONTENT: "refusal",
  IMAGE_RECITATION: "refusal",
  MODEL_ARMOR: "refusal",
}

/** documented: the prompt counts what came from a cache; thoughts are counted beside the answer. */
function usageOf(chunk: Fields): Usage | null {
  const usage = chunk["usageMetadata"]
  if (!isFields(usage)) return null
  const prompt = countOf(usage["promptTokenCount"], 0) + countOf(usage["toolUsePromptTokenCount"], 0)
  const cacheRead = countOf(usage["cachedContentTokenCount"], 0)
  return {
    input: Math.max(0, prompt - cacheRead),
    output: countOf(usage["candidatesTokenCount"], 0) + countOf(usage["thoughtsTokenCount"], 0),
    cacheRead,
    cacheWrite: 0,
  }
}
