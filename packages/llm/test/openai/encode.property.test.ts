/** Properties of both OpenAI wires: what holds for every history, whatever wire it came from. */
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { markerPolicies } from "../../src/openai-chat/place.ts"
import { openaiChat } from "../../src/openai-chat/index.ts"
import { markersMax } from "../../src/openai-responses/place.ts"
import { openaiResponses } from "../../src/openai-responses/index.ts"
import { markerFaults } from "../any-wire/marker-faults.ts"
import { keepsEncodeProperties } from "../any-wire/encode-properties.ts"
import { segmentsOf } from "../requests.ts"
import { anyChatTarget, anyResponsesTarget, histories } from "./requests.ts"

const both = [
  ["openai-responses", openaiResponses, anyResponsesTarget, "input"],
  ["openai-chat", openaiChat, anyChatTarget, "messages"],
] as const

describe.each(both)("%s", (name, wire, targets, list) => {
  const { encode, place } = wire

  keepsEncodeProperties({
    wire,
    targets,
    histories,
    blocksIn: (value) => {
      const body = value as Record<string, readonly object[] | undefined>
      return [...(body["tools"] ?? []), ...(body[list] ?? [])].map(unmarked)
    },
    markersIn: (body) => body.split(/"(?:cache_control|prompt_cache_breakpoint)":\{/).length - 1,
  })

  test("[LL5] keeps its cache key while a conversation grows", () => {
    const cases = targets.chain((target) =>
      histories.historyFor(target).map((entries) => ({ target, entries })),
    )
    fc.assert(
      fc.property(cases, fc.integer({ min: 1, max: 12 }), ({ target, entries }, at) => {
        const keys = [entries.slice(0, at), entries].map((some) => {
          const params = JSON.parse(encode(segmentsOf(some), target).params) as Record<string, unknown>
          return params["prompt_cache_key"]
        })
        expect(keys[0]).toBe(keys[1])
      }),
      { numRuns: 40 },
    )
  })

  test("[LL5] puts no more marks than the model takes, and none where it takes none", () => {
    const cases = targets.chain((target) =>
      histories.segmentsFor(target).map((segments) => ({ target, segments })),
    )
    fc.assert(
      fc.property(cases, fc.nat(40), ({ target, segments }, previous) => {
        const encoded = encode(segments, target)
        const markers = place(encoded, target, previous).record.markers.map(({ block }) => block)
        const kind = target.options.traits.cacheMarkers
        if (kind === undefined || (name === "openai-responses" && kind === "anthropic"))
          expect(markers).toEqual([])
        else {
          const most = name === "openai-chat" ? markerPolicies[kind].markersMax : markersMax
          expect(markerFaults(encoded.blocks, markers, most)).toEqual([])
        }
      }),
    )
  })
})

/** A block without its mark: a marked text is a list of parts, of which the last is marked. */
function unmarked(item: object): object {
  const { content } = item as { readonly content?: unknown }
  if (!Array.isArray(content)) return item
  const parts = content as Record<string, unknown>[]
  const { prompt_cache_breakpoint, cache_control, ...rest } = parts.at(-1) ?? {}
  if (prompt_cache_breakpoint === undefined && cache_control === undefined) return item
  if (parts.length === 1 && rest["type"] === "text") return { ...item, content: rest["text"] }
  return { ...item, content: [...parts.slice(0, -1), rest] }
}
