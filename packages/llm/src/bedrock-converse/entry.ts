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
import { withoutLoneHosted } from "../request/hosted-tools.ts"
import { isNativeTo, makeLowering } from "../request/lowering.ts"
import { imagesBehind } from "../image/behind-results.ts"
import { isBlank, textOfNothing, wrap } from "../request/runtime-words.ts"
import type { Entry, EntryPart } from "../segments.ts"
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
import { type ConverseFamily, families } from "./families.ts"
import { hostedOpaque, repeatable } from "./native.ts"

/** What decides how entries are written. */
export interface EntryKey {
  readonly tag: string
  readonly family: ConverseFamily
}

export const entryKey = ({ tag, family }: EntryKey): string => JSON.stringify([tag, family.name])

export const lowerSaid = makeLowering<readonly Block[]>({
  lower: (entry, segment, key) => {
    const [tag, name] = JSON.parse(key) as [string, string]
    return lowerEntry(entry, segment, { tag, family: families[name] as ConverseFamily })
  },
  // Only an answer depends on whom it is for; the family stands last in the key.
  keyOf: (entry, key) => (entry.kind === "assistant" ? key : key.slice(key.lastIndexOf(","))),
})

function lowerEntry(entry: Entry, segment: SegmentName, key: EntryKey): readonly Block[] {
  const { family } = key
  switch (entry.kind) {
    case "user":
      return userBlocks(entry, segment, family)
    case "notice":
      return isBlank(entry.text)
        ? []
        : [textBlock(segment, "user", wrap("notice", entry.text), family, "notice")]
    case "system":
      return isBlank(entry.text)
        ? []
        : [textBlock(segment, "user", wrap("context-update", entry.text), family, "system")]
    case "assistant":
      return answerBlocks(entry.parts, segment, key)
  }
}

function userBlocks(
  { text, images = [] }: Extract<Entry, { kind: "user" }>,
  segment: SegmentName,
  family: ConverseFamily,
): readonly Block[] {
  const shown = images.map((media) => imageBlock(segment, media, family))
  if (isBlank(text) && shown.length > 0) return shown
  return [...shown, textBlock(segment, "user", isBlank(text) ? textOfNothing : text, family)]
}

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
  return [
    ...said.slice(0, end),
    ...results,
    ...shown,
    textBlock(segment, "user", behind.words, key.family, "notice"),
  ]
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
