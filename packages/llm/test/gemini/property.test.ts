/** Properties of the Gemini wire. */
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { gemini } from "../../src/gemini/index.ts"
import { readRequest } from "../../src/gemini/read-request.ts"
import { keepsDecodeProperties } from "../any-wire/decode-properties.ts"
import { keepsEncodeProperties } from "../any-wire/encode-properties.ts"
import * as stream from "../fixtures/gemini.ts"
import { decodeText } from "../openai/pieces.ts"
import { bodyText, segmentsOf } from "../requests.ts"
import { anyTarget, type GeminiBody, histories } from "./requests.ts"

describe("encoding", () => {
  keepsEncodeProperties({
    wire: gemini,
    targets: anyTarget,
    histories,
    blocksIn: (value) => {
      const body = value as unknown as GeminiBody
      return [
        ...(body.tools ?? []).flatMap((tool) => tool.functionDeclarations),
        ...(body.systemInstruction?.parts ?? []),
        ...(body.contents ?? []).flatMap((content) => content.parts),
      ]
    },
    markersIn: () => 0,
  })

  test("[LL3] alternates roles, however many say something in a row", () => {
    const cases = anyTarget.chain((target) =>
      histories.segmentsFor(target).map((segments) => ({ target, segments })),
    )
    fc.assert(
      fc.property(cases, ({ target, segments }) => {
        const body = JSON.parse(
          bodyText(gemini.place(gemini.encode(segments, target), target, 0)),
        ) as GeminiBody
        const roles = (body.contents ?? []).map((content) => content.role)
        expect(roles.filter((role, i) => role === roles[i - 1])).toEqual([])
      }),
    )
  })

  test("[LL1 LL4] reads a body back to a request that is written the same", () => {
    const cases = anyTarget.chain((target) =>
      histories.historyFor(target).map((entries) => ({ target, entries })),
    )
    fc.assert(
      fc.property(cases, ({ target, entries }) => {
        const body = bodyText(gemini.place(gemini.encode(segmentsOf(entries), target), target, 0))
        const read = readRequest(body, target)
        expect(read?.unread).toEqual([])
        if (read === null) return
        const again = gemini.encode(read.segments, { ...target, options: read.options })
        expect(JSON.parse(bodyText(gemini.place(again, target, 0)))).toEqual(JSON.parse(body))
      }),
    )
  })
})

describe("decoding", () => {
  const streams = [stream.richStream, stream.textStream, stream.signedStream, stream.strangeStream]
  keepsDecodeProperties(
    gemini,
    "text/event-stream",
    streams.map((text) => Buffer.from(text)),
  )

  test("[LL6] reads any chunks of any JSON", () => {
    const frames = fc.array(fc.oneof(fc.json({ maxDepth: 4 }), fc.string({ maxLength: 20 })), {
      maxLength: 6,
    })
    fc.assert(
      fc.property(frames, (items) => {
        const text = items.map((item) => `data: ${item.replaceAll(/[\r\n]/g, " ")}\n\n`).join("")
        expect(decodeText(gemini, text).at(-1)?.type).toBe("failure")
      }),
    )
  })
})
