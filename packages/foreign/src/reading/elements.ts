/**
 * Values of one large JSON document, found by their path while the bytes pass: only the value that is
 * being read is held. A path names fields and `*` for any element: `messages.*`, `segments.*.items.*`.
 *
 * The scan knows strings and brackets and nothing else; what it cuts out is parsed by itself, so that a
 * broken value is one value that is skipped.
 */
import type { Json } from "@holdfast/schema/json"
import type { SkipReason } from "../record.ts"
import { foreignLineBytesMax } from "./lines.ts"

export type Element =
  | { readonly path: string; readonly value: Json }
  /** The container at this path is over. */
  | { readonly path: string; readonly over: true }
  | { readonly path: string; readonly why: SkipReason; readonly detail: string }

export interface Wanted {
  readonly values: ReadonlySet<string>
  readonly ends: ReadonlySet<string>
}

interface Frame {
  readonly path: string
  readonly list: boolean
  key: string
  keyNext: boolean
}

const depthMax = 500
const quote = 0x22
const backslash = 0x5c

export async function* readElements(
  bytes: AsyncIterable<Uint8Array>,
  wanted: Wanted,
): AsyncIterable<Element> {
  const scan = new Scan(wanted)
  for await (const chunk of bytes) yield* scan.feed(chunk)
  yield* scan.end()
}

class Scan {
  readonly #wanted: Wanted
  readonly #frames: Frame[] = []
  #found: Element[] = []
  #inString = false
  #escaped = false
  #inKey = false
  #inScalar = false
  #begun = false
  /** What is being cut out: its path, its depth, and its bytes so far. */
  #cut: { path: string; depth: number; parts: Uint8Array[]; bytes: number } | null = null
  #cutFrom = 0
  #chunk: Uint8Array = new Uint8Array(0)
  #at = 0

  constructor(wanted: Wanted) {
    this.#wanted = wanted
  }

  feed(chunk: Uint8Array): readonly Element[] {
    this.#found = []
    this.#chunk = chunk
    this.#cutFrom = 0
    for (this.#at = 0; this.#at < chunk.length; this.#at++) {
      const byte = chunk[this.#at] ?? 0
      if (this.#inString) this.#string(byte)
      else this.#structure(byte)
    }
    this.#hold(chunk.length)
    return this.#found
  }

  end(): readonly Element[] {
    this.#found = []
    const open = this.#frames.length > 0 || this.#inString
    if (open || !this.#begun)
      this.#found.push({ path: "", why: "cut-off", detail: "the document does not end" })
    return this.#found
  }

  #string(byte: number): void {
    if (this.#escaped) this.#escaped = false
    else if (byte === backslash) this.#escaped = true
    else if (byte === quote) {
      this.#inString = false
      if (this.#inKey) this.#endKey()
      else this.#endValue(this.#at + 1)
    }
  }

  #structure(byte: number): void {
    const frame = this.#frames.at(-1)
    // Space, tab, line feed, carriage return.
    if (byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)) return this.#endScalar()
    if (byte === 0x2c) {
      this.#endScalar()
      if (frame !== undefined) frame.keyNext = !frame.list
      return
    }
    if (byte === 0x3a) {
      if (frame !== undefined) frame.keyNext = false
      return
    }
    if (byte === 0x7d || byte === 0x5d) {
      this.#endScalar()
      return this.#close()
    }
    if (byte === quote) {
      this.#inString = true
      this.#inKey = frame?.keyNext === true && this.#cut === null
      if (this.#inKey) this.#cut = { path: "", depth: -1, parts: [], bytes: 0 }
      if (this.#inKey) this.#cutFrom = this.#at
      else this.#startValue()
      return
    }
    if (byte === 0x7b || byte === 0x5b) {
      this.#startValue()
      if (this.#frames.length < depthMax) {
        const list = byte === 0x5b
        this.#frames.push({ path: this.#path(), list, key: "", keyNext: !list })
      }
      return
    }
    if (!this.#inScalar) {
      this.#startValue()
      this.#inScalar = true
    }
  }

  #path(): string {
    const frame = this.#frames.at(-1)
    if (frame === undefined) return ""
    const own = frame.list ? "*" : frame.key
    return frame.path === "" ? own : `${frame.path}.${own}`
  }

  #startValue(): void {
    this.#begun = true
    if (this.#cut !== null || this.#inScalar) return
    const path = this.#path()
    if (!this.#wanted.values.has(path)) return
    this.#cut = { path, depth: this.#frames.length, parts: [], bytes: 0 }
    this.#cutFrom = this.#at
  }

  #endScalar(): void {
    if (!this.#inScalar) return
    this.#inScalar = false
    this.#endValue(this.#at)
  }

  #close(): void {
    const frame = this.#frames.pop()
    this.#endValue(this.#at + 1)
    if (frame !== undefined && this.#wanted.ends.has(frame.path)) {
      this.#found.push({ path: frame.path, over: true })
    }
  }

  #endKey(): void {
    const text = this.#take(this.#at + 1)
    this.#cut = null
    this.#inKey = false
    const frame = this.#frames.at(-1)
    const key = text === null ? null : parse(text)
    if (frame !== undefined) frame.key = typeof key === "string" ? key : ""
  }

  #endValue(until: number): void {
    if (this.#cut === null || this.#cut.depth !== this.#frames.length) return
    const { path, bytes } = this.#cut
    const text = this.#take(until)
    this.#cut = null
    if (text === null) {
      this.#found.push({ path, why: "too-long", detail: `${bytes} bytes` })
      return
    }
    const value = parse(text)
    if (value === undefined) this.#found.push({ path, why: "not-json", detail: path })
    else this.#found.push({ path, value })
  }

  #hold(until: number): void {
    if (this.#cut === null) return
    const part = this.#chunk.subarray(this.#cutFrom, until)
    this.#cut.bytes += part.length
    if (this.#cut.bytes > foreignLineBytesMax) this.#cut.parts = []
    // The chunk belongs to whoever reads the file, who may use it again.
    else if (part.length > 0) this.#cut.parts.push(Buffer.from(part))
    this.#cutFrom = until
  }

  #take(until: number): string | null {
    this.#hold(until)
    if (this.#cut === null || this.#cut.bytes > foreignLineBytesMax) return null
    return Buffer.concat(this.#cut.parts).toString("utf8")
  }
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    // Only a syntax error throws here; the value is skipped and named.
    return undefined
  }
}
