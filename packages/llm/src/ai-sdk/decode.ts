/**
 * Stream parts of an AI SDK model, one JSON line each, to canonical events (LL1, LL6).
 *
 *   open ──finish──▶ finished        (open parts are closed first)
 *     └──── error, unreadable, too large, an end before the finish ────▶ failed
 *
 * Metadata of a part is what the model wants back with it; the latest of a part's events counts.
 */
import type { JsonObject } from "@holdfast/schema/json"
import { type Usage, usageNone } from "@holdfast/schema/model"
import { AnswerReader } from "../answer/answer-reader.ts"
import { parseInput } from "../answer/call-input.ts"
import { countOf, type Fields, fieldsOf, isFields, lookUp, parseFields, textOf } from "../json-fields.ts"
import type { Finish, StreamDecoder } from "../wire.ts"
import { failureOfDescribed } from "./failure.ts"

/** Largest answer, and largest single part of it. */
const answerBytesMax = 64 * 1024 * 1024
const lineCharsMax = 8 * 1024 * 1024

export function decoder(): StreamDecoder {
  const answer = new Answer()
  const text = new TextDecoder()
  let bytesSeen = 0
  let rest = ""
  return {
    push: (bytes) => {
      bytesSeen += bytes.length
      const lines = (rest + text.decode(bytes, { stream: true })).split("\n")
      rest = lines.pop() ?? ""
      if (bytesSeen > answerBytesMax || rest.length > lineCharsMax)
        answer.fail("answer_too_large", `more than ${answerBytesMax} bytes, or one part is too large`)
      for (const line of lines) if (line !== "" && !answer.closed) answer.frame(line)
      return answer.take()
    },
    end: () => {
      answer.cut()
      return answer.take()
    },
  }
}

interface OpenPart {
  readonly index: number
  readonly kind: "text" | "reasoning"
  text: string
  metadata: JsonObject | null
}

class Answer extends AnswerReader {
  #started = false
  #parts = 0
  #calls = 0
  readonly #open = new Map<string, OpenPart>()
  /** Calls whose input streams, by id. */
  readonly #inputs = new Map<string, number>()

  cut(): void {
    if (!this.closed) this.fail("stream_cut", "the stream ended before its finish")
  }

  frame(line: string): void {
    const part = parseFields(line)
    if (part === null) return this.fail("malformed_stream", "a part that is not a JSON object")
    const type = textOf(part["type"])
    if (type === "response-metadata") return this.#start(textOf(part["id"]))
    if (type === "error") return this.failWith(failureOfDescribed(part["error"], "unknown", 0))
    const [, kind, step] = /^(text|reasoning)-(start|delta|end)$/.exec(type) ?? []
    if (kind !== undefined) return this.#said(kind as "text" | "reasoning", step as string, part)
    switch (type) {
      case "tool-input-start":
        if (part["providerExecuted"] !== true) this.#openCall(textOf(part["id"]), textOf(part["toolName"]))
        return
      case "tool-input-delta":
        return this.#callDelta(part)
      case "tool-call":
        return part["providerExecuted"] === true ? this.#hosted(part) : this.#call(part)
      case "tool-result":
        return part["preliminary"] === true ? undefined : this.#hosted(part)
      case "finish":
        return this.#finish(part)
      default:
        // Warnings, sources, files, raw chunks and whatever comes later say nothing that is kept (LL6).
        return
    }
  }

  #start(nativeId: string): void {
    if (this.#started) return
    this.#started = true
    this.events.push({ type: "start", nativeId, usage: usageNone })
  }

  #said(kind: "text" | "reasoning", step: string, part: Fields): void {
    this.#start("")
    const id = `${kind} ${textOf(part["id"])}`
    const open = this.#open.get(id) ?? this.#openPart(id, kind)
    open.metadata = metadataOf(part) ?? open.metadata
    if (step === "delta") {
      const text = textOf(part["delta"])
      open.text += text
      if (text !== "") this.events.push({ type: `${kind}-delta`, index: open.index, text })
    }
    if (step === "end") this.#close(id, open)
  }

  #openPart(id: string, kind: "text" | "reasoning"): OpenPart {
    const open: OpenPart = { index: this.#parts++, kind, text: "", metadata: null }
    this.#open.set(id, open)
    this.events.push({ type: `${kind}-start`, index: open.index })
    return open
  }

  #close(id: string, { index, kind, text, metadata }: OpenPart): void {
    this.#open.delete(id)
    const native = metadata === null ? {} : { providerMetadata: metadata }
    if (kind === "reasoning") {
      this.events.push({ type: "reasoning-end", index, text, opaque: { type: "reasoning", ...native } })
    } else {
      const opaque = metadata === null ? {} : { opaque: { type: "text", ...native } }
      this.events.push({ type: "text-end", index, text, ...opaque })
    }
  }

  #openCall(nativeId: string, name: string): number {
    this.#start("")
    const index = this.#parts++
    this.#inputs.set(nativeId, index)
    this.events.push({ type: "call-start", index, nativeId, name })
    return index
  }

  #callDelta(part: Fields): void {
    const index = this.#inputs.get(textOf(part["id"]))
    if (index === undefined) return
    this.events.push({ type: "call-delta", index, bytes: Buffer.byteLength(textOf(part["delta"])) })
  }

  #call(part: Fields): void {
    const nativeId = textOf(part["toolCallId"])
    const name = textOf(part["toolName"])
    const index = this.#inputs.get(nativeId) ?? this.#openCall(nativeId, name)
    this.#calls += 1
    const metadata = metadataOf(part)
    const raw = typeof part["input"] === "string" ? part["input"] : JSON.stringify(part["input"] ?? {})
    this.events.push({
      type: "call-end",
      index,
      nativeId,
      name,
      input: raw.trim() === "" ? {} : parseInput(raw),
      raw,
      opaque: {
        type: "call",
        toolCallId: nativeId,
        ...(metadata === null ? {} : { providerMetadata: metadata }),
      },
    })
  }

  /** LL8: what the provider ran itself, as it said it; the input of its call as a value. */
  #hosted(part: Fields): void {
    this.#start("")
    const { input } = part
    const opaque = {
      ...(part as JsonObject),
      ...(typeof input === "string" ? { input: parseInput(input) ?? { unreadable: input } } : {}),
    }
    this.events.push({ type: "hosted", index: this.#parts++, name: textOf(part["toolName"]), opaque })
  }

  #finish(part: Fields): void {
    this.#start("")
    for (const [id, open] of this.#open) this.#close(id, open)
    const { finishReason } = part
    const native = isFields(finishReason) ? textOf(finishReason["unified"]) : textOf(finishReason)
    if (native === "error") return this.fail("server_error", "the answer ended in an error")
    const raw = isFields(finishReason) ? textOf(finishReason["raw"]) : ""
    const reason = lookUp(finishOf, native) ?? "unknown"
    this.finish({
      type: "finish",
      reason: this.#calls > 0 && (reason === "stop" || reason === "unknown") ? "calls" : reason,
      nativeReason: raw === "" ? native : raw,
      usage: usageOf(fieldsOf(part["usage"])),
    })
  }
}

const metadataOf = (part: Fields): JsonObject | null =>
  isFields(part["providerMetadata"]) ? (part["providerMetadata"] as JsonObject) : null

const finishOf: Readonly<Record<string, Finish>> = {
  stop: "stop",
  "tool-calls": "calls",
  length: "length",
  "content-filter": "refusal",
}

/** documented: an object of counts since version 3; before it, totals of which a part was cached. */
function usageOf(usage: Fields): Usage {
  const input = usage["inputTokens"]
  if (!isFields(input)) {
    const cacheRead = countOf(usage["cachedInputTokens"], 0)
    const total = countOf(input, 0)
    return {
      input: Math.max(0, total - cacheRead),
      output: countOf(usage["outputTokens"], 0),
      cacheRead,
      cacheWrite: 0,
    }
  }
  const cacheRead = countOf(input["cacheRead"], 0)
  const cacheWrite = countOf(input["cacheWrite"], 0)
  const fresh = Math.max(0, countOf(input["total"], 0) - cacheRead - cacheWrite)
  return {
    input: countOf(input["noCache"], fresh),
    output: countOf(fieldsOf(usage["outputTokens"])["total"], 0),
    cacheRead,
    cacheWrite,
  }
}
