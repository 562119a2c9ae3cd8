/**
 * Ledger: what a request repeats of the previous one, and why not more (TU7).
 *
 * A request that extends the previous one has no break. Any other has a first changed block, the
 * segment it stands in, and a reason drawn from what the boundary decided. "unexplained" would be
 * a defect of ours; the simulation fails on it.
 */
import type { Block } from "@holdfast/llm/wire"
import type { Break, LedgerRow } from "@holdfast/schema/turn"

export interface BreakCauses {
  readonly modelChanged: boolean
  readonly toolsChanged: boolean
  readonly optionsChanged: boolean
  /** The same options gave other settings: what may be asked for depends on where a tool loop began. */
  readonly paramsChanged: boolean
  readonly epochCause: string | null
  readonly reduction: string | null
  /** A message was taken out since the last request (LL7). */
  readonly quarantined: boolean
}

export function describeBreak(
  previous: readonly Block[] | null,
  current: readonly Block[],
  causes: BreakCauses,
): Break | null {
  if (previous === null) return null
  const block = firstDifference(previous, current)
  if (block === null) {
    if (!causes.modelChanged && !causes.optionsChanged && !causes.paramsChanged) return null
    return { block: 0, segment: "params", reason: reasonOf(causes) }
  }
  const segment = current[block]?.segment ?? previous[block]?.segment ?? "tail"
  // A system role stands only before an answer: without one, more input turns it into plain text.
  const moved = previous[block]?.role === "system" && current[block]?.role !== "system"
  return { block, segment, reason: moved ? "system_role_unanswered" : reasonOf(causes) }
}

/**
 * The break of a request after a turn that sent nothing, as one that did not fit: it is compared
 * with the request before that, and what changed in between stands in that turn's ledger.
 */
export function explainByUnsent(
  found: Break | null,
  last: Pick<LedgerRow, "attempts" | "break"> | null,
): Break | null {
  const unsent = last === null || last.attempts.length > 0 ? null : last.break
  return found?.reason === unexplained && unsent !== null ? { ...found, reason: unsent.reason } : found
}

const unexplained = "unexplained"

/** Index of the first block of the earlier request that the later one does not repeat. */
function firstDifference(earlier: readonly Block[], later: readonly Block[]): number | null {
  for (let at = 0; at < earlier.length; at++) {
    if (earlier[at] !== later[at] && earlier[at]?.hash !== later[at]?.hash) return at
  }
  return null
}

function reasonOf(causes: BreakCauses): string {
  if (causes.modelChanged) return "model_changed"
  if (causes.toolsChanged) return "tools_changed"
  if (causes.epochCause !== null) return `epoch_${causes.epochCause}`
  if (causes.reduction !== null) return `reduction_${causes.reduction}`
  if (causes.quarantined) return "quarantine"
  if (causes.optionsChanged) return "options_changed"
  if (causes.paramsChanged) return "params_changed"
  return unexplained
}
