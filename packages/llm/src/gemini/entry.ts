/**
 * One entry of history as parts, made once for as long as the entry object lives.
 *
 *   LL2  The wire has no role for instructions in time: they are wrapped on the user's side.
 *   LL4  Thoughts, signatures and call ids come back to the target that gave them, each on its own
 *        part; to another target the visible thought becomes ordinary text.
 *   LL9  What the provider's own tool did goes with what came of it, or not at all.
 */
import type { SegmentName } from "@holdfast/schema/turn"
import { isNativeTo, makeLowering, resultBlocks, userBlocks, type UserForms } from "../request/lowering.ts"
import { isBlank } from "../request/runtime-words.ts"
import { hostedBlock } from "../request/sized-block.ts"
import type { EntryPart, PartOf } from "../segments.ts"
import type { Block } from "../wire.ts"
import { callOpaque, hostedOpaque, textSignature, thoughtOpaque } from "./native.ts"
import * as shape from "./part-shape.ts"

/** documented: what stands for a signature on a call that another model made. */
export const foreignSignature = "skip_thought_signature_validator"

/** documented: all that may stand there. */
export const standInSignatures: ReadonlySet<string> = new Set([
  foreignSignature,
  "context_engineering_is_the_way_to_go",
])

/** What decides how entries are written. */
export interface EntryKey {
  readonly tag: string
  readonly wantsSignatures: boolean
}

export const lowerSaid = makeLowering<readonly Block[], EntryKey>({
  idOf: ({ tag, wantsSignatures }, kind) => (kind === "assistant" ? `${wantsSignatures} ${tag}` : ""),
  user: (words, images, segment) => userBlocks(words, images, formsIn(segment)),
  runtime: (words, segment, _, kind) => [shape.textPart(segment, "user", words, kind)],
  answer: answerParts,
  nothing: [],
})

const formsIn = (segment: SegmentName): UserForms => ({
  image: (media) => shape.imagePart(segment, media),
  words: (text, kind) => shape.textPart(segment, "user", text, kind),
})

function answerParts(parts: readonly EntryPart[], segment: SegmentName, key: EntryKey): readonly Block[] {
  const calls = writtenCalls(parts, key)
  const paired = pairedHosted(parts, key.tag)
  const said = parts.flatMap((part): readonly Said[] => {
    if (part.type === "call")
      return [visible(shape.callPart(segment, calls.get(part) as shape.WrittenCall, part.input))]
    if (part.type === "text") return textSaid(part, segment, key.tag)
    if (part.type === "reasoning") return reasoningSaid(part, segment, key.tag)
    return paired.has(part) ? [visible(hostedBlock(segment, part.native.opaque, key.tag))] : []
  })
  const result = (part: PartOf<"call">) =>
    shape.resultPart(segment, calls.get(part) as shape.WrittenCall, part)
  return [...withoutLoose(said), ...resultBlocks(parts, result, formsIn(segment))]
}

/** A part on its way: words and deeds are seen, thoughts lead to them, and a mark is a signature on nothing. */
interface Said {
  readonly block: Block
  readonly as: "visible" | "thought" | "mark"
}

const visible = (block: Block): Said => ({ block, as: "visible" })

/** Thoughts behind the last words led to nothing, and an answer of marks alone says nothing (TU4). */
function withoutLoose(said: readonly Said[]): readonly Block[] {
  if (!said.some(({ as }) => as === "visible")) return []
  return said.slice(0, said.findLastIndex(({ as }) => as !== "thought") + 1).map(({ block }) => block)
}

/** Calls in order, with what each says of itself; an id that two of them have belongs to neither twice. */
function writtenCalls(
  parts: readonly EntryPart[],
  { tag, wantsSignatures }: EntryKey,
): ReadonlyMap<PartOf<"call">, shape.WrittenCall> {
  const calls = new Map<PartOf<"call">, shape.WrittenCall>()
  const ids = new Set<string>()
  for (const part of parts) {
    if (part.type !== "call") continue
    const own = isNativeTo(part.native, tag) ? callOpaque(part.native.opaque) : {}
    const id = own.id === undefined || ids.has(own.id) ? undefined : own.id
    if (id !== undefined) ids.add(id)
    const standIn = wantsSignatures && calls.size === 0 ? foreignSignature : undefined
    const signature = own.thoughtSignature ?? standIn
    calls.set(part, {
      name: shape.geminiName(part.name),
      unit: part.call,
      ...(id === undefined ? {} : { id }),
      ...(signature === undefined ? {} : { thoughtSignature: signature }),
      native: id === undefined && own.thoughtSignature === undefined ? null : tag,
    })
  }
  return calls
}

/** Hosted parts of this target that have their other side: what was done stands before what came of it. */
function pairedHosted(parts: readonly EntryPart[], tag: string): ReadonlySet<EntryPart> {
  const paired = new Set<EntryPart>()
  const waiting = new Map<string, EntryPart[]>()
  for (const part of parts) {
    if (part.type !== "hosted" || !isNativeTo(part.native, tag)) continue
    const opaque = hostedOpaque(part.native.opaque)
    if (opaque === null) continue
    const open = waiting.get(opaque.kind) ?? []
    if (opaque.side === "does") waiting.set(opaque.kind, [...open, part])
    else if (open.length > 0) {
      paired.add(open[0] as EntryPart).add(part)
      waiting.set(opaque.kind, open.slice(1))
    }
  }
  return paired
}

function textSaid(part: PartOf<"text">, segment: SegmentName, tag: string): readonly Said[] {
  const signature = isNativeTo(part.native, tag) ? textSignature(part.native.opaque) : null
  const blank = isBlank(part.text)
  if (blank && signature === null) return []
  const block = shape.textPart(
    segment,
    "assistant",
    part.text,
    "text",
    signature === null ? null : { signature, tag },
  )
  return [{ block, as: blank ? "mark" : "visible" }]
}

function reasoningSaid(part: PartOf<"reasoning">, segment: SegmentName, tag: string): readonly Said[] {
  if (part.native === null) return []
  if (!isNativeTo(part.native, tag)) {
    return isBlank(part.text) ? [] : [visible(shape.textPart(segment, "assistant", part.text))]
  }
  const opaque = thoughtOpaque(part.native.opaque)
  if (opaque === null) return []
  return [
    { block: shape.thoughtPart(segment, opaque, tag), as: opaque.type === "thought" ? "thought" : "mark" },
  ]
}
