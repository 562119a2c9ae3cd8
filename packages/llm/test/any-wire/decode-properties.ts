/** Streams cut anywhere and damaged anywhere: never a throw, never a word that was not sent. */
import * as fc from "fast-check"
import { expect, test } from "vitest"
import type { StreamEvent, Wire } from "../../src/wire.ts"
import { cut, decode, decodeText, piecesOf, wordsIn } from "../answers.ts"

export function keepsDecodeProperties(wire: Wire, contentType: string, streams: readonly Buffer[]): void {
  const read = (pieces: readonly Uint8Array[]) => decode(wire, pieces, contentType)

  test("[LL6] gives the same events for pieces of any size", () => {
    for (const bytes of streams.flatMap((stream) => [stream, stream.subarray(0, -40)])) {
      expectSameInPieces(read, bytes, 30)
    }
  })

  test("[LL6] never throws and never invents text, however a stream is damaged", () => {
    const damage = fc.record({ at: fc.nat(), length: fc.nat(60), bytes: fc.uint8Array({ maxLength: 8 }) })
    fc.assert(
      fc.property(fc.constantFrom(...streams), fc.array(damage, { maxLength: 4 }), (stream, damages) => {
        let bytes = stream
        for (const { at, length, bytes: put } of damages) {
          const place = at % (bytes.length + 1)
          bytes = Buffer.concat([bytes.subarray(0, place), put, bytes.subarray(place + length)])
        }
        const events = read([bytes])
        const last = events.at(-1)?.type
        expect(last === "finish" || last === "failure").toBe(true)
        const sent = bytes.toString("utf8")
        // Escapes hide what was sent; a word of plain letters cannot hide.
        const deltas = events.flatMap((event) => (event.type === "text-delta" ? [event.text] : []))
        for (const word of deltas.flatMap((delta) => delta.match(/[a-z]{3,}/gi) ?? [])) {
          expect(sent).toContain(word)
        }
      }),
      { numRuns: 400 },
    )
  })

  test("[LL6] gives what it gave before a stream was cut", () => {
    for (const stream of streams) {
      const whole = wordsIn(read([stream]))
      for (let at = 0; at < stream.length; at += 37) {
        const events = read([stream.subarray(0, at)])
        expect(whole.startsWith(wordsIn(events))).toBe(true)
        expect(["finish", "failure"]).toContain(events.at(-1)?.type)
      }
    }
  })
}

export function expectSameInPieces(
  read: (pieces: readonly Uint8Array[]) => readonly StreamEvent[],
  bytes: Buffer,
  numRuns = 100,
): void {
  const whole = read([bytes])
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (places) => {
      expect(read(cut(bytes, places))).toEqual(whole)
    }),
    { numRuns },
  )
  expect(read(piecesOf(bytes, 1))).toEqual(whole)
}

/** Frames of any JSON, and of none, on a wire that speaks in server-sent events. */
export function readsAnyChunks(wire: Wire): void {
  test("[LL6] reads any chunks of any JSON", () => {
    const frames = fc.array(fc.oneof(fc.json({ maxDepth: 4 }), fc.string({ maxLength: 20 })), {
      maxLength: 6,
    })
    fc.assert(
      fc.property(frames, (items) => {
        const text = items.map((item) => `data: ${item.replaceAll(/[\r\n]/g, " ")}\n\n`).join("")
        expect(decodeText(wire, text).at(-1)?.type).toBe("failure")
      }),
    )
  })
}
