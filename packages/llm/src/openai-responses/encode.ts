/**
 * Segments to input items, in the order in which the provider renders a prompt (TU1, LL1).
 *
 * A request that extends another gives a block list that extends the other's: each item follows
 * from its entry and from what stands before it.
 */
import { encodedOf } from "../blocks.ts"
import { cacheKeyOf } from "../request/cache-key.ts"
import { openaiImages } from "../image/rules.ts"
import { seenBy } from "../image/sight.ts"
import { makeHead } from "../request/head.ts"
import { replayTag } from "../request/lowering.ts"
import type { Segments, Target } from "../segments.ts"
import type { Block, Encoded } from "../wire.ts"
import { type Item, lowerSaid } from "./entry.ts"
import { promptItem, toolItem } from "./item-shape.ts"
import { paramsOf } from "./params.ts"

/** documented: the role of instructions, at the beginning and in between. */
const instructionRole = "developer"

export function encode(segments: Segments, target: Target): Encoded {
  const { traits } = target.options
  const updateRole = traits.systemRole === false ? null : instructionRole
  const { tools, prompts } = headBlocks(segments, target, traits.strictTools === true)
  const blocks = [...tools, ...prompts]
  const seen = seenBy(target, openaiImages, segments)
  appendSaid(blocks, lowerSaid(seen, { tag: replayTag(target), updateRole }))
  const cacheKey = cacheKeyOf(target, blocks, segments.conversation)
  const functions = segments.tools.map(({ name }) => name)
  return encodedOf(blocks, paramsOf(target, cacheKey, tools.length > 0, functions))
}

/** documented: an id names one item; what names itself again comes without it, or not at all. */
function appendSaid(blocks: Block[], said: readonly (readonly Item[])[]): void {
  const seen = new Set<string>()
  for (const items of said) {
    for (const { block, id, bare } of items) {
      const again = id !== null && seen.has(id)
      if (id !== null) seen.add(id)
      const chosen = again ? bare : block
      if (chosen !== null) blocks.push(chosen)
    }
    // What reasoning led to may have named itself before; alone it is refused.
    while (blocks.at(-1)?.kind === "reasoning") blocks.pop()
  }
}

const headBlocks = makeHead({
  tool: toolItem,
  prompt: (segment, text) => promptItem(segment, text, instructionRole),
  hosted: { markable: false },
})
