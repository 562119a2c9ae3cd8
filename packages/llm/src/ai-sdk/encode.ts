/**
 * Segments to the blocks of an AI SDK call (TU1, LL1).
 *
 * The body is the call itself as JSON: settings, tools, prompt. It is hashed, rebuilt and shown like
 * that of any wire; what the model object makes of it on its way to a provider is not seen here.
 */
import { encodedOf } from "../blocks.ts"
import { listNamed } from "../request/body.ts"
import { makePlacing } from "../request/placing.ts"
import { aiSdkImages } from "../image/rules.ts"
import { seenBy } from "../image/sight.ts"
import { makeHead } from "../request/head.ts"
import { replayTag } from "../request/lowering.ts"
import type { Segments, Target } from "../segments.ts"
import type { Encoded } from "../wire.ts"
import { lowerSaid } from "./entry.ts"
import { systemBlock, toolBlock } from "./message-shape.ts"
import { paramsOf } from "./params.ts"

export function encode(segments: Segments, target: Target): Encoded {
  const key = { tag: replayTag(target), systemRole: target.options.traits.systemRole === true }
  const { tools, prompts } = headBlocks(segments, target, null)
  const blocks = [...tools, ...prompts]
  for (const said of lowerSaid(seenBy(target, aiSdkImages, segments), key)) blocks.push(...said)
  return encodedOf(blocks, paramsOf(target, tools.length > 0))
}

/** Nothing is marked: where a cache begins is for the model object to say. */
export const placing = makePlacing({
  encoder: "ai-sdk/1",
  layout: { tools: listNamed("tools"), messages: listNamed("prompt") },
})

const headBlocks = makeHead({
  tool: toolBlock,
  prompt: (segment, text) => systemBlock(segment, null, text),
})
