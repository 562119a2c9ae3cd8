/** A block with its size: what a wire's shapes end in. */
import type { SegmentName } from "@holdfast/schema/turn"
import { makeBlock } from "../blocks.ts"
import {
  blockOverheadTokens,
  callOverheadTokens,
  type ContentClass,
  estimateTokens,
  imageTokens,
} from "../size.ts"
import type { Block } from "../wire.ts"
import type { MediaHole } from "./media-hole.ts"

/** `counted` is the part of the block that the provider counts; `native` the tag it is replayed to (LL4). */
export function sizedBlock(
  segment: SegmentName,
  role: Block["role"],
  json: string,
  counted: string,
  content: ContentClass,
  markable: boolean,
  native: string | null = null,
  holes: readonly MediaHole[] = [],
): Block {
  const overhead = content === "prose" ? blockOverheadTokens : callOverheadTokens
  const images = holes.reduce((sum, { media }) => sum + imageTokens(media), 0)
  const tokens = estimateTokens(Buffer.byteLength(counted), content) + overhead + images
  const block = { segment, role, json, tokens, markable, native }
  return makeBlock(holes.length === 0 ? block : { ...block, holes })
}
