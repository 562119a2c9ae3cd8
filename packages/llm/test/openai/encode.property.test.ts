/** Properties of both OpenAI wires: what holds for every history, whatever wire it came from. */
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { extendsRequest, foldHashes } from "../../src/blocks.ts"
import { lintMarkers as lintChatMarkers } from "../../src/openai-chat/lint.ts"
import { openaiChat } from "../../src/openai-chat/index.ts"
import { lintMarkers } from "../../src/openai-responses/lint.ts"
import { openaiResponses } from "../../src/openai-responses/index.ts"
import type { Entry, Target } from "../../src/segments.ts"
import { bodyText, fresh, segmentsOf } from "../requests.ts"
import { anyChatTarget, anyEntries, anyResponsesTarget, historyFor, segmentsFor } from "./requests.ts"

const both = [
  ["openai-responses", openaiResponses, anyResponsesTarget, "input"],
  ["openai-chat", openaiChat, anyChatTarget, "messages"],
] as const

const withEntries = (targets: fc.Arbitrary<Target>) =>
  targets.chain((target) => historyFor(target).map((entries) => ({ target, entries })))

describe.each(both)("%s", (name, wire, targets, list) => {
  const { encode, lint, place } = wire

  test("[LL3] gives a request without a fault for every history", () => {
    const cases = targets.chain((target) => segmentsFor(target).map((segments) => ({ target, segments })))
    fc.assert(
      fc.property(cases, ({ target, segments }) => {
        expect(lint(encode(segments, target), target)).toEqual([])
      }),
      { numRuns: 400 },
    )
  })

  test("[LL3] takes any entries without throwing, and says why they are no conversation", () => {
    const cases = targets.chain((target) => anyEntries(target).map((entries) => ({ target, entries })))
    fc.assert(
      fc.property(cases, ({ target, entries }) => {
        const encoded = encode(segmentsOf(entries), target)
        const rules = new Set(lint(encoded, target).map((fault) => fault.rule))
        expect([...rules].filter((rule) => rule !== "role-last")).toEqual([])
        expect(place(encoded, target, 3).bytes).toBeGreaterThan(0)
      }),
    )
  })

  test("[TU1] gives the same blocks, hashes and bytes with and without anything kept", () => {
    fc.assert(
      fc.property(withEntries(targets), fc.nat(14), ({ target, entries }, cut) => {
        const encoded = entries.map((_, i) => encode(segmentsOf(entries.slice(0, i + 1)), target))
        const last = encoded.at(-1) ?? encode(segmentsOf(entries), target)
        const again = encode(fresh(segmentsOf(entries)), target)
        expect(again).toEqual(last)
        expect(last.prefixHash).toBe(foldHashes(last.blocks.map((block) => block.hash)))
        expect(place(again, target, cut).record).toEqual(place(last, target, cut).record)
        expect(bodyText(place(again, target, cut))).toBe(bodyText(place(last, target, cut)))
      }),
      { numRuns: 60 },
    )
  })

  test("[TU1] extends the block list with whatever is added", () => {
    fc.assert(
      fc.property(withEntries(targets), fc.nat(12), ({ target, entries }, at) => {
        const first = encode(segmentsOf(entries.slice(0, at)), target)
        const second = encode(segmentsOf(entries), target)
        const hashes = first.blocks.map((block) => block.hash)
        expect(extendsRequest(hashes, second.blocks)).toBe(true)
      }),
    )
  })

  test("[LL5] keeps its cache key while a conversation grows", () => {
    fc.assert(
      fc.property(withEntries(targets), fc.integer({ min: 1, max: 12 }), ({ target, entries }, at) => {
        const keys = [entries.slice(0, at), entries].map((some) => {
          const params = JSON.parse(encode(segmentsOf(some), target).params) as Record<string, unknown>
          return params["prompt_cache_key"]
        })
        expect(keys[0]).toBe(keys[1])
      }),
      { numRuns: 40 },
    )
  })

  test("[LL1 LL5] writes a body that says what the blocks say, with marks where they may stand", () => {
    const cases = targets.chain((target) => segmentsFor(target).map((segments) => ({ target, segments })))
    fc.assert(
      fc.property(cases, fc.nat(40), ({ target, segments }, previous) => {
        const encoded = encode(segments, target)
        const placed = place(encoded, target, previous)
        const bytes = Buffer.concat(placed.body)
        expect(bytes.length).toBe(placed.record.bytes)
        const body = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as Record<
          string,
          object[]
        >
        const all = [...(body["tools"] ?? []), ...(body[list] ?? [])]
        expect(all.map(unmarked)).toEqual(encoded.blocks.map((block) => JSON.parse(block.json) as object))
        const kind = target.options.traits.cacheMarkers
        const { markers } = placed.record
        if (kind === undefined || (name === "openai-responses" && kind === "anthropic"))
          expect(markers).toEqual([])
        else if (name === "openai-chat") expect(lintChatMarkers(encoded.blocks, markers, kind)).toEqual([])
        else expect(lintMarkers(encoded.blocks, markers)).toEqual([])
        const marks = JSON.stringify(all).split(/"(?:cache_control|prompt_cache_breakpoint)":\{/).length - 1
        expect(marks).toBe(markers.length)
      }),
    )
  })

  test("[LL3] finds in an extended request exactly what it finds in a new one", () => {
    fc.assert(
      fc.property(withEntries(targets), fc.nat(20), fc.nat(20), ({ target, entries }, drop, prefix) => {
        const whole = encode(segmentsOf(entries), target)
        const blocks = whole.blocks.filter((_, i) => i !== drop)
        lint({ ...whole, blocks: blocks.slice(0, prefix) }, target)
        lint({ ...whole, blocks: [...blocks.slice(0, prefix), ...whole.blocks.slice(prefix + 1)] }, target)
        expect(lint({ ...whole, blocks }, target)).toEqual(lint({ ...whole, blocks: fresh(blocks) }, target))
      }),
    )
  })

  test.each([
    [
      "to a target that did not say it",
      (target: Target) => ({ ...target, endpoint: "https://elsewhere.example" }),
    ],
    ["where the provider refused what it had sealed", without],
  ])("[LL4] says nothing native %s", (_, change) => {
    fc.assert(
      fc.property(withEntries(targets), ({ target, entries }) => {
        const stranger = change(target)
        expect(lint(encode(segmentsOf(entries), stranger), stranger)).toEqual([])
        const natives = encode(segmentsOf(entries as readonly Entry[]), stranger).blocks.filter(
          (block) => block.native !== null,
        )
        expect(natives).toEqual([])
      }),
      { numRuns: 60 },
    )
  })
})

const without = (target: Target): Target => ({
  ...target,
  options: { ...target.options, traits: { ...target.options.traits, withoutNative: true } },
})

/** A block without its mark: a marked content is a list of one part. */
function unmarked(item: object): object {
  const { content } = item as { readonly content?: unknown }
  if (!Array.isArray(content)) return item
  const [part] = content as Record<string, unknown>[]
  const { prompt_cache_breakpoint, cache_control, ...rest } = part ?? {}
  if (prompt_cache_breakpoint === undefined && cache_control === undefined) return item
  return rest["type"] === "text" ? { ...item, content: rest["text"] } : { ...item, content: [rest] }
}
