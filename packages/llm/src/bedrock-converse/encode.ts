/**
 * Segments to content blocks, in the order in which the provider renders a prompt (TU1, LL1).
 *
 * A request that extends another gives a block list that extends the other's: each block follows
 * from its entry and from what stands before it. Consecutive blocks of one role become one message
 * only when the body is written.
 */
import { encodedOf } from "../blocks.ts"
import { bedrockImages } from "../image/rules.ts"
import { seenBy } from "../image/sight.ts"
import { makeHead } from "../request/head.ts"
import { replayTag } from "../request/lowering.ts"
import { leadsWithReasoning } from "../request/reasoning-lead.ts"
import type { Segments, Target } from "../segments.ts"
import type { Block, Encoded } from "../wire.ts"
import { textBlock, toolBlock } from "./block-shape.ts"
import { lowerSaid } from "./entry.ts"
import { type ConverseFamily, familyOf } from "./families.ts"
import { paramsOf } from "./params.ts"

export function encode(segments: Segments, target: Target): Encoded {
  const family = familyOf(target)
  const said = lowerSaid(seenBy(target, bedrockImages, segments), { tag: replayTag(target), family })
  const by = { family, strict: target.options.traits.strictTools === true }
  const { tools, prompts } = headBlocks(segments, target, by, () =>
    said.some((own) => own.some(({ kind }) => kind === "result")),
  )
  const blocks = [...tools, ...prompts]
  for (const own of said) appendEntry(blocks, own)
  const leads = leadsWithReasoning(blocks, tools.length + prompts.length)
  return encodedOf(blocks, paramsOf(target, family, { leads, hasTools: tools.length > 0 }))
}

/** Two answers in a row become one message, in which only the first may bring reasoning. */
function appendEntry(blocks: Block[], own: readonly Block[]): void {
  const before = blocks.at(-1)?.role
  for (const block of own) if (before !== "assistant" || block.kind !== "reasoning") blocks.push(block)
}

const headBlocks = makeHead<{ readonly family: ConverseFamily; readonly strict: boolean }>({
  tool: (tool, { family, strict }) => toolBlock(tool, family, strict),
  prompt: (segment, text, { family }) => textBlock(segment, null, text, family, "system"),
  idOf: ({ family, strict }) => `${family.name} ${strict}`,
  hosted: { markable: false },
})
