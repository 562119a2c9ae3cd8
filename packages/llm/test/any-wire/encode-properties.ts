/** What holds for every history on a wire, whatever wire it came from. */
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { extendsRequest, foldHashes } from "./prefix.ts"
import { fillBody } from "../../src/request/media-hole.ts"
import type { ReadRequest } from "../../src/reading/read-request.ts"
import type { Entry, Target } from "../../src/segments.ts"
import type { Wire } from "../../src/wire.ts"
import { handleOf, type Media } from "@holdfast/schema/media"
import type { Histories } from "./histories.ts"
import { answer, bodyText, fresh, segmentsOf, text } from "../requests.ts"
import { blockText, bytesOfImage } from "./images.ts"

export interface EncodeSubject {
  readonly wire: Wire
  readonly targets: fc.Arbitrary<Target>
  readonly histories: Histories
  /** The values of all blocks in a body, in order, without cache markers. */
  readonly blocksIn: (body: Record<string, unknown>) => readonly unknown[]
  /** How many cache markers a body holds. */
  readonly markersIn: (body: string) => number
  /** Reads a body back; absent where a body does not tell all that it was made from. */
  readonly readRequest?: (body: string, target: Target) => ReadRequest | null
  /** What may follow a request and only add to it: anything, unless an answer must come first. */
  readonly growsBy?: "anything" | "an answer"
}

export function keepsEncodeProperties(subject: EncodeSubject): void {
  keepsGrammar(subject)
  keepsBytes(subject)
  keepsNatives(subject)
  keepsImages(subject)
  if (subject.readRequest !== undefined) readsBack(subject, subject.readRequest)
}

/** Some models read no images. */
const targetsOf = ({ targets }: EncodeSubject) =>
  fc.oneof({ weight: 3, arbitrary: targets }, targets.map(blinded))

const blinded = (target: Target): Target => ({
  ...target,
  options: { ...target.options, traits: { ...target.options.traits, withoutImages: true } },
})

const withEntries = (subject: EncodeSubject) =>
  targetsOf(subject).chain((target) =>
    subject.histories.historyFor(target).map((entries) => ({ target, entries })),
  )

const withSegments = (subject: EncodeSubject) =>
  targetsOf(subject).chain((target) =>
    subject.histories.segmentsFor(target).map((segments) => ({ target, segments })),
  )

function keepsGrammar(subject: EncodeSubject): void {
  const { encode, lint, place } = subject.wire

  test("[LL3] gives a request without a fault for every history", () => {
    fc.assert(
      fc.property(withSegments(subject), ({ target, segments }) => {
        expect(lint(encode(segments, target), target)).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  test("[LL3] takes any entries without throwing, and says why they are no conversation", () => {
    const cases = targetsOf(subject).chain((target) =>
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
    )
  })

  const { growsBy = "anything" } = subject
  test(`[TU1] extends the block list with ${growsBy} that is added, and with what follows`, () => {
    const between = growsBy === "anything" ? [] : [answer(text("answered"))]
    fc.assert(
      fc.property(withEntries(subject), fc.nat(12), ({ target, entries }, at) => {
        const first = encode(segmentsOf(entries.slice(0, at)), target)
        const whole = [...entries.slice(0, at), ...between, ...entries.slice(at)]
        const second = encode(segmentsOf(whole), target)
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
        const bytes = Buffer.concat(fillBody(placed, bytesOfImage))
        expect([placed.bytes, placed.record.bytes]).toEqual([bytes.length, bytes.length])
        const sent = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
        expect(sent).not.toContain('"$media"')
        const body = JSON.parse(sent) as Record<string, unknown>
        expect(subject.blocksIn(body)).toEqual(
          encoded.blocks.map((block) => JSON.parse(blockText(block)) as unknown),
        )
        const { markers } = placed.record
        expect(markers.filter(({ block }) => encoded.blocks[block]?.markable !== true)).toEqual([])
        expect(subject.markersIn(sent)).toBe(markers.length)
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

const imagesIn = (entry: Entry): readonly Media[] => {
  if (entry.kind === "user") return entry.images ?? []
  if (entry.kind !== "assistant") return []
  return entry.parts.flatMap((part) => (part.type === "call" ? (part.images ?? []) : []))
}

/** Each image is seen, or told in words: never lost, never both. */
function keepsImages(subject: EncodeSubject): void {
  const { encode } = subject.wire

  test("[LL7] knows the size of every block before its images are put in", () => {
    fc.assert(
      fc.property(withSegments(subject), ({ target, segments }) => {
        const { blocks } = encode(segments, target)
        expect(blocks.map(({ bytes }) => bytes)).toEqual(
          blocks.map((block) => Buffer.byteLength(blockText(block))),
        )
      }),
    )
  })

  test("[LL7] shows every image in its order, or names it where the model does not read it", () => {
    fc.assert(
      fc.property(withEntries(subject), ({ target, entries }) => {
        const { blocks } = encode(segmentsOf(entries), target)
        const shown = blocks.flatMap(({ holes = [] }) => holes.map(({ media }) => media.hash))
        const given = entries.flatMap(imagesIn)
        if (target.options.traits.withoutImages === true) expect(shown).toEqual([])
        const words = blocks.map(({ json }) => json).join("\n")
        const told = given.filter(({ hash }) => !shown.includes(hash))
        expect(told.filter((media) => !words.includes(`${handleOf(media)}: this model reads no`))).toEqual([])
        const readable = given.filter(({ hash }) => shown.includes(hash))
        expect(shown.toSorted()).toEqual(readable.map(({ hash }) => hash).toSorted())
      }),
    )
  })
}

function readsBack(subject: EncodeSubject, readRequest: NonNullable<EncodeSubject["readRequest"]>): void {
  const { encode, place } = subject.wire
  const cases = subject.targets.chain((target) =>
    subject.histories.historyFor(target).map((entries) => ({ target, entries })),
  )

  test("[LL1 LL4] reads a body back to a request that is written the same", () => {
    fc.assert(
      fc.property(cases, ({ target, entries }) => {
        const body = bodyText(place(encode(segmentsOf(entries), target), target, 0))
        const read = readRequest(body, target)
        expect(read?.unread).toEqual([])
        if (read === null) return
        const as = { ...target, options: read.options }
        expect(JSON.parse(bodyText(place(encode(read.segments, as), as, 0)))).toEqual(JSON.parse(body))
      }),
    )
  })
}
