/**
 * One entry of history as blocks, made once for as long as the entry object lives.
 *
 *   LL2  A system entry has two forms; which one is legal depends on its neighbours, so both are
 *        made here and `encode` chooses.
 *   LL4  Reasoning is repeated exactly to the target that signed it. To any other its visible text
 *        becomes ordinary text. Without native data it was cut, and is not repeated at all.
 *   TU4  An answer that ends in thinking led to nothing and is refused by the provider, so
 *        thinking behind the last text or call is left out.
 */
import type { SegmentName } from "@holdfast/schema/turn"
import type { Entry, EntryPart, Target } from "../segments.ts"
import type { Block } from "../wire.ts"
import {
  callBlock,
  isBlank,
  resultBlock,
  textBlock,
  textOfNothing,
  thinkingBlock,
  thinkingOpaque,
} from "./block-shape.ts"

export interface EntryBlocks {
  readonly blocks: readonly Block[]
  /** Only for a system entry: its form in the provider's own role. */
  readonly native: Block | null
}

/** Places and targets for which one entry keeps its blocks: an old place is not needed again. */
const variantsMax = 2

interface Variant {
  readonly segment: SegmentName
  readonly tag: string
  readonly made: EntryBlocks
}

const cache = new WeakMap<Entry, readonly Variant[]>()

export function entryBlocks(entry: Entry, segment: SegmentName, tag: string): EntryBlocks {
  const variants = cache.get(entry) ?? []
  // Only an answer's reasoning depends on whom it is for.
  const own = entry.kind === "assistant" ? tag : ""
  for (const known of variants) if (known.segment === segment && known.tag === own) return known.made
  const made = lowerEntry(entry, segment, tag)
  cache.set(entry, [{ segment, tag: own, made }, ...variants].slice(0, variantsMax))
  return made
}

/** Whom native metadata belongs to. */
export const nativeTag = (of: Pick<Target, "provider" | "model" | "endpoint">): string =>
  JSON.stringify([of.provider, of.model, of.endpoint])

/** An entry as blocks, made anew. */
function lowerEntry(entry: Entry, segment: SegmentName, tag: string): EntryBlocks {
  switch (entry.kind) {
    case "user":
      return only(textBlock(segment, "user", isBlank(entry.text) ? textOfNothing : entry.text))
    case "notice":
      return isBlank(entry.text) ? nothing : only(textBlock(segment, "user", wrap("notice", entry.text)))
    case "system":
      if (isBlank(entry.text)) return nothing
      return {
        blocks: [textBlock(segment, "user", wrap("context-update", entry.text))],
        native: textBlock(segment, "system", entry.text),
      }
    case "assistant":
      return { blocks: answerBlocks(entry.parts, segment, tag), native: null }
  }
}

const nothing: EntryBlocks = { blocks: [], native: null }
const only = (block: Block): EntryBlocks => ({ blocks: [block], native: null })

/** The runtime's words on the user's side, in a tag that they cannot close (PR7). */
function wrap(tag: "notice" | "context-update", text: string): string {
  const inert = text.replaceAll(/<(?=\s*\/?\s*(?:notice|context-update)\b)/giu, "&lt;")
  return `<${tag} from="runtime">\n${inert}\n</${tag}>`
}

function answerBlocks(parts: readonly EntryPart[], segment: SegmentName, tag: string): readonly Block[] {
  const said = parts.flatMap((part) => {
    const block = partBlock(part, segment, tag)
    return block === null ? [] : [block]
  })
  const end = said.findLastIndex((block) => block.native === null) + 1
  const results = parts.flatMap((part) =>
    part.type === "call" ? [resultBlock(segment, part.call, part.result, part.failed)] : [],
  )
  return [...said.slice(0, end), ...results]
}

function partBlock(part: EntryPart, segment: SegmentName, tag: string): Block | null {
  if (part.type === "call") return callBlock(segment, part.call, part.name, part.input)
  if (part.type === "text") return isBlank(part.text) ? null : textBlock(segment, "assistant", part.text)
  if (part.native === null) return null
  if (nativeTag(part.native) !== tag)
    return isBlank(part.text) ? null : textBlock(segment, "assistant", part.text)
  const opaque = thinkingOpaque(part.native.opaque)
  return opaque === null ? null : thinkingBlock(segment, opaque, tag)
}
