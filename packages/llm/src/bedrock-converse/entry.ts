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
import { isNativeTo, makeLowering, userBlocks, withoutLoneHosted } from "../request/lowering.ts"
import { imagesBehind } from "../image/behind-results.ts"
import { isBlank } from "../request/runtime-words.ts"
import type { EntryPart } from "../segments.ts"
import type { Block } from "../wire.ts"
import {
  callBlock,
  hostedBlock,
  imageBlock,
  imagesBehindResult,
  reasoningBlock,
  resultBlock,
  textBlock,
} from "./block-shape.ts"
import type { ConverseFamily } from "./families.ts"
import { hostedOpaque, repeatable } from "./native.ts"

/** What decides how entries are written. */
export interface EntryKey {
  readonly tag: string
  readonly family: ConverseFamily
}

export const lowerSaid = makeLowering<readonly Block[], EntryKey>({
  idOf: ({ tag, family }, kind) => (kind === "assistant" ? `${family.name} ${tag}` : family.name),
  user: (entry, segment, { family }) =>
    userBlocks(
      entry,
      (media) => imageBlock(segment, media, family),
      (words) => textBlock(segment, "user", words, family),
    ),
  runtime: (words, segment, { family }, kind) => [textBlock(segment, "user", words, family, kind)],
  answer: answerBlocks,
  nothing: [],
})

function answerBlocks(parts: readonly EntryPart[], segment: SegmentName, key: EntryKey): readonly Block[] {
  const said = withoutLoneHosted(parts, key.tag, hostedOpaque).flatMap((part) =>
    partBlocks(part, segment, key),
  )
  const end = said.findLastIndex((block) => block.kind !== "reasoning") + 1
  const results = parts.flatMap((part) =>
    part.type === "call" ? [resultBlock(segment, part, key.family)] : [],
  )
  const behind = imagesBehind(parts, (call) => imagesBehindResult(call, key.family))
  if (behind === null) return [...said.slice(0, end), ...results]
  const shown = behind.images.map((media) => imageBlock(segment, media, key.family))
  const words = textBlock(segment, "user", behind.words, key.family, "notice")
  return [...said.slice(0, end), ...results, ...shown, words]
}

function partBlocks(part: EntryPart, segment: SegmentName, { tag, family }: EntryKey): readonly Block[] {
  switch (part.type) {
    case "call":
      return [callBlock(segment, part, family)]
    case "text":
      return isBlank(part.text) ? [] : [textBlock(segment, "assistant", part.text, family)]
    case "hosted":
      return [hostedBlock(segment, part.native.opaque, tag)]
    case "reasoning": {
      if (part.native === null) return []
      if (!isNativeTo(part.native, tag)) {
        return isBlank(part.text) ? [] : [textBlock(segment, "assistant", part.text, family)]
      }
      const opaque = repeatable(part.native.opaque)
      return opaque === null ? [] : [reasoningBlock(segment, opaque, tag)]
    }
  }
}
