/**
 * Segments to messages, in the order in which a server renders a prompt (TU1, LL1).
 *
 * A request that extends another gives a block list that extends the other's: each message follows
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
import { lowerSaid } from "./entry.ts"
import { textMessage, toolBlock } from "./message-shape.ts"
import { paramsOf } from "./params.ts"
import { type ChatProfile, profileOf, updateRoleOf } from "./profiles.ts"

/** Stands between a result and a user's message where a server wants an answer there. */
export const bridgeText = "Understood."

export function encode(segments: Segments, target: Target): Encoded {
  const profile = profileOf(target)
  const by = { profile, strict: target.options.traits.strictTools === true }
  const { tools, prompts } = headBlocks(segments, target, by)
  const blocks = [...tools, ...prompts]
  const key = { tag: replayTag(target), profile, updateRole: updateRoleOf(profile, target) }
  const seen = seenBy(target, openaiImages, segments, profile.takesImages)
  const append = profile.answersResults ? appendBridged : appendAsSaid
  for (const said of lowerSaid(seen, key)) append(blocks, said)
  const cacheKey = cacheKeyOf(target, blocks, segments.conversation)
  return encodedOf(blocks, paramsOf(target, profile, cacheKey, tools.length > 0))
}

function appendAsSaid(blocks: Block[], said: readonly Block[]): void {
  for (const block of said) blocks.push(block)
}

function appendBridged(blocks: Block[], said: readonly Block[]): void {
  for (const block of said) {
    const before = blocks.at(-1)
    if (before !== undefined && isResult(before) && isInput(block)) blocks.push(bridge(block))
    blocks.push(block)
  }
}

const isResult = ({ kind }: Block): boolean => kind === "result"
const isInput = (block: Block): boolean => block.role !== "assistant" && !isResult(block)

const bridges = new WeakMap<Block, Block>()

/** One for each block behind it, so that the chain finds it again. */
function bridge(before: Block): Block {
  let block = bridges.get(before)
  if (block === undefined) {
    block = textMessage(before.segment, "assistant", "assistant", bridgeText, "notice")
    bridges.set(before, block)
  }
  return block
}

const headBlocks = makeHead<{ readonly profile: ChatProfile; readonly strict: boolean }>({
  tool: (tool, { profile, strict }) => toolBlock(tool, profile.schema, strict),
  prompt: (segment, text, { profile }) => textMessage(segment, null, profile.promptRole, text, "system"),
  idOf: ({ profile, strict }) => `${profile.name} ${strict}`,
})
