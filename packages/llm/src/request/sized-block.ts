/** A block with its size: what a wire's shapes end in. */
import type { SegmentName } from "@holdfast/schema/turn"
import { makeBlock } from "../blocks.ts"
import { blockOverheadTokens, callOverheadTokens, type ContentClass, estimateTokens } from "../size.ts"
import type { Block } from "../wire.ts"

/** `counted` is the part of the block that the provider counts; `native` the tag it is replayed to (LL4). */
export function sizedBlock(
  segment: SegmentName,
  role: Block["role"],
  json: string,
  counted: string,
  content: ContentClass,
  markable: boolean,
  native: string | null = null,
): Block {
  const overhead = content === "prose" ? blockOverheadTokens : callOverheadTokens
  const tokens = estimateTokens(Buffer.byteLength(counted), content) + overhead
  return makeBlock({ segment, role, json, tokens, markable, native })
}
