/**
 * Segments to parts, in the order in which the provider renders a prompt (TU1, LL1).
 *
 * A request that extends another gives a block list that extends the other's: each part follows from
 * its entry alone. Consecutive parts of one role become one content only when the body is written.
 */
import { encodedOf } from "../blocks.ts"
import { geminiImages } from "../image/rules.ts"
import { seenBy } from "../image/sight.ts"
import { makeHead } from "../request/head.ts"
import { replayTag } from "../request/lowering.ts"
import type { Segments, Target } from "../segments.ts"
import type { Encoded } from "../wire.ts"
import { lowerSaid } from "./entry.ts"
import { familyOf } from "./families.ts"
import { paramsOf } from "./params.ts"
import { textPart, toolBlock } from "./part-shape.ts"

export function encode(segments: Segments, target: Target): Encoded {
  const family = familyOf(target)
  const key = { tag: replayTag(target), wantsSignatures: family.wantsSignatures }
  const { tools, prompts } = headBlocks(segments, target, null)
  const blocks = [...tools, ...prompts]
  for (const said of lowerSaid(seenBy(target, geminiImages, segments), key))
    for (const block of said) blocks.push(block)
  return encodedOf(blocks, paramsOf(target, family, segments.tools.length > 0))
}

const headBlocks = makeHead({
  tool: toolBlock,
  prompt: (segment, text) => textPart(segment, null, text, "system"),
  hosted: { markable: false },
})
