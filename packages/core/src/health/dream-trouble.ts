/** What failing runs of the dreamer are to `health` and to `holdfast doctor`, which reads the same records (FA1). */
import type { Degradation } from "@holdfast/schema/health"
import type { FailedDreams } from "@holdfast/store/port"

/** One part for all projects, since its names are fixed: the cause is that of the last failure. */
export function dreamTrouble(failed: readonly FailedDreams[]): readonly Degradation[] {
  const [last, ...others] = failed.toSorted((a, b) => b.at - a.at)
  if (last === undefined) return []
  const tasks = last.tasks.filter(({ outcome }) => outcome === "failed")
  const [first] = tasks
  const more = tasks.length > 1 ? ` and ${tasks.length - 1} more` : ""
  const beside = others.length > 0 ? ` It fails in ${others.length} more of the projects too.` : ""
  return [
    {
      part: "dreamer",
      cause: `${first?.task ?? "a run"}${more} in ${last.root}: ${first?.reason ?? "it failed."}${beside}`,
      since: Math.min(...failed.map(({ since }) => since)),
    },
  ]
}
