/** Drops that nobody asked for: calls that were made again, and outputs that an earlier execute had seen (MD2). */
import type { Json } from "@holdfast/schema/json"
import type { Unit } from "./units.ts"

/** `executedSeq`: outputs that were there by then may go; 0 where none may. */
export function heuristicDrops(
  units: readonly Unit[],
  free: readonly Unit[],
  executedSeq: number,
): readonly Unit[] {
  const newest = new Map<string, Unit>()
  for (const unit of units) {
    const key = callKey(unit)
    if (key !== null && !unit.dropped) newest.set(key, unit)
  }
  return free.filter((unit) => {
    const key = callKey(unit)
    return key !== null && (newest.get(key) !== unit || unit.tag <= executedSeq)
  })
}

/** The order of members says nothing about what is asked for. */
const callKey = ({ part }: Unit): string | null =>
  part === null ? null : `${part.name} ${JSON.stringify(part.input, sorted)}`

const sorted = (_key: string, value: Json): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value
