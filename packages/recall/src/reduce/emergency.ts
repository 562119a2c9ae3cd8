/**
 * The emergency drop: tool outputs go until the units of the window take no more than 30 % of what the
 * rest leaves of it (EG1).
 *
 * Everything counted is a stored size. What is not a unit (system, tools, answers, slots) is fixed mass.
 * Outputs that can be made again with little trouble go last, and the newest fifth of them stays.
 */
import { tokensOfUnits, type Unit } from "./units.ts"

export const emergencyUsage = 0.85
const keptShare = 0.3
/** Less is not worth a drop. */
const droppableTokensMin = 2_000
const reservedShare = 0.2

/** Groups in the order in which they go; what no group names goes first. */
const groups: readonly (readonly string[])[] = [
  ["edit", "write", "apply_patch", "grep", "glob"],
  ["read", "list", "skill"],
]

export interface Emergency {
  readonly inputTokens: number
  readonly workingTokens: number
  readonly units: readonly Unit[]
  /** What may be dropped at all, oldest first. */
  readonly free: readonly Unit[]
  /** What this pass drops already. */
  readonly chosen: ReadonlySet<Unit>
}

/** Oldest first within each group, and no more than needed. */
export function emergencyDrops({
  inputTokens,
  workingTokens,
  units,
  free,
  chosen,
}: Emergency): readonly Unit[] {
  const active = units.filter((unit) => !unit.dropped)
  const activeTokens = tokensOfUnits(active)
  const fixedTokens = Math.max(0, inputTokens - activeTokens)
  const target = fixedTokens + keptShare * Math.max(0, workingTokens - fixedTokens)
  const left = free.filter((unit) => !chosen.has(unit))
  let excess = inputTokens - target - tokensOfUnits([...chosen])
  const candidates = inOrder(active, left)
  if (excess <= 0 || tokensOfUnits(candidates) <= droppableTokensMin) return []
  const drops: Unit[] = []
  for (const unit of candidates) {
    if (excess <= 0) break
    drops.push(unit)
    excess -= unit.tokens
  }
  return drops
}

function inOrder(active: readonly Unit[], left: readonly Unit[]): readonly Unit[] {
  const of = (units: readonly Unit[], group: number) => units.filter((unit) => groupOf(unit) === group)
  return [-1, ...groups.keys()].flatMap((group) => {
    if (group === -1) return of(left, group)
    const all = of(active, group)
    const reserved = new Set(all.slice(all.length - Math.ceil(all.length * reservedShare)))
    return of(left, group).filter((unit) => !reserved.has(unit))
  })
}

/** -1 for other tools; what was said is in no group. */
const groupOf = ({ part }: Unit): number | null =>
  part === null ? null : groups.findIndex((names) => names.includes(part.name))
