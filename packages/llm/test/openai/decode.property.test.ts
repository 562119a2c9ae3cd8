/** Streams cut anywhere and damaged anywhere: never a throw, never a word that was not sent. */
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { openaiChat } from "../../src/openai-chat/index.ts"
import { openaiResponses } from "../../src/openai-responses/index.ts"
import * as chat from "../fixtures/chat.ts"
import * as responses from "../fixtures/responses.ts"
import { cut, decode, decodeText, wordsIn } from "./pieces.ts"

const streams = [
  [
    "openai-responses",
    openaiResponses,
    [responses.richStream, responses.textStream, responses.strangeStream, responses.lengthStream],
  ],
  ["openai-chat", openaiChat, [chat.richStream, chat.textStream, chat.strangeStream, chat.detailsStream]],
] as const

describe.each(streams)("%s", (_, wire, texts) => {
  test("[LL6] gives the same events for pieces of any size", () => {
    for (const text of texts.flatMap((item) => [item, item.replaceAll("\n", "\r\n"), item.slice(0, -40)])) {
      const bytes = Buffer.from(text)
      const whole = decode(wire, [bytes])
      fc.assert(
        fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (places) => {
          expect(decode(wire, cut(bytes, places))).toEqual(whole)
        }),
        { numRuns: 30 },
      )
      expect(
        decode(
          wire,
          [...bytes].map((byte) => Uint8Array.of(byte)),
        ),
      ).toEqual(whole)
    }
  })

  test("[LL6] never throws and never invents text, however a stream is damaged", () => {
    const damage = fc.record({ at: fc.nat(), length: fc.nat(60), bytes: fc.uint8Array({ maxLength: 8 }) })
    fc.assert(
      fc.property(fc.constantFrom(...texts), fc.array(damage, { maxLength: 4 }), (text, damages) => {
        let bytes = Buffer.from(text)
        for (const { at, length, bytes: put } of damages) {
          const place = at % (bytes.length + 1)
          bytes = Buffer.concat([bytes.subarray(0, place), put, bytes.subarray(place + length)])
        }
        const events = decode(wire, [bytes])
        const last = events.at(-1)?.type
        expect(last === "finish" || last === "failure").toBe(true)
        const sent = bytes.toString("utf8")
        // Escapes hide what was sent; a word of plain letters cannot hide.
        const deltas = events.flatMap((event) => (event.type === "text-delta" ? [event.text] : []))
        for (const word of deltas.flatMap((delta) => delta.match(/[a-z]{3,}/gi) ?? []))
          expect(sent).toContain(word)
      }),
      { numRuns: 400 },
    )
  })

  test("[LL6] gives what it gave before a stream was cut, and then a failure", () => {
    for (const text of texts) {
      const whole = wordsIn(decodeText(wire, text))
      for (let at = 0; at < text.length; at += 37) {
        expect(whole.startsWith(wordsIn(decodeText(wire, text.slice(0, at))))).toBe(true)
      }
    }
  })

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
})
