/** Properties of the Converse wire. */
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { bedrockConverse } from "../../src/bedrock-converse/index.ts"
import { markersMax } from "../../src/bedrock-converse/place.ts"
import { readRequest } from "../../src/bedrock-converse/read-request.ts"
import { decode } from "../answers.ts"
import { keepsDecodeProperties } from "../any-wire/decode-properties.ts"
import { markerFaults } from "../any-wire/marker-faults.ts"
import { keepsEncodeProperties } from "../any-wire/encode-properties.ts"
import * as stream from "../fixtures/bedrock.ts"
import { anyTarget, bodyOf, type ConverseBody, histories, isCachePoint } from "./requests.ts"

const { encode, place } = bedrockConverse
const withSegments = anyTarget.chain((target) =>
  histories.segmentsFor(target).map((segments) => ({ target, segments })),
)

describe("encoding", () => {
  keepsEncodeProperties({
    wire: bedrockConverse,
    targets: anyTarget,
    histories,
    blocksIn: (value) => {
      const body = value as unknown as ConverseBody
      return [
        ...(body.toolConfig?.tools ?? []),
        ...(body.system ?? []),
        ...(body.messages ?? []).flatMap((message) => message.content),
      ].filter((block) => !isCachePoint(block))
    },
    markersIn: (body) => body.split('{"cachePoint":').length - 1,
    readRequest,
  })

  test("[LL3 LL5] alternates roles and never puts a cache point behind reasoning", () => {
    fc.assert(
      fc.property(withSegments, fc.nat(40), ({ target, segments }, previous) => {
        const messages = bodyOf(segments, target, previous).messages ?? []
        expect(messages.filter(({ role }, i) => role === messages[i - 1]?.role)).toEqual([])
        for (const { content } of messages) {
          const behind = content.filter(
            (block, i) => isCachePoint(block) && content[i - 1]?.["reasoningContent"],
          )
          expect(behind).toEqual([])
        }
        const encoded = encode(segments, target)
        const marked = place(encoded, target, previous).record.markers.map(({ block }) => block)
        expect(markerFaults(encoded.blocks, marked, markersMax)).toEqual([])
      }),
    )
  })
})

const type = "application/vnd.amazon.eventstream"

describe("decoding", () => {
  keepsDecodeProperties(bedrockConverse, type, [
    stream.richStream,
    stream.textStream,
    stream.searchStream,
    stream.strangeStream,
    stream.lengthStream,
  ])

  test("[LL6] reads any events of any JSON", () => {
    const names = fc.constantFrom(
      "messageStart",
      "contentBlockStart",
      "contentBlockDelta",
      "contentBlockStop",
      "metadata",
      "other",
    )
    const index = fc.option(fc.nat(2), { nil: undefined })
    const events = fc.array(fc.tuple(names, index, fc.jsonValue()), { maxLength: 8 })
    fc.assert(
      fc.property(events, (items) => {
        const frames = items.map(([name, contentBlockIndex, value]) =>
          stream.event(name, { contentBlockIndex, delta: value, start: value, usage: value }),
        )
        expect(decode(bedrockConverse, frames, type).at(-1)?.type).toBe("failure")
      }),
    )
  })
})
