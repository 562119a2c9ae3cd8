/**
 * A finding: one thing that `holdfast doctor` tells, with what to do about it.
 *
 *   ok       as it should be
 *   warning  worth knowing; work goes on
 *   problem  work fails or may fail; the command exits with 1
 */
import { count } from "../figures.ts"

export type Level = "ok" | "warning" | "problem"

export interface Finding {
  readonly level: Level
  /** Stable, for programs. */
  readonly code: string
  readonly text: string
  /** What to do, where there is something to do. */
  readonly remedy: string | null
}

/** Findings of one kind that are told one by one; the rest is counted. */
const listedMax = 10

export const ok = (code: string, text: string): Finding => ({ level: "ok", code, text, remedy: null })
export const warning = (code: string, text: string, remedy: string | null): Finding => ({
  level: "warning",
  code,
  text,
  remedy,
})
export const problem = (code: string, text: string, remedy: string | null): Finding => ({
  level: "problem",
  code,
  text,
  remedy,
})

/** At most `listedMax` findings, then one that counts the rest. */
export function listed<A>(items: readonly A[], find: (item: A) => Finding): readonly Finding[] {
  const first = items.slice(0, listedMax).map(find)
  const [sample] = first
  const more = items.length - first.length
  if (sample === undefined || more === 0) return first
  return [
    ...first,
    { ...sample, text: `and ${count(more)} more`, remedy: "holdfast doctor --json lists all of them." },
  ]
}
