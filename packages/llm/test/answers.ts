/** Answers in tests: whole or in pieces to events, what they say in sum, and the events of one part. */
import type { Json } from "@holdfast/schema/json"
import type { StreamEvent, Wire } from "../src/wire.ts"

export const sse = "text/event-stream; charset=utf-8"

export const noUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

export function decode(
  wire: Wire,
  pieces: readonly (string | Uint8Array)[],
  contentType = sse,
): readonly StreamEvent[] {
  const decoder = wire.decoder(contentType)
  return [...pieces.flatMap((piece) => decoder.push(Buffer.from(piece as string))), ...decoder.end()]
}

export const decodeText = (wire: Wire, text: string, contentType = sse): readonly StreamEvent[] =>
  decode(wire, [text], contentType)

export function failureCode(events: readonly StreamEvent[]): string | null {
  const last = events.at(-1)
  return last?.type === "failure" ? last.failure.code : null
}

export const firstOf = (events: readonly StreamEvent[], type: StreamEvent["type"]): StreamEvent | undefined =>
  events.find((event) => event.type === type)

export const cut = (bytes: Buffer, places: readonly number[]): readonly Uint8Array[] => {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b)
  return [...ends, bytes.length].map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end))
}

export const piecesOf = (bytes: Buffer, size: number): readonly Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size))

/** Everything that a stream gave as the model's own words. */
export const wordsIn = (events: readonly StreamEvent[]): string =>
  events.flatMap((event) => (event.type === "text-delta" ? [event.text] : [])).join("")

type Words = readonly string[]

/** The events of a text in these pieces; `end` is what its end carries besides. */
export const textAt = (index: number, words: Words, end: { readonly opaque?: Json } = {}) =>
  partAt("text", index, words, end)

export const reasoningAt = (index: number, words: Words, opaque: Json | null) =>
  partAt("reasoning", index, words, { opaque })

const partAt = (kind: "text" | "reasoning", index: number, words: Words, end: object): readonly object[] => [
  { type: `${kind}-start`, index },
  ...words.map((text) => ({ type: `${kind}-delta`, index, text })),
  { type: `${kind}-end`, index, text: words.join(""), ...end },
]

export interface ExpectedCall {
  readonly nativeId: string
  readonly name: string
  readonly input: Json
  readonly raw: string
  readonly opaque?: Json
}

/** What the call of each wire's rich answer says. */
export const readsFile = { name: "read", input: { path: "ä.ts" }, raw: '{"path": "ä.ts"}' }

/** The events of a call whose arguments came in pieces of these sizes. */
export const callAt = (index: number, sizes: readonly number[], call: ExpectedCall): readonly object[] => [
  { type: "call-start", index, nativeId: call.nativeId, name: call.name },
  ...sizes.map((bytes) => ({ type: "call-delta", index, bytes })),
  { type: "call-end", index, ...call },
]
