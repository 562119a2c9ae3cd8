/**
 * Window: what a Session would send of its history now, segment by segment.
 *
 * Pending input and a fresh look at the sources are not in it: they enter at the next boundary.
 * Tokens are estimates, the same that the size gate uses.
 */
import type { SegmentName } from "@holdfast/schema/turn"
import { encodeState, type Selection } from "./request.ts"
import type { SessionState } from "./state.ts"

export interface WindowSegment {
  readonly name: SegmentName
  readonly blocks: number
  readonly tokens: number
}

export function describeWindow(state: SessionState, selection: Selection): readonly WindowSegment[] {
  const segments = new Map<SegmentName, WindowSegment>()
  for (const { segment: name, tokens } of encodeState(state, selection).blocks) {
    const sum = segments.get(name) ?? { name, blocks: 0, tokens: 0 }
    segments.set(name, { name, blocks: sum.blocks + 1, tokens: sum.tokens + tokens })
  }
  return [...segments.values()]
}
