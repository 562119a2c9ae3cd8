/** Properties of the Gemini wire. */
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { gemini } from "../../src/gemini/index.ts"
import { readRequest } from "../../src/gemini/read-request.ts"
import { keepsDecodeProperties, readsAnyChunks } from "../any-wire/decode-properties.ts"
import { keepsEncodeProperties } from "../any-wire/encode-properties.ts"
import * as stream from "../fixtures/gemini.ts"
import { bodyText } from "../requests.ts"
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
    readRequest,
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
})

describe("decoding", () => {
  const streams = [stream.richStream, stream.textStream, stream.signedStream, stream.strangeStream]
  keepsDecodeProperties(
    gemini,
    "text/event-stream",
    streams.map((text) => Buffer.from(text)),
  )
  readsAnyChunks(gemini)
})
