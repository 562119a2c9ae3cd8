/** Decoding in tests: whole texts, pieces, and what a stream says in sum. */
import type { StreamEvent, Wire } from "../../src/wire.ts"

const sse = "text/event-stream; charset=utf-8"

export function decode(wire: Wire, pieces: readonly Uint8Array[], contentType = sse): readonly StreamEvent[] {
  const decoder = wire.decoder(contentType)
  return [...pieces.flatMap((piece) => decoder.push(piece)), ...decoder.end()]
}

export const decodeText = (wire: Wire, text: string, contentType = sse): readonly StreamEvent[] =>
  decode(wire, [Buffer.from(text)], contentType)

export function failureCode(events: readonly StreamEvent[]): string | null {
  const last = events.at(-1)
  return last?.type === "failure" ? last.failure.code : null
}

export const cut = (bytes: Buffer, places: readonly number[]): readonly Uint8Array[] => {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b)
  return [...ends, bytes.length].map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end))
}

/** Everything that a stream gave as the model's own words. */
export const wordsIn = (events: readonly StreamEvent[]): string =>
  events.flatMap((event) => (event.type === "text-delta" ? [event.text] : [])).join("")
