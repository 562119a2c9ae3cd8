/**
 * One entry of history as content blocks, made once for as long as the entry object lives.
 *
 *   LL2  The wire has no role for instructions in time: they are wrapped on the user's side.
 *   LL4  Signed reasoning is repeated exactly to the target that signed it; to any other its visible
 *        text becomes ordinary text. Without native data it was cut, and is not repeated at all.
 *   LL9  What the provider's own tool did goes with what came of it, or not at all.
 *   TU4  Reasoning behind the last text or call led to nothing and is left out.
 */
import type { SegmentName } from "@holdfast/schema/turn"
import { isNativeTo, makeLowering, resultBlocks, userBlocks, withoutLoneHosted } from "../request/lowering.ts"
import type { UserForms } from "../request/lowering.ts"
import { isBlank } from "../request/runtime-words.ts"
import { hostedBlock } from "../request/sized-block.ts"
import type { EntryPart } from "../segments.ts"
import type { Block } from "../wire.ts"
import * as shape from "./block-shape.ts"
import type { ConverseFamily } from "./families.ts"
import { hostedSide, repeatable } from "./native.ts"

/** What decides how entries are written. */
export interface EntryKey {
  readonly tag: string
  readonly family: ConverseFamily
}

export const lowerSaid = makeLowering<readonly Block[], EntryKey>({
  idOf: ({ tag, family }, kind) => (kind === "assistant" ? `${family.name} ${tag}` : family.name),
  user: (words, images, segment, { family }) => userBlocks(words, images, formsIn(segment, family)),
  runtime: (words, segment, { family }, kind) => [shape.textBlock(segment, "user", words, family, kind)],
  answer: answerBlocks,
  nothing: [],
})

const formsIn = (segment: SegmentName, family: ConverseFamily): UserForms => ({
  image: (media) => shape.imageBlock(segment, media, family),
  words: (text, kind) => shape.textBlock(segment, "user", text, family, kind),
})

function answerBlocks(parts: readonly EntryPart[], segment: SegmentName, key: EntryKey): readonly Block[] {
  const said = withoutLoneHosted(parts, key.tag, hostedSide).flatMap((part) => partBlocks(part, segment, key))
  const end = said.findLastIndex((block) => block.kind !== "reasoning") + 1
  const { family } = key
  const results = resultBlocks(
    parts,
    (call) => shape.resultBlock(segment, call, family),
    formsIn(segment, family),
    (call) => shape.imagesBehindResult(call, family),
  )
  return [...said.slice(0, end), ...results]
}

function partBlocks(part: EntryPart, segment: SegmentName, { tag, family }: EntryKey): readonly Block[] {
  switch (part.type) {
    case "call":
      return [shape.callBlock(segment, part, family)]
    case "text":
      return isBlank(part.text) ? [] : [shape.textBlock(segment, "assistant", part.text, family)]
    case "hosted":
      return [hostedBlock(segment, part.native.opaque, tag)]
    case "reasoning": {
      if (part.native === null) return []
      if (!isNativeTo(part.native, tag)) {
        return isBlank(part.text) ? [] : [shape.textBlock(segment, "assistant", part.text, family)]
      }
      const opaque = repeatable(part.native.opaque)
      return opaque === null ? [] : [shape.reasoningBlock(segment, opaque, tag)]
    }
  }
}
