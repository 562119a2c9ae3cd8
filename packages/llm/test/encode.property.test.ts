/** Properties of encoding: what holds for every history. */
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Json } from "@holdfast/schema/json"
import { anthropicMessages } from "../src/anthropic-messages/index.ts"
import { readRequest } from "../src/anthropic-messages/read-request.ts"
import { blocksBetweenMax, markersMax } from "../src/anthropic-messages/place.ts"
import type { Entry, Target } from "../src/segments.ts"
import { keepsEncodeProperties } from "./any-wire/encode-properties.ts"
import { markerFaults } from "./any-wire/marker-faults.ts"
import { historiesWith } from "./any-wire/histories.ts"
import { bodyText, segmentsOf, targetOf, user } from "./requests.ts"

const { encode, place } = anthropicMessages

const histories = historiesWith(
  fc.constantFrom<Json>(
    { type: "thinking", thinking: "hm", signature: "sig" },
    { type: "thinking", thinking: "hm", signature: "" },
    { type: "redacted_thinking", data: "c2VhbGVk" },
    { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
    { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
    { type: "text", citations: [{ type: "web_search_result_location", url: "https://a.example" }] },
  ),
)

const targets: fc.Arbitrary<Target> = fc
  .record({
    thinkingTokens: fc.constantFrom(null, 2_048),
    systemRole: fc.boolean(),
    cacheTtl: fc.constantFrom("5m" as const, "1h" as const),
  })
  .map((settings) => targetOf(settings))

interface Body {
  readonly tools?: readonly object[]
  readonly system?: readonly object[]
  readonly messages?: readonly { readonly content: readonly object[] }[]
}

describe("encoding", () => {
  keepsEncodeProperties({
    wire: anthropicMessages,
    targets,
    histories,
    blocksIn: (value) => {
      const { tools = [], system = [], messages = [] } = value as Body
      const blocks = [...tools, ...system, ...messages.flatMap((message) => message.content)]
      return blocks.map((block) => {
        const { cache_control: _, ...rest } = block as Record<string, unknown>
        return rest
      })
    },
    markersIn: (body) => body.split('"cache_control"').length - 1,
    readRequest,
    // An instruction that ended a request takes another form before more input (LL2).
    growsBy: "an answer",
  })

  test("[LL5] never places more than four markers, and only where one may stand", () => {
    const cases = targets.chain((target) =>
      histories.segmentsFor(target).map((segments) => ({ target, segments })),
    )
    fc.assert(
      fc.property(cases, fc.nat(60), ({ target, segments }, previous) => {
        const encoded = encode(segments, target)
        const placed = place(encoded, target, previous)
        const marked = placed.record.markers.map(({ block }) => block)
        expect(markerFaults(encoded.blocks, marked, markersMax)).toEqual([])
        expect(bodyText(placed).split('"cache_control"').length - 1).toBe(placed.record.markers.length)
      }),
    )
  })

  test("[LL5] leaves no gap between markers of two requests that the provider cannot look back over", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 2, maxLength: 6 }), (growth) => {
        const target = targetOf()
        let previous = 0
        let entries: readonly Entry[] = []
        let lastEnd = -1
        for (const count of growth) {
          entries = [...entries, ...Array.from({ length: count }, (_, i) => user(`${i}`))]
          const encoded = encode(segmentsOf(entries), target)
          const markers = place(encoded, target, previous).record.markers.map(({ block }) => block)
          if (lastEnd >= 0) {
            const reached = markers.some((at) => at >= lastEnd && at - lastEnd <= blocksBetweenMax + 1)
            expect(reached).toBe(true)
          }
          lastEnd = markers.at(-1) ?? -1
          previous = encoded.blocks.length
        }
      }),
    )
  })
})
