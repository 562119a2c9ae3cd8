/**
 * Segments to content blocks, in the order in which the provider renders a prompt (TU1, LL1).
 *
 * A request that extends another gives a block list that extends the other's: each block follows
 * from its entry and from what stands before it. Consecutive blocks of one role become one message
 * only when the body is written.
 */
import { placeholderTool } from "../anthropic-messages/encode.ts"
import { bedrockImages } from "../image/rules.ts"
import { seenBy } from "../image/sight.ts"
import { keepHostedTools } from "../request/hosted-tools.ts"
import { encodedAs, keepPrompts, keepTools, promptBlocks, replayTag } from "../request/lowering.ts"
import { leadsWithReasoning } from "../request/reasoning-lead.ts"
import type { Segments, Target, ToolDefinition } from "../segments.ts"
import type { Block, Encoded } from "../wire.ts"
import { isCall, isReasoning, isResult, textBlock, toolBlock } from "./block-shape.ts"
import { lowerSaid } from "./entry.ts"
import { type ConverseFamily, families, familyOf } from "./families.ts"
import { paramsOf } from "./params.ts"

export function encode(segments: Segments, target: Target): Encoded {
  const family = familyOf(target)
  const said = lowerSaid(seenBy(target, bedrockImages, segments), { tag: replayTag(target), family })
  const hosted = hostedBlocks(target.options)
  const strict = target.options.traits.strictTools === true
  const variant = `${family.name}${strict ? strictly : ""}`
  const tools = [...toolsOf(segments, said, hosted).map((tool) => toolOnce(tool, variant)), ...hosted]
  const prompts = promptBlocks(segments, (segment, text) => promptBlock(segment, text, family.name))
  const blocks: Block[] = []
  blocks.push(...tools, ...prompts)
  for (const own of said) appendEntry(blocks, own)
  const leads = leadsWithReasoning(blocks, tools.length + prompts.length, { isCall, isResult, isReasoning })
  return encodedAs(blocks, paramsOf(target, family, { leads, hasTools: tools.length > 0 }))
}

/** recorded: calls in history are refused where no tool is defined. */
function toolsOf(
  segments: Segments,
  said: readonly (readonly Block[])[],
  hosted: readonly Block[],
): readonly ToolDefinition[] {
  if (segments.tools.length > 0 || hosted.length > 0) return segments.tools
  return said.some((blocks) => blocks.some(isResult)) ? [placeholderTool] : []
}

/** Two answers in a row become one message, in which only the first may bring reasoning. */
function appendEntry(blocks: Block[], own: readonly Block[]): void {
  const before = blocks.at(-1)?.role
  for (const block of own) if (before !== "assistant" || !isReasoning(block)) blocks.push(block)
}

/** Ends a variant whose schemas are enforced. */
const strictly = " strict"

const toolOnce = keepTools((tool, variant) => {
  const strict = variant.endsWith(strictly)
  const name = strict ? variant.slice(0, -strictly.length) : variant
  return toolBlock(tool, families[name] as ConverseFamily, strict)
})
const hostedBlocks = keepHostedTools(false)
const promptBlock = keepPrompts((segment, text, name) =>
  textBlock(segment, null, text, families[name] as ConverseFamily),
)
