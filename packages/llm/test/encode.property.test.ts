/** Properties of encoding: what holds for every history. */
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { anthropicMessages } from "../src/anthropic-messages/index.ts"
import { lintMarkers } from "../src/anthropic-messages/lint.ts"
import { blocksBetweenMax } from "../src/anthropic-messages/place.ts"
import { extendsRequest, foldHashes } from "../src/blocks.ts"
import type { Entry, Segments } from "../src/segments.ts"
import { anySegments, anyTarget, bodyText, fresh, history, segmentsOf, targetOf, user } from "./requests.ts"

const { encode, lint, place } = anthropicMessages

describe("encoding", () => {
  test("[LL3] gives a request without a fault for every history", () => {
    fc.assert(
      fc.property(anySegments, anyTarget, (segments, target) => {
        expect(lint(encode(segments, target), target)).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  test("[TU1] gives the same blocks, hashes and bytes with and without anything kept", () => {
    fc.assert(
      fc.property(history, anyTarget, fc.nat(14), (entries, target, cut) => {
        const encoded = entries.map((_, i) => encode(segmentsOf(entries.slice(0, i + 1)), target))
        const last = encoded.at(-1) ?? encode(segmentsOf(entries), target)
        const again = encode(fresh(segmentsOf(entries)), target)
        expect(again).toEqual(last)
        expect(last.prefixHash).toBe(foldHashes(last.blocks.map((block) => block.hash)))
        expect(place(again, target, cut).record).toEqual(place(last, target, cut).record)
        expect(bodyText(place(again, target, cut))).toBe(bodyText(place(last, target, cut)))
      }),
    )
  })

  test("[TU1] extends the block list when an answer and what follows it are added", () => {
    fc.assert(
      fc.property(history, history, anyTarget, (before, after, target) => {
        const said: Entry = { kind: "assistant", parts: [{ type: "text", text: "answered" }] }
        const first = encode(segmentsOf(before), target)
        const second = encode(segmentsOf([...before, said, ...renumber(after)]), target)
        expect(
          extendsRequest(
            first.blocks.map((block) => block.hash),
            second.blocks,
          ),
        ).toBe(true)
      }),
    )
  })

  test("[LL3] finds in an extended request exactly what it finds in a new one", () => {
    fc.assert(
      fc.property(anySegments, anyTarget, fc.nat(20), fc.nat(20), (segments, target, drop, prefix) => {
        const whole = encode(segments, target)
        // Blocks left out at random make illegal requests; both paths must agree on why.
        const blocks = whole.blocks.filter((_, i) => i !== drop)
        lint({ ...whole, blocks: blocks.slice(0, prefix) }, target)
        lint({ ...whole, blocks: [...blocks.slice(0, prefix), ...whole.blocks.slice(prefix + 1)] }, target)
        const kept = lint({ ...whole, blocks }, target)
        expect(kept).toEqual(lint({ ...whole, blocks: fresh(blocks) }, target))
      }),
    )
  })

  test("[LL5] never places more than four markers, and only where one may stand", () => {
    fc.assert(
      fc.property(anySegments, anyTarget, fc.nat(60), (segments, target, previous) => {
        const encoded = encode(segments, target)
        const placed = place(encoded, target, previous)
        expect(lintMarkers(encoded.blocks, placed.record.markers)).toEqual([])
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
          const { markers } = place(encoded, target, previous).record
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

  test("[LL1] writes a body that says what the blocks say, in whole characters", () => {
    fc.assert(
      fc.property(anySegments, anyTarget, (segments: Segments, target) => {
        const encoded = encode(segments, target)
        const placed = place(encoded, target, 0)
        const bytes = Buffer.concat(placed.body)
        expect(bytes.length).toBe(placed.bytes)
        expect(bytes.length).toBe(placed.record.bytes)
        const body = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as {
          tools?: object[]
          system?: object[]
          messages: { content: object[] }[]
        }
        const all = [
          ...(body.tools ?? []),
          ...(body.system ?? []),
          ...body.messages.flatMap((m) => m.content),
        ]
        const bare = all.map((block) => ({ ...block, cache_control: undefined }))
        expect(bare).toEqual(
          encoded.blocks.map((block) => ({ ...JSON.parse(block.json), cache_control: undefined })),
        )
      }),
    )
  })
})

/** Call ids of the second half that the first half does not use. */
function renumber(entries: readonly Entry[]): readonly Entry[] {
  return entries.map((entry) =>
    entry.kind === "assistant"
      ? {
          ...entry,
          parts: entry.parts.map((part) =>
            part.type === "call" ? { ...part, call: `${part.call}b` as typeof part.call } : part,
          ),
        }
      : entry,
  )
}
