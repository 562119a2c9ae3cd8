/**
 * One request of a conversation, held against what was kept: nothing lost, nothing that belongs to
 * somebody else, the same bytes every time, and taken by the strict provider that it is for.
 */
import { expect } from "vitest"
import { extendsRequest } from "../../../packages/llm/test/any-wire/prefix.ts"
import { fillBody } from "@holdfast/llm/request/media-hole"
import type { Entry, EntryPart, Segments } from "@holdfast/llm/segments"
import type { Encoded } from "@holdfast/llm/wire"
import type { ProviderSim } from "@holdfast/provider-sim"
import type { Media } from "@holdfast/schema/media"
import type { Native, Part } from "@holdfast/schema/message"
import { readTool } from "../history.ts"
import type { Conversation, Played } from "./conversation.ts"
import { bytesOfPicture } from "./plan.ts"
import { judgeBody, type Speaker } from "./speakers.ts"

export interface Asked {
  readonly speaker: Speaker
  readonly sim: ProviderSim | null
  readonly entries: readonly Entry[]
  /** The entries are what the runtime would send. */
  readonly asRendered: boolean
  readonly played: Played
  readonly seals: Conversation["seals"]
}

const segmentsOf = (tail: readonly Entry[]): Segments => ({
  tools: [readTool],
  system: "You are an agent.",
  agent: "",
  historyBaseline: [],
  historyDelta: [],
  tail,
})

/** What was compared so far; a generator that gives nothing to compare proves nothing. */
export const compared = { judged: 0, sealsBack: 0, imagesShown: 0 }

export function holds(asked: Asked): void {
  const { speaker, entries } = asked
  // What is kept for another model of the wire must not be found for this one.
  speaker.wire.encode(segmentsOf(entries), speaker.sibling)
  const { encoded, body } = written(speaker, segmentsOf(entries))
  expect(speaker.wire.lint(encoded, speaker.target)).toEqual([])
  const again = written(speaker, structuredClone(segmentsOf(entries)))
  expect(again.encoded.prefixHash).toBe(encoded.prefixHash)
  expect(again.body.equals(body)).toBe(true)
  const text = new TextDecoder("utf-8", { fatal: true }).decode(body)
  expect(text).not.toContain('"$media"')
  const said = stringsIn(JSON.parse(text))
  grows(asked, encoded)
  saysAll(asked, said)
  keepsSeals(asked, text, said)
  showsImages(asked, text)
  isTaken(asked, body)
}

function written({ wire, target }: Speaker, segments: Segments) {
  const encoded = wire.encode(segments, target)
  return { encoded, body: Buffer.concat(fillBody(wire.place(encoded, target, 3), bytesOfPicture)) }
}

/** The request before the latest answer is the beginning of this one. */
function grows({ speaker: { wire, target }, entries }: Asked, { blocks }: Encoded): void {
  const blocksOf = (end: number) => wire.encode(segmentsOf(entries.slice(0, end)), target).blocks
  const at = entries.findLastIndex(({ kind }) => kind === "assistant")
  const earlier = blocksOf(Math.max(at, 0))
  // An answer that says nothing to this target is none to it.
  if (at < 0 || blocksOf(at + 1).length === earlier.length) return
  const hashes = earlier.map(({ hash }) => hash)
  expect(extendsRequest(hashes, blocks)).toBe(true)
}

const marksIn = (kind: string, texts: readonly string[]): readonly string[] =>
  texts.flatMap((text) => text.match(new RegExp(`\\b(?:${kind})-\\d{4,};`, "g")) ?? [])

/**
 * Words of all who spoke stand there once and in their order. A thought is told to others if it was
 * whole; to its own target it comes back in a form of its own, which the seals vouch for.
 */
function saysAll({ speaker, entries }: Asked, said: readonly string[]): void {
  const parts = partsIn(entries)
  const isOwn = (part: EntryPart) => part.native != null && isOf(speaker, part.native)
  const own = new Set(
    parts.flatMap((part) =>
      part.type === "reasoning" && isOwn(part)
        ? marksIn("said|thought", [part.text, ...stringsIn(part.native)])
        : [],
    ),
  )
  // A stream that was damaged may take a thought for words.
  const told = parts.flatMap((part) => {
    if (part.type === "text") return [part.text]
    return part.type === "reasoning" && part.native !== null && !isOwn(part) ? [part.text] : []
  })
  const given: Readonly<Record<string, readonly string[]>> = {
    asked: entries.flatMap((entry) => (entry.kind === "user" ? [entry.text] : [])),
    update: entries.flatMap((entry) => (entry.kind === "system" ? [entry.text] : [])),
    "said|thought": told,
    arg: parts.flatMap((part) => (part.type === "call" ? stringsIn(part.input) : [])),
    result: parts.flatMap((part) => (part.type === "call" ? [part.result] : [])),
  }
  for (const [kind, texts] of Object.entries(given)) {
    const marks = (from: readonly string[]) => marksIn(kind, from).filter((mark) => !own.has(mark))
    expect(marks(said)).toEqual(marks(texts))
  }
}

/** LL4: what a target sealed comes back to it as it was, and is not shown to another. */
function keepsSeals(
  { speaker, entries, seals, asRendered, played }: Asked,
  text: string,
  said: readonly string[],
): void {
  const foreign = [...seals].filter(([seal, { target }]) => target !== speaker.target && text.includes(seal))
  expect(foreign).toEqual([])
  const sealsOf = (parts: readonly EntryPart[]) =>
    parts.flatMap(({ native }) =>
      native != null && isOf(speaker, native) ? stringsIn(native.opaque).filter((one) => seals.has(one)) : [],
    )
  const back = new Set(said.filter((one) => seals.has(one)))
  const kept = new Set(sealsOf(partsIn(entries)))
  expect([...back].filter((seal) => !kept.has(seal))).toEqual([])
  if (!asRendered || wasDamaged(speaker, played)) return
  // What leaned on a thought that was not sealed may come back without its name.
  const unsealed = played.answers.filter(({ parts }) => parts.some(({ part }) => isUnsealed(part)))
  const loose = new Set(unsealed.flatMap(({ parts }) => stringsIn(parts)))
  const due = entries
    .flatMap((entry) => (entry.kind === "assistant" ? sealsOf(dueParts(speaker, entry.parts)) : []))
    .filter((seal) => !loose.has(seal))
  compared.sealsBack += due.length
  expect(due.filter((seal) => !back.has(seal))).toEqual([])
}

const isUnsealed = (part: Part): boolean => part.type === "reasoning" && part.native === null

/** Parts whose seals have to come back: those that led to something, with all that they lean on. */
function dueParts({ wire, shows }: Speaker, parts: readonly EntryPart[]): readonly EntryPart[] {
  const led = parts.slice(0, parts.findLastIndex((part) => part.type !== "reasoning") + 1)
  // Half of what a tool of the provider did is left out, and what led to it may be left out with it.
  const hosted = led.filter(({ type }) => type === "hosted").length
  if (hosted % 2 === 1 && wire.name !== "openai-responses") return []
  return shows ? led : led.filter(({ type }) => type !== "reasoning")
}

/** LL7: every image is there as often as it was given. */
function showsImages({ entries }: Asked, text: string): void {
  for (const { hash } of imagesIn(entries)) {
    const base64 = Buffer.from(bytesOfPicture(hash)).toString("base64")
    const given = imagesIn(entries).filter((media) => media.hash === hash)
    expect(text.split(base64)).toHaveLength(given.length + 1)
  }
}

/** LL3: the provider is as strict as the real one, signatures and images included. */
function isTaken({ speaker, sim, entries, played }: Asked, body: Uint8Array): void {
  if (sim === null || !canJudge(speaker, entries, played)) return
  const { refused, images } = judgeBody(sim, speaker, body)
  compared.judged += 1
  compared.imagesShown += images.length
  expect(refused).toBe("")
  expect(images.toSorted()).toEqual(
    imagesIn(entries)
      .map(({ hash }) => hash)
      .toSorted(),
  )
}

/** Not where a seal of its own was damaged on its way, nor what its simulation has not learnt. */
function canJudge(speaker: Speaker, entries: readonly Entry[], played: Played): boolean {
  const isHosted = (part: EntryPart) => part.type === "hosted" && isOf(speaker, part.native)
  return !wasDamaged(speaker, played) && (speaker.judgesHosted || !partsIn(entries).some(isHosted))
}

const wasDamaged = (speaker: Speaker, { answers }: Played): boolean =>
  answers.some((answer) => answer.speaker === speaker && answer.plan.end.kind === "damaged")

const isOf = ({ target }: Speaker, native: Native): boolean =>
  native.provider === target.provider && native.model === target.model && native.endpoint === target.endpoint

const partsIn = (entries: readonly Entry[]): readonly EntryPart[] =>
  entries.flatMap((entry) => (entry.kind === "assistant" ? entry.parts : []))

const imagesIn = (entries: readonly Entry[]): readonly Media[] =>
  entries.flatMap((entry) => {
    if (entry.kind === "user") return entry.images ?? []
    return partsIn([entry]).flatMap((part) => (part.type === "call" ? (part.images ?? []) : []))
  })

/** Every text of a value, in its order. */
function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : []
}
