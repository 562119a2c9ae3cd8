/**
 * The answer's bytes to canonical events (LL1, LL6).
 *
 *   open ──finish_reason──▶ finished ──[DONE] | end──▶ done
 *     └──── error, unreadable, too large, an end before the finish ────▶ failed
 *
 * A chunk has no parts, only fields that grow: parts open with the first piece of a field and close
 * when another field takes over; calls close with the finish, because their pieces may come mixed.
 * The usage comes with the finish or behind it, so the finish waits for the end of the stream.
 */
import { type Usage, usageNone } from "@holdfast/schema/model"
import { DeltaReader } from "../answer/delta-reader.ts"
import { decodeEventStream } from "../answer/event-stream.ts"
import { failureOfError } from "../failure/openai.ts"
import { type Fields, fieldsOf, isFields, listOf, lookUp, parseFields, textOf } from "../json-fields.ts"
import type { Finish, StreamDecoder } from "../wire.ts"
import { OpenParts } from "./open-parts.ts"
import { usageOf } from "./usage.ts"

export const decoder = (contentType: string): StreamDecoder => decodeEventStream(contentType, new Answer())

/** Fields of a chunk that are not read. */
const varying = ["created", "obfuscation"]

class Answer extends DeltaReader {
  #started = false
  #finished: string | null = null
  #usage: Usage = usageNone
  readonly #parts = new OpenParts()

  constructor() {
    super(varying)
  }

  cut(): void {
    if (this.#finished === null) this.fail("stream_cut", "the stream ended before a finish reason")
    else this.#end()
  }

  frame(data: string): void {
    if (data.trim() === "[DONE]") return this.cut()
    const chunk = parseFields(data)
    if (chunk === null) {
      return this.fail("malformed_stream", `a chunk that is not a JSON object: ${data.slice(0, 80)}`)
    }
    const { error } = chunk
    if (isFields(error) || (typeof error === "string" && error !== "")) {
      return this.failWith(failureOfError(chunk))
    }
    this.#start(chunk)
    const choice = listOf(chunk["choices"]).find((item) => (fieldsOf(item)["index"] ?? 0) === 0)
    if (choice !== undefined) this.#read(fieldsOf(choice))
    this.#usage = usageOf(chunk) ?? this.#usage
  }

  protected again(words: string): void {
    this.#parts.more(words, this.events)
  }

  /** Details of reasoning are gathered from every chunk. */
  protected override repeats(): boolean {
    return !this.#parts.detailed
  }

  #start(chunk: Fields): void {
    if (this.#started) return
    this.#started = true
    this.events.push({ type: "start", nativeId: textOf(chunk["id"]), usage: usageNone })
  }

  #read(choice: Fields): void {
    const delta = fieldsOf(choice["delta"] ?? choice["message"])
    if (this.#finished === null) {
      if (!this.#parts.add(delta, this.events)) {
        return this.fail("malformed_stream", "a piece of a call that was not begun")
      }
    }
    const reason = choice["finish_reason"]
    if (typeof reason !== "string" || reason === "" || this.#finished !== null) return
    // documented: OpenRouter ends so when the provider behind it failed.
    if (reason === "error") return this.fail("server_error", "the answer ended in an error")
    this.#finished = reason
    this.#parts.close(this.events)
  }

  #end(): void {
    const nativeReason = this.#finished ?? ""
    this.finish({ type: "finish", reason: this.#reason(nativeReason), nativeReason, usage: this.#usage })
  }

  #reason(native: string): Finish {
    const reason = lookUp(finishOf, native) ?? "unknown"
    // recorded: a call that was demanded ends with `stop`.
    if (reason === "stop" && this.#parts.calls > 0) return "calls"
    return reason === "stop" && this.#parts.refused ? "refusal" : reason
  }
}

/** documented, by OpenAI and by those who speak its form. */
const finishOf: Readonly<Record<string, Finish>> = {
  stop: "stop",
  eos: "stop",
  end_turn: "stop",
  tool_calls: "calls",
  function_call: "calls",
  length: "length",
  max_tokens: "length",
  model_length: "length",
  content_filter: "refusal",
  refusal: "refusal",
}
