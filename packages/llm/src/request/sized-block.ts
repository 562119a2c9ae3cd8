/** A block with its size: what a wire's shapes end in. */
import type { Json } from "@holdfast/schema/json"
import type { BlockKind } from "@holdfast/schema/planned-request"
import type { SegmentName } from "@holdfast/schema/turn"
import { makeBlock } from "../blocks.ts"
import { canonicalJson } from "../canonical.ts"
import { blockOverheadTokens, callOverheadTokens, estimateTokens, imageTokens } from "../size.ts"
import type { ContentClass } from "../size.ts"
import type { Block } from "../wire.ts"
import type { MediaHole } from "./media-hole.ts"

export interface BlockFacts {
  /** The part of the block that the provider counts; all of it if left out. */
  readonly counted?: string
  /** What is counted, if it is not what blocks of the kind mostly are. */
  readonly content?: ContentClass
  readonly markable?: boolean
  /** The tag that it is replayed to (LL4). */
  readonly native?: string | null
  /** The call that it belongs to. */
  readonly unit?: string | null
  readonly holes?: readonly MediaHole[]
}

export function sizedBlock(
  segment: SegmentName,
  role: Block["role"],
  kind: BlockKind,
  json: string,
  facts: BlockFacts = {},
): Block {
  const { counted = json, content = contentOf[kind], markable = false } = facts
  const { native = null, unit = null, holes = [] } = facts
  const overhead = content === "prose" ? blockOverheadTokens : callOverheadTokens
  const images = holes.reduce((sum, { media }) => sum + imageTokens(media), 0)
  const tokens = estimateTokens(Buffer.byteLength(counted), content) + overhead + images
  const block = { segment, role, kind, unit, json, tokens, markable, native }
  return makeBlock(holes.length === 0 ? block : { ...block, holes })
}

/** LL8: what the provider's own tool did, as the provider said it. */
export const hostedBlock = (segment: SegmentName, opaque: Json, native: string): Block =>
  sizedBlock(segment, "assistant", "hosted", canonicalJson(opaque), { native })

/** What a block of these calls belongs to: one that holds several belongs to none of them. */
export const onlyCall = (calls: readonly string[]): string | null =>
  calls.length === 1 ? (calls[0] as string) : null

const contentOf: Readonly<Record<BlockKind, ContentClass>> = {
  tool: "json",
  system: "prose",
  text: "prose",
  notice: "prose",
  image: "prose",
  reasoning: "prose",
  call: "json",
  result: "output",
  hosted: "opaque",
}
