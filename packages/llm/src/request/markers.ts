/**
 * Where cache markers go (LL5): the tail's end; the previous request's end, when too many blocks lie
 * between; the end of the History Delta; of the History Baseline; of the system text, which covers
 * the tools. What a wire takes decides how many of these there are.
 */
import type { RequestRecord, SegmentName } from "@holdfast/schema/turn"
import type { Lifetime, Lifetimes } from "../cache-lifetime.ts"
import type { Block } from "../wire.ts"

export interface MarkerPolicy {
  readonly markersMax: number
  /** Blocks that may lie between the previous end and the new one; null where there is no look-back. */
  readonly blocksBetweenMax: number | null
  /** False where the provider marks the newest message itself. */
  readonly tail: boolean
  /** What is recorded of every marker where nobody can ask how long it lives. */
  readonly lifetime?: string
}

/** In ascending order, each with its lifetime. */
export function chooseMarkers(
  blocks: readonly Block[],
  previousBlocks: number,
  policy: MarkerPolicy,
  lifetimes: Lifetimes,
): RequestRecord["markers"] {
  const { markersMax, blocksBetweenMax, tail, lifetime } = policy
  const end = markableBefore(blocks, blocks.length)
  const previousEnd = markableBefore(blocks, Math.min(previousBlocks, blocks.length))
  const far = blocksBetweenMax !== null && end - previousEnd - 1 > blocksBetweenMax
  const ends = segmentEnds(blocks)
  const endOf = (segment: SegmentName) => ends.get(segment) ?? -1
  const prompts = Math.max(endOf("system"), endOf("agent"))
  const candidates = [
    tail ? end : -1,
    tail && far ? previousEnd : -1,
    endOf("history-delta"),
    endOf("history-baseline"),
    prompts >= 0 ? prompts : endOf("tools"),
  ]
  const chosen = [...new Set(candidates.filter((position) => position >= 0))].slice(0, markersMax)
  return chosen
    .sort((a, b) => a - b)
    .map((block) => ({ block, lifetime: lifetime ?? lifetimeOf(blocks[block], lifetimes) }))
}

/**
 * What stands before the tail has its own. documented: what lives an hour must come before what lives
 * five minutes, so a long tail makes all before it long.
 */
const lifetimeOf = (block: Block | undefined, { standing, tail }: Lifetimes): Lifetime =>
  block?.segment === "tail" || tail === "1h" ? tail : standing

function markableBefore(blocks: readonly Block[], length: number): number {
  let at = length - 1
  while (at >= 0 && blocks[at]?.markable !== true) at -= 1
  return at
}

/** The last block of each segment that can carry a marker. */
function segmentEnds(blocks: readonly Block[]): ReadonlyMap<SegmentName, number> {
  const ends = new Map<SegmentName, number>()
  for (let i = 0; i < blocks.length; i++) {
    const block = blocks[i] as Block
    // The tail comes last and is long; its end is found from behind.
    if (block.segment === "tail") break
    if (block.markable) ends.set(block.segment, i)
  }
  return ends
}
