/**
 * Boundary moves that wait (MK2): each is raised in the commit that publishes a history (HI5), names the compartments
 * that it goes behind, and ends with the break that takes it.
 *
 *   its compartments still stand, the boundary gets there ──▶ applied
 *   the boundary was there before                         ──▶ already
 *   its compartments were replaced or withdrawn           ──▶ stale, with the reason
 *
 * All else waits on. What is below the boundary leaves the window, so that the move is also the drop of every unit that
 * the history covers.
 */
import type { FactOf } from "@holdfast/schema/event"
import type { SignalRaised } from "@holdfast/schema/fact/recall"
import type { SignalId } from "@holdfast/schema/id"
import type { KnownHistory, Published } from "./publish.ts"

export type MoveEnd = NonNullable<FactOf<"pass.applied">["moves"]>[number]

interface MoveDetail {
  readonly below: number
  readonly compartments: readonly string[]
}

export function moveBehind({ toSeq, compartments }: Published, signal: SignalId): FactOf<"signal.raised"> {
  const detail: MoveDetail = { below: toSeq + 1, compartments: compartments.map(({ id }) => id) }
  return { type: "signal.raised", signal, kind: "move", detail: { ...detail } }
}

/** `from` is the boundary before the pass, `to` behind it. */
export function endMoves(
  signals: readonly SignalRaised[],
  { compartments }: Pick<KnownHistory, "compartments">,
  from: number,
  to: number,
): readonly MoveEnd[] {
  const standing = new Set(compartments.map(({ id }) => id))
  return signals.flatMap(({ kind, signal, detail }): readonly MoveEnd[] => {
    if (kind !== "move") return []
    const { below = 0, compartments: named = [] } = detail as unknown as Partial<MoveDetail>
    if (from >= below) return [{ signal, outcome: "already", reason: null }]
    const gone = named.filter((id) => !standing.has(id))
    if (gone.length > 0)
      return [
        {
          signal,
          outcome: "stale",
          reason: `${gone.join(", ")} ${gone.length === 1 ? "stands" : "stand"} no more`,
        },
      ]
    return to >= below ? [{ signal, outcome: "applied", reason: null }] : []
  })
}
