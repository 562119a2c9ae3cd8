/**
 * The parts of a Gemini answer while it streams (TU3).
 *
 * Text and thoughts grow piece by piece and are open one at a time; calls and hosted parts come
 * whole. documented: a signed part is not joined with others, so it is a part of its own (LL4).
 */
import type { Json } from "@holdfast/schema/json"
import { parseInput } from "../answer/call-input.ts"
import { type Fields, isFields, textOf } from "../json-fields.ts"
import type { StreamEvent } from "../wire.ts"
import { hostedMember, signatureOf } from "./native.ts"

interface OpenText {
  readonly kind: "text" | "reasoning"
  readonly index: number
  text: string
}

export class OpenParts {
  calls = 0
  #next = 0
  #open: OpenText | null = null

  /** False if the part cannot be one. */
  add(part: Fields, events: StreamEvent[]): boolean {
    const call = part["functionCall"]
    if (isFields(call)) return this.#call(call, signatureOf(part), events)
    const hosted = hostedMember(part)
    if (hosted !== null) this.#hosted(hosted, part, events)
    else this.#words(part, events)
    return true
  }

  /** More of the text or thought that is open. */
  more(words: string, events: StreamEvent[]): void {
    if (this.#open !== null) this.#grow(this.#open.kind, words, events)
  }

  close(events: StreamEvent[]): void {
    this.#close(events, null)
  }

  #words(part: Fields, events: StreamEvent[]): void {
    const kind = part["thought"] === true ? "reasoning" : "text"
    const text = textOf(part["text"])
    const signature = signatureOf(part)
    if (signature === null) return this.#grow(kind, text, events)
    this.#close(events, null)
    if (text === "") return this.#bareSignature(signature, events)
    this.#grow(kind, text, events)
    this.#close(events, signature)
  }

  #grow(kind: OpenText["kind"], more: string, events: StreamEvent[]): void {
    if (more === "") return
    if (this.#open?.kind !== kind) {
      this.#close(events, null)
      this.#open = { kind, index: this.#next++, text: "" }
      events.push({ type: kind === "text" ? "text-start" : "reasoning-start", index: this.#open.index })
    }
    this.#open.text += more
    const { index } = this.#open
    events.push({ type: kind === "text" ? "text-delta" : "reasoning-delta", index, text: more })
  }

  #close(events: StreamEvent[], signature: string | null): void {
    const open = this.#open
    this.#open = null
    if (open === null) return
    const { index, text } = open
    const signed = signature === null ? {} : { thoughtSignature: signature }
    if (open.kind === "reasoning") {
      events.push({ type: "reasoning-end", index, text, opaque: { type: "thought", text, ...signed } })
    } else {
      const opaque = signature === null ? {} : { opaque: { type: "text", ...signed } }
      events.push({ type: "text-end", index, text, ...opaque })
    }
  }

  /** Nothing to read, but something to give back: reasoning without words. */
  #bareSignature(thoughtSignature: string, events: StreamEvent[]): void {
    const index = this.#next++
    const opaque = { type: "signature", thoughtSignature }
    events.push({ type: "reasoning-start", index }, { type: "reasoning-end", index, text: "", opaque })
  }

  #call(call: Fields, signature: string | null, events: StreamEvent[]): boolean {
    const name = textOf(call["name"])
    if (name === "") return false
    this.#close(events, null)
    const index = this.#next++
    const nativeId = textOf(call["id"])
    const raw = textOfJson(call["args"] ?? {})
    const opaque = {
      type: "call",
      ...(nativeId === "" ? {} : { id: nativeId }),
      ...(signature === null ? {} : { thoughtSignature: signature }),
    }
    this.calls += 1
    events.push(
      { type: "call-start", index, nativeId, name },
      { type: "call-delta", index, bytes: Buffer.byteLength(raw) },
      {
        type: "call-end",
        index,
        nativeId,
        name,
        input: parseInput(raw),
        raw,
        ...(Object.keys(opaque).length === 1 ? {} : { opaque }),
      },
    )
    return true
  }

  #hosted(name: string, part: Fields, events: StreamEvent[]): void {
    this.#close(events, null)
    const opaque = parseInput(textOfJson(part))
    if (opaque !== null) events.push({ type: "hosted", index: this.#next++, name, opaque })
  }
}

/** Empty for what is nested too deep to be written again. */
function textOfJson(value: unknown): string {
  try {
    return JSON.stringify(value as Json)
  } catch {
    // Only a full stack throws here.
    return ""
  }
}
