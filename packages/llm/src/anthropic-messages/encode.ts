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
import type { SegmentName } from "@holdfast/schema/turn"
import { chainOf, emptyPrefixHash } from "../blocks.ts"
import { canonicalString } from "../canonical.ts"
import type { Entry, Segments, Target, ToolDefinition } from "../segments.ts"
import type { Block, Encoded } from "../wire.ts"
import { isBlank, textBlock, toolBlock } from "./block-shape.ts"
import { type EntryBlocks, entryBlocks, nativeTag } from "./entry.ts"

export function encode(segments: Segments, target: Target): Encoded {
  const tag = nativeTag(target)
  const blocks: Block[] = []
  const said = saidBlocks(segments, tag)
  for (const tool of toolsOf(segments, said)) blocks.push(toolBlockOnce(tool))
  if (!isBlank(segments.system)) blocks.push(promptBlock("system", segments.system))
  if (!isBlank(segments.agent)) blocks.push(promptBlock("agent", segments.agent))
  const messagesFrom = blocks.length
  appendSaid(blocks, said, target.options.systemRole)
  const chain = chainOf(blocks)
  return {
    blocks,
    params: paramsOf(target, blocks, messagesFrom),
    prefixHash: chain?.prefixHash ?? emptyPrefixHash,
    tokens: chain?.tokens ?? 0,
  }
}

/** Stands in for the tools when there are none but history holds calls, which would be refused. */
export const placeholderTool: ToolDefinition = {
  name: "no_tool_available",
  description: "No tool can be called in this turn. Answer in text.",
  inputSchema: { type: "object", properties: {} },
}

function saidBlocks(segments: Segments, tag: string): readonly EntryBlocks[] {
  const said: EntryBlocks[] = []
  const add = (entries: readonly Entry[], segment: SegmentName) => {
    for (const made of runOf(entries, segment, tag)) if (made.blocks.length > 0) said.push(made)
  }
  add(segments.historyBaseline, "history-baseline")
  add(segments.historyDelta, "history-delta")
  add(segments.tail, "tail")
  return said
}

/** The entries of one segment, as they were lowered last. */
interface Run {
  readonly entries: readonly Entry[]
  readonly segment: SegmentName
  readonly tag: string
  readonly made: readonly EntryBlocks[]
}

/** By the first entry: a segment mostly grows at its end, so one lookup finds nearly all of it. */
const runs = new WeakMap<Entry, Run>()

function runOf(entries: readonly Entry[], segment: SegmentName, tag: string): readonly EntryBlocks[] {
  const first = entries[0]
  if (first === undefined) return []
  const last = runs.get(first)
  let same = 0
  if (last !== undefined && last.segment === segment && last.tag === tag) {
    while (same < entries.length && last.entries[same] === entries[same]) same += 1
    if (same === entries.length && same === last.entries.length) return last.made
  }
  const made = last === undefined ? [] : last.made.slice(0, same)
  for (let i = same; i < entries.length; i++) made.push(entryBlocks(entries[i] as Entry, segment, tag))
  runs.set(first, { entries: [...entries], segment, tag, made })
  return made
}

function toolsOf(segments: Segments, said: readonly EntryBlocks[]): readonly ToolDefinition[] {
  if (segments.tools.length > 0) return segments.tools
  return said.some(({ blocks }) => blocks.some(isResult)) ? [placeholderTool] : []
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
      if (block.native === null || before !== "assistant") blocks.push(block)
    }
  }
}

const opensAnswer = (next: EntryBlocks | undefined): boolean =>
  next === undefined || next.blocks[0]?.role === "assistant"

/**
 * documented: with thinking on, the assistant turn that a tool loop continues must begin with
 * thinking, and a turn reaches back over the results given inside it. If it does not (the model
 * was changed, or an answer was cut), thinking is left out of this request.
 */
function leadsWithThinking(blocks: readonly Block[], from: number): boolean {
  let at = blocks.length - 1
  while (at >= from && blocks[at]?.role !== "assistant") at -= 1
  const last = at
  while (at >= from && blocks[at]?.role === "assistant") at -= 1
  if (!blocks.slice(at + 1, last + 1).some(isCall)) return true
  let start = at + 1
  while (at >= from) {
    const role = blocks[at]?.role
    while (at >= from && blocks[at]?.role === role) at -= 1
    const first = blocks[at + 1] as Block
    if (role === "assistant") start = at + 1
    else if (role === "user" && !isResult(first)) break
  }
  return blocks[start]?.native !== null
}

function paramsOf(target: Target, blocks: readonly Block[], messagesFrom: number): string {
  const { outputTokensMax, thinkingTokens } = target.options
  const thinking =
    thinkingTokens === null || !leadsWithThinking(blocks, messagesFrom)
      ? ""
      : `,"thinking":{"type":"enabled","budget_tokens":${thinkingTokens}}`
  return `{"model":${canonicalString(target.model)},"max_tokens":${outputTokensMax},"stream":true${thinking}}`
}

const isCall = (block: Block): boolean => block.json.startsWith('{"type":"tool_use"')
const isResult = (block: Block): boolean => block.json.startsWith('{"type":"tool_result"')

const toolBlocks = new WeakMap<ToolDefinition, Block>()

function toolBlockOnce(tool: ToolDefinition): Block {
  let block = toolBlocks.get(tool)
  if (block === undefined) toolBlocks.set(tool, (block = toolBlock(tool)))
  return block
}

/** Prompts kept of each kind: one is in use per Epoch and agent. */
const promptsMax = 32
const promptBlocks = { system: new Map<string, Block>(), agent: new Map<string, Block>() }

function promptBlock(segment: "system" | "agent", text: string): Block {
  const known = promptBlocks[segment]
  let block = known.get(text)
  if (block !== undefined) return block
  if (known.size >= promptsMax) known.clear()
  known.set(text, (block = textBlock(segment, null, text)))
  return block
}
