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
import { moveBlock } from "../blocks.ts"
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

/** Segments and targets for which one entry keeps its blocks. */
const variantsMax = 6

const cache = new WeakMap<Entry, Map<string, EntryBlocks>>()

export function entryBlocks(entry: Entry, segment: SegmentName, tag: string): EntryBlocks {
  let variants = cache.get(entry)
  // Only an answer's reasoning depends on whom it is for.
  const key = entry.kind === "assistant" ? `${segment}\n${tag}` : segment
  const known = variants?.get(key)
  if (known !== undefined) return known
  const made = lowerEntry(entry, tag)
  const placed = {
    blocks: made.blocks.map((block) => moveBlock(block, segment)),
    native: made.native === null ? null : moveBlock(made.native, segment),
  }
  if (variants === undefined) cache.set(entry, (variants = new Map()))
  if (variants.size >= variantsMax) variants.clear()
  variants.set(key, placed)
  return placed
}

/** Whom native metadata belongs to. */
export const nativeTag = (of: Pick<Target, "provider" | "model" | "endpoint">): string =>
  JSON.stringify([of.provider, of.model, of.endpoint])

/** An entry without any memory: what the cached path must agree with. */
export function lowerEntry(entry: Entry, tag: string): EntryBlocks {
  switch (entry.kind) {
    case "user":
      return only(textBlock("tail", "user", isBlank(entry.text) ? textOfNothing : entry.text))
    case "notice":
      return isBlank(entry.text) ? nothing : only(textBlock("tail", "user", wrap("notice", entry.text)))
    case "system":
      if (isBlank(entry.text)) return nothing
      return {
        blocks: [textBlock("tail", "user", wrap("context-update", entry.text))],
        native: textBlock("tail", "system", entry.text),
      }
    case "assistant":
      return { blocks: answerBlocks(entry.parts, tag), native: null }
  }
}

const nothing: EntryBlocks = { blocks: [], native: null }
const only = (block: Block): EntryBlocks => ({ blocks: [block], native: null })

/** The runtime's words on the user's side, in a tag that they cannot close (PR7). */
function wrap(tag: "notice" | "context-update", text: string): string {
  const inert = text.replaceAll(/<(?=\s*\/?\s*(?:notice|context-update)\b)/giu, "&lt;")
  return `<${tag} from="runtime">\n${inert}\n</${tag}>`
}

function answerBlocks(parts: readonly EntryPart[], tag: string): readonly Block[] {
  const said = parts.flatMap((part) => {
    const block = partBlock(part, tag)
    return block === null ? [] : [block]
  })
  const end = said.findLastIndex((block) => block.native === null) + 1
  const results = parts.flatMap((part) =>
    part.type === "call" ? [resultBlock("tail", part.call, part.result, part.failed)] : [],
  )
  return [...said.slice(0, end), ...results]
}

function partBlock(part: EntryPart, tag: string): Block | null {
  if (part.type === "call") return callBlock("tail", part.call, part.name, part.input)
  if (part.type === "text") return isBlank(part.text) ? null : textBlock("tail", "assistant", part.text)
  if (part.native === null) return null
  if (nativeTag(part.native) !== tag)
    return isBlank(part.text) ? null : textBlock("tail", "assistant", part.text)
  const opaque = thinkingOpaque(part.native.opaque)
  return opaque === null ? null : thinkingBlock("tail", opaque, tag)
}
