/**
 * Segments to blocks, in the order in which the provider renders a prompt (TU1, LL1).
 *
 * A request that extends another gives a block list that extends the other's: each block follows
 * from its entry and from what stands before it. The one exception is a system entry that ended a
 * request which got no answer and is now followed by more input: the provider's own role is
 * illegal there, so it takes its fallback form (LL2).
 *
 * Consecutive blocks of one role become one message only when the body is written, so grouping
 * never changes a block.
 */
import { encodedOf } from "../blocks.ts"
import { anthropicImages } from "../image/rules.ts"
import { seenBy } from "../image/sight.ts"
import { makeHead } from "../request/head.ts"
import { replayTag } from "../request/lowering.ts"
import { leadsWithReasoning } from "../request/reasoning-lead.ts"
import type { Segments, Target } from "../segments.ts"
import type { Block, Encoded } from "../wire.ts"
import { textBlock, toolBlock } from "./block-shape.ts"
import { type EntryBlocks, lowerSaid } from "./entry.ts"
import { paramsOf } from "./params.ts"

export function encode(segments: Segments, target: Target): Encoded {
  const said = lowerSaid(seenBy(target, anthropicImages, segments), replayTag(target)).filter(
    ({ blocks: own }) => own.length > 0,
  )
  const { strictTools, systemRole } = target.options.traits
  const { tools, prompts } = headBlocks(segments, target, strictTools === true, () =>
    said.some(({ blocks: own }) => own.some(({ kind }) => kind === "result")),
  )
  const blocks = [...tools, ...prompts]
  const messagesFrom = blocks.length
  appendSaid(blocks, said, systemRole === true)
  const leads = leadsWithReasoning(blocks, messagesFrom)
  return encodedOf(blocks, paramsOf(target, { leads, tools: tools.length > 0 }))
}

/** LL2: the native role follows user content and precedes an answer or the end. */
function appendSaid(blocks: Block[], said: readonly EntryBlocks[], systemRole: boolean): void {
  for (let i = 0; i < said.length; i++) {
    const { blocks: own, native } = said[i] as EntryBlocks
    const before = blocks.at(-1)?.role
    if (native !== null && systemRole && before === "user" && opensAnswer(said[i + 1])) {
      blocks.push(native)
      continue
    }
    for (const block of own) {
      // Two answers in a row become one message, in which only the first may bring thinking.
      if (before !== "assistant" || block.kind !== "reasoning") blocks.push(block)
    }
  }
}

const opensAnswer = (next: EntryBlocks | undefined): boolean =>
  next === undefined || next.blocks[0]?.role === "assistant"

const headBlocks = makeHead({
  tool: toolBlock,
  prompt: (segment, text) => textBlock(segment, null, text, "system"),
  hosted: { markable: true },
})
