/**
 * Breaks: what a request repeats of the previous one, and why not more (TU7).
 *
 * A request that extends the previous one has no break. Any other has a first changed block, the
 * segment it stands in, and a reason drawn from what changed. "unexplained" would be
 * a defect of ours; the simulation fails on it. A previous request that another version of an encoder
 * wrote, or that the log no longer tells, is not known block by block.
 */
import type { Block } from "@holdfast/llm/wire"
import { type Break, SegmentName } from "@holdfast/schema/turn"

export interface BreakCauses {
  readonly modelChanged: boolean
  readonly toolsChanged: boolean
  readonly optionsChanged: boolean
  /** The same options gave other settings: what may be asked for depends on where a tool loop began. */
  readonly paramsChanged: boolean
  readonly epochCause: string | null
  /** Why this pass cuts or names what was shown, if it does. */
  readonly cut: string | null
  /** What else this pass does by itself, if it does. */
  readonly work: string | null
  /** A message was taken out since the last request (LL7). */
  readonly quarantined: boolean
  /** Reason of a break that a turn in between had and never sent. */
  readonly unsent: string | null
  /** Why the blocks of the previous request are not known; null where they are, or there was none. */
  readonly unknown: string | null
}

export function describeBreak(
  previous: readonly Block[] | null,
  current: readonly Block[],
  causes: BreakCauses,
): Break | null {
  // What cannot be compared counts as a break from the first block on.
  if (previous === null) {
    const segment = current[0]?.segment ?? "params"
    return causes.unknown === null ? null : { block: 0, segment, reason: breakReason(causes) }
  }
  const block = firstDifference(previous, current)
  if (block === null) {
    if (!causes.modelChanged && !causes.optionsChanged && !causes.paramsChanged) return null
    return { block: 0, segment: "params", reason: breakReason(causes) }
  }
  const segment = segmentOf(previous[block], current[block])
  // A system role stands only before an answer: without one, more input turns it into plain text.
  const moved = previous[block]?.role === "system" && current[block]?.role !== "system"
  return { block, segment, reason: moved ? "system_role_unanswered" : breakReason(causes) }
}

/** Whether a segment says the same in both requests, wherever it stands. */
export function sameSegment(
  previous: readonly Block[],
  current: readonly Block[],
  segment: SegmentName,
): boolean {
  const hashes = (blocks: readonly Block[]) =>
    blocks.flatMap((block) => (block.segment === segment ? [block.hash] : []))
  return hashes(previous).join() === hashes(current).join()
}

/** The earlier one has changed: where the last tool went, the tools did, not what now stands there. */
function segmentOf(previous: Block | undefined, current: Block | undefined): SegmentName {
  const changed = [previous?.segment, current?.segment]
  return SegmentName.literals.find((segment) => changed.includes(segment)) ?? "tail"
}

/** What nothing explains is a defect of ours, unless it changed in a turn that never sent its request. */
const unexplained = "unexplained"

/** Index of the first block of the earlier request that the later one does not repeat. */
function firstDifference(earlier: readonly Block[], later: readonly Block[]): number | null {
  for (let at = 0; at < earlier.length; at++) {
    if (earlier[at] !== later[at] && earlier[at]?.hash !== later[at]?.hash) return at
  }
  return null
}

/** The one reason of a break, from what changed. */
export function breakReason(causes: BreakCauses): string {
  if (causes.modelChanged) return "model_changed"
  if (causes.toolsChanged) return "tools_changed"
  if (causes.cut !== null) return `cut_${causes.cut}`
  if (causes.epochCause !== null) return `epoch_${causes.epochCause}`
  if (causes.quarantined) return "quarantine"
  if (causes.optionsChanged) return "options_changed"
  if (causes.paramsChanged) return "params_changed"
  return causes.work ?? causes.unknown ?? causes.unsent ?? unexplained
}
