/** What holds for every history on a wire, whatever wire it came from. */
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { extendsRequest, foldHashes } from "../../src/blocks.ts"
import type { Target } from "../../src/segments.ts"
import type { Wire } from "../../src/wire.ts"
import type { Histories } from "./histories.ts"
import { bodyText, fresh, segmentsOf } from "../requests.ts"

export interface EncodeSubject {
  readonly wire: Wire
  readonly targets: fc.Arbitrary<Target>
  readonly histories: Histories
  /** The values of all blocks in a body, in order, without cache markers. */
  readonly blocksIn: (body: Record<string, unknown>) => readonly unknown[]
  /** How many cache markers a body holds. */
  readonly markersIn: (body: string) => number
}

export function keepsEncodeProperties(subject: EncodeSubject): void {
  keepsGrammar(subject)
  keepsBytes(subject)
  keepsNatives(subject)
}

const withEntries = ({ targets, histories }: EncodeSubject) =>
  targets.chain((target) => histories.historyFor(target).map((entries) => ({ target, entries })))

const withSegments = ({ targets, histories }: EncodeSubject) =>
  targets.chain((target) => histories.segmentsFor(target).map((segments) => ({ target, segments })))

function keepsGrammar(subject: EncodeSubject): void {
  const { encode, lint, place } = subject.wire

  test("[LL3] gives a request without a fault for every history", () => {
    fc.assert(
      fc.property(withSegments(subject), ({ target, segments }) => {
        expect(lint(encode(segments, target), target)).toEqual([])
      }),
      { numRuns: 400 },
    )
  })

  test("[LL3] takes any entries without throwing, and says why they are no conversation", () => {
    const cases = subject.targets.chain((target) =>
      subject.histories.anyEntries(target).map((entries) => ({ target, entries })),
    )
    fc.assert(
      fc.property(cases, ({ target, entries }) => {
        const encoded = encode(segmentsOf(entries), target)
        const rules = new Set(lint(encoded, target).map((fault) => fault.rule))
        expect([...rules].filter((rule) => rule !== "role-last" && rule !== "role-first")).toEqual([])
        expect(place(encoded, target, 3).bytes).toBeGreaterThan(0)
      }),
    )
  })

  test("[LL3] finds in an extended request exactly what it finds in a new one", () => {
    fc.assert(
      fc.property(withEntries(subject), fc.nat(20), fc.nat(20), ({ target, entries }, drop, prefix) => {
        const whole = encode(segmentsOf(entries), target)
        const blocks = whole.blocks.filter((_, i) => i !== drop)
        lint({ ...whole, blocks: blocks.slice(0, prefix) }, target)
        lint({ ...whole, blocks: [...blocks.slice(0, prefix), ...whole.blocks.slice(prefix + 1)] }, target)
        expect(lint({ ...whole, blocks }, target)).toEqual(lint({ ...whole, blocks: fresh(blocks) }, target))
      }),
    )
  })
}

function keepsBytes(subject: EncodeSubject): void {
  const { encode, place } = subject.wire

  test("[TU1] gives the same blocks, hashes and bytes with and without anything kept", () => {
    fc.assert(
      fc.property(withEntries(subject), fc.nat(14), ({ target, entries }, cut) => {
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
      fc.property(withEntries(subject), fc.nat(12), ({ target, entries }, at) => {
        const first = encode(segmentsOf(entries.slice(0, at)), target)
        const second = encode(segmentsOf(entries), target)
        const hashes = first.blocks.map((block) => block.hash)
        expect(extendsRequest(hashes, second.blocks)).toBe(true)
      }),
    )
  })

  test("[LL1 LL5] writes a body that says what the blocks say, with markers where they may stand", () => {
    fc.assert(
      fc.property(withSegments(subject), fc.nat(40), ({ target, segments }, previous) => {
        const encoded = encode(segments, target)
        const placed = place(encoded, target, previous)
        const bytes = Buffer.concat(placed.body)
        expect(bytes.length).toBe(placed.record.bytes)
        const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
        const body = JSON.parse(text) as Record<string, unknown>
        expect(subject.blocksIn(body)).toEqual(
          encoded.blocks.map((block) => JSON.parse(block.json) as unknown),
        )
        const { markers } = placed.record
        expect(markers.filter((marker) => encoded.blocks[marker]?.markable !== true)).toEqual([])
        expect(subject.markersIn(text)).toBe(markers.length)
      }),
    )
  })
}

function keepsNatives(subject: EncodeSubject): void {
  const { encode, lint } = subject.wire

  test.each([
    [
      "to a target that did not say it",
      (target: Target) => ({ ...target, endpoint: "https://elsewhere.example" }),
    ],
    [
      "where the provider refused what it had sealed",
      (target: Target) => ({
        ...target,
        options: { ...target.options, traits: { ...target.options.traits, withoutNative: true } },
      }),
    ],
  ])("[LL4] says nothing native %s", (_, change) => {
    fc.assert(
      fc.property(withEntries(subject), ({ target, entries }) => {
        const stranger = change(target)
        const encoded = encode(segmentsOf(entries), stranger)
        expect(lint(encoded, stranger)).toEqual([])
        expect(encoded.blocks.filter((block) => block.native !== null)).toEqual([])
      }),
      { numRuns: 60 },
    )
  })
}
