/** What failing jobs of the historian are to `health` and to `holdfast doctor`, by the records of Sessions (FA1). Pure. */
import type { Degradation } from "@holdfast/schema/health"
import type { HistorianJob } from "@holdfast/store/job"
import { timeoutCode } from "../jobs/verdict.ts"

export const historianPart = "historian"

/** Of its jobs since the last one that was done, the newest first. One that somebody cut off says nothing of the model. */
export function historianTrouble(jobs: readonly HistorianJob[]): readonly Degradation[] {
  const failed = jobs.filter(({ fact }) => fact.outcome === "failed" || fact.reason?.code === timeoutCode)
  const [last, first] = [failed[0], failed.at(-1)]
  if (last === undefined || first === undefined) return []
  const count = failed.length === 1 ? "its last job" : `its last ${failed.length} jobs`
  const cause = `${count} came to nothing, ${costOf(failed)}, and the built-in historian wrote instead. In ${last.session}: ${last.fact.reason?.message ?? "it failed."}`
  return [{ part: historianPart, cause, since: first.time }]
}

function costOf(jobs: readonly HistorianJob[]): string {
  const known = jobs.reduce((sum, { fact }) => sum + (fact.cost ?? 0), 0)
  const least = jobs.some(({ fact }) => fact.cost === null) ? "at a cost that is not known" : null
  return least ?? `at a cost of $${known >= 0.1 ? known.toFixed(2) : known.toPrecision(2)}`
}
