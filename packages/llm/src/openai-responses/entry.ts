/**
 * One entry of history as input items, made once for as long as the entry object lives.
 *
 *   LL2  A system entry is a developer message at its place in time, or wrapped on the user's side.
 *   LL4  Items of the target's own answers come back with their ids; an answer whose reasoning is not
 *        whole comes back without any, because ids are bound to each other.
 *   TU4  Reasoning that nothing followed led to nothing and is refused, so it is left out.
 */
import type { SegmentName } from "@holdfast/schema/turn"
import { textOf } from "../json-fields.ts"
import { isNativeTo, makeLowering, wrappedUpdate } from "../request/lowering.ts"
import { isBlank, textOfNothing } from "../request/runtime-words.ts"
import type { EntryPart } from "../segments.ts"
import type { Block } from "../wire.ts"
import { answerItem, callItem, nativeItem, resultItem, updateItem, userItem } from "./item-shape.ts"
import { callOpaque, hostedOpaque, reasoningOpaque, textOpaque } from "./native.ts"

export interface Item {
  readonly block: Block
  /** The provider's id inside the block, null if it has none. */
  readonly id: string | null
  /** The same without the id, for an id that was used before; null if it cannot be sent without. */
  readonly bare: Block | null
}

/** What decides how entries are written. */
export interface EntryKey {
  readonly tag: string
  /** Role of instructions in time; null where they are wrapped. */
  readonly updateRole: string | null
}

export const lowerSaid = makeLowering<readonly Item[], EntryKey>({
  idOf: ({ tag, updateRole }, kind) => (kind === "user" || kind === "notice" ? "" : `${updateRole} ${tag}`),
  // Images need no words beside them.
  user: ({ text, images = [] }, segment) => [
    plain(userItem(segment, isBlank(text) && images.length === 0 ? textOfNothing : text, images)),
  ],
  runtime: (words, segment) => [plain(userItem(segment, words))],
  system: (text, segment, { updateRole }) => [
    plain(
      updateRole === null ? userItem(segment, wrappedUpdate(text)) : updateItem(segment, text, updateRole),
    ),
  ],
  answer: (parts, segment, { tag }) => answerItems(parts, segment, tag),
  nothing: [],
})

function plain(block: Block): Item {
  return { block, id: null, bare: null }
}

function answerItems(parts: readonly EntryPart[], segment: SegmentName, tag: string): readonly Item[] {
  const bound = parts.every((part) => part.type !== "reasoning" || isWhole(part, tag))
  const said = parts.flatMap((part) => partItem(part, segment, tag, bound))
  const end = said.findLastIndex(({ block }) => !isReasoning(block)) + 1
  const results = parts.flatMap((part) => (part.type === "call" ? [plain(resultItem(segment, part))] : []))
  return [...said.slice(0, end), ...results]
}

const isWhole = (part: Extract<EntryPart, { type: "reasoning" }>, tag: string): boolean =>
  isNativeTo(part.native, tag) && reasoningOpaque(part.native.opaque) !== null

export const isReasoning = ({ json, native }: Block): boolean =>
  native !== null && json.startsWith('{"type":"reasoning"')

/** `bound`: ids may be named, since all reasoning of the answer comes back. */
function partItem(part: EntryPart, segment: SegmentName, tag: string, bound: boolean): readonly Item[] {
  switch (part.type) {
    case "text": {
      if (isBlank(part.text)) return []
      const opaque = isNativeTo(part.native, tag) ? textOpaque(part.native.opaque) : null
      const { id: _, ...unnamed } = opaque ?? {}
      const bare = answerItem(segment, part.text, Object.keys(unnamed).length === 0 ? null : unnamed, tag)
      if (!bound || opaque?.id === undefined) return [plain(bare)]
      return [{ block: answerItem(segment, part.text, opaque, tag), id: opaque.id, bare }]
    }
    case "call": {
      const opaque = isNativeTo(part.native, tag) ? callOpaque(part.native.opaque) : null
      const bare = callItem(segment, part, null, tag)
      if (!bound || opaque === null) return [plain(bare)]
      return [{ block: callItem(segment, part, opaque, tag), id: opaque.id, bare }]
    }
    case "reasoning": {
      if (part.native === null) return []
      if (!isNativeTo(part.native, tag)) {
        return isBlank(part.text) ? [] : [plain(answerItem(segment, part.text, null, tag))]
      }
      const opaque = reasoningOpaque(part.native.opaque)
      return opaque === null ? [] : [identified(nativeItem(segment, opaque, tag), opaque["id"])]
    }
    case "hosted": {
      const opaque = isNativeTo(part.native, tag) ? hostedOpaque(part.native.opaque) : null
      return opaque === null ? [] : [identified(nativeItem(segment, opaque, tag), opaque["id"])]
    }
  }
}

const identified = (block: Block, id: unknown): Item => ({ block, id: textOf(id) || null, bare: null })
