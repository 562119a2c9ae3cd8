/**
 * One entry of history as blocks, made once for as long as the entry object lives.
 *
 *   LL2  A system entry has two forms; which one is legal depends on its neighbours, so both are
 *        made here and `encode` chooses.
 *   LL4  Reasoning is repeated exactly to the target that signed it. To any other its visible text
 *        becomes ordinary text. Without native data it was cut, and is not repeated at all.
 *   LL8  What a text cites goes back with it to the same target only.
 *   TU4  An answer that ends in thinking led to nothing and is refused by the provider, so
 *        thinking behind the last text or call is left out.
 */
import type { Json } from "@holdfast/schema/json"
import type { SegmentName } from "@holdfast/schema/turn"
import { fieldsOf, textOf } from "../json-fields.ts"
import { isNativeTo, makeLowering, resultBlocks, userBlocks, withoutLoneHosted } from "../request/lowering.ts"
import type { HostedSide, UserForms } from "../request/lowering.ts"
import { isBlank, inTags } from "../request/runtime-words.ts"
import { hostedBlock } from "../request/sized-block.ts"
import type { EntryPart, PartOf } from "../segments.ts"
import type { Block } from "../wire.ts"
import * as shape from "./block-shape.ts"

export interface EntryBlocks {
  readonly blocks: readonly Block[]
  /** Only for a system entry: its form in the provider's own role. */
  readonly native: Block | null
}

/** What an entry says, by the tag of whom it is for: only an answer's reasoning depends on it. */
export const lowerSaid = makeLowering<EntryBlocks, string>({
  idOf: (tag, kind) => (kind === "assistant" ? tag : ""),
  user: (words, images, segment) => ({ blocks: userBlocks(words, images, formsIn(segment)), native: null }),
  runtime: (words, segment, _, kind) => ({
    blocks: [shape.textBlock(segment, "user", words, kind)],
    native: null,
  }),
  system: (text, segment) => ({
    blocks: [shape.textBlock(segment, "user", inTags("context-update", text), "system")],
    native: shape.textBlock(segment, "system", text, "system"),
  }),
  answer: (parts, segment, tag) => ({ blocks: answerBlocks(parts, segment, tag), native: null }),
  nothing: { blocks: [], native: null },
})

const formsIn = (segment: SegmentName): UserForms => ({
  image: (media) => shape.imageBlock(segment, media),
  words: (text, kind) => shape.textBlock(segment, "user", text, kind),
})

function answerBlocks(parts: readonly EntryPart[], segment: SegmentName, tag: string): readonly Block[] {
  const said = withoutLoneHosted(parts, tag, sideOf).flatMap((part) => {
    const block = partBlock(part, segment, tag)
    return block === null ? [] : [block]
  })
  const end = said.findLastIndex((block) => block.kind !== "reasoning") + 1
  const result = (call: PartOf<"call">) => shape.resultBlock(segment, call)
  return [...said.slice(0, end), ...resultBlocks(parts, result, formsIn(segment), shape.imagesBehindResult)]
}

function sideOf(opaque: Json): HostedSide | null {
  const { id, tool_use_id: of } = fieldsOf(opaque)
  return of === undefined ? { id: textOf(id), side: "does" } : { id: textOf(of), side: "tells" }
}

function partBlock(part: EntryPart, segment: SegmentName, tag: string): Block | null {
  if (part.type === "call") return shape.callBlock(segment, part.call, part.name, part.input)
  if (part.type === "text") return isBlank(part.text) ? null : answerText(part, segment, tag)
  if (part.type === "hosted") {
    const hosted = shape.isHosted(fieldsOf(part.native.opaque)["type"])
    return hosted ? hostedBlock(segment, part.native.opaque, tag) : null
  }
  if (part.native === null) return null
  if (!isNativeTo(part.native, tag))
    return isBlank(part.text) ? null : shape.textBlock(segment, "assistant", part.text)
  const opaque = shape.thinkingOpaque(part.native.opaque)
  return opaque === null ? null : shape.thinkingBlock(segment, opaque, tag)
}

function answerText({ text, native }: PartOf<"text">, segment: SegmentName, tag: string): Block {
  const citations = isNativeTo(native, tag) ? shape.citationsOf(native.opaque) : []
  return citations.length === 0
    ? shape.textBlock(segment, "assistant", text)
    : shape.citedTextBlock(segment, text, citations, tag)
}
