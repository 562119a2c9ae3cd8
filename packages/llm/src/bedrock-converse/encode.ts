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
import { keepHostedTools } from "../request/hosted-tools.ts"
import { keepPrompts, keepTools, replayTag } from "../request/lowering.ts"
import { toolsFor } from "../request/placeholder-tool.ts"
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
  const hosted = hostedBlocks(target.options)
  const variant = { family, strict: target.options.traits.strictTools === true }
  const tools = [
    ...toolsFor(segments, hosted, said, (own) => own).map((tool) => toolOnce(tool, variant)),
    ...hosted,
  ]
  const prompts = promptBlocks(segments, family)
  const blocks: Block[] = []
  blocks.push(...tools, ...prompts)
  for (const own of said) appendEntry(blocks, own)
  const leads = leadsWithReasoning(blocks, tools.length + prompts.length)
  return encodedOf(blocks, paramsOf(target, family, { leads, hasTools: tools.length > 0 }))
}

/** Two answers in a row become one message, in which only the first may bring reasoning. */
function appendEntry(blocks: Block[], own: readonly Block[]): void {
  const before = blocks.at(-1)?.role
  for (const block of own) if (before !== "assistant" || block.kind !== "reasoning") blocks.push(block)
}

const toolOnce = keepTools(
  (tool, { family, strict }: { readonly family: ConverseFamily; readonly strict: boolean }) =>
    toolBlock(tool, family, strict),
  ({ family, strict }) => `${family.name} ${strict}`,
)
const hostedBlocks = keepHostedTools(false)
const promptBlocks = keepPrompts(
  (segment, text, family: ConverseFamily) => textBlock(segment, null, text, family, "system"),
  ({ name }) => name,
)
