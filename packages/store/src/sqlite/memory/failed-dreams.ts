/** What the dreamer failed at last, by the logs of projects (FA1). A run that was cut off says nothing of either. */
import type { DreamFact } from "@holdfast/schema/memory/dream"
import type { ProjectEvent } from "@holdfast/schema/memory/fold"
import type { FailedDreams } from "../../memory.ts"
import { type Connection, inSnapshot } from "../connection.ts"
import { projectFacts, readProjects } from "./read.ts"

/** Projects that are looked at, those that began last, and runs of each. */
const projectsMax = 1_000
const runsMax = 1_000

export const readFailedDreams = (connection: Connection): readonly FailedDreams[] =>
  inSnapshot(connection, () =>
    readProjects(connection, { limit: projectsMax }).flatMap(({ key, root }) => {
      const runs = (limit: number) => projectFacts(connection, key, { type: "dream.settled", limit })
      const [last] = runs(1)
      // Most projects end here: their last run was done, or there was none.
      if (last === undefined || outcomeOf(last) === "done" || sharesOther(connection, root)) return []
      const failed = failuresInARow(runs(runsMax))
      return failed === null ? [] : [{ root, ...failed }]
    }),
  )

/** Of the newest runs, the newest first; null where what ended last was done. */
function failuresInARow(runs: readonly ProjectEvent[]): Omit<FailedDreams, "root"> | null {
  const done = runs.findIndex((run) => outcomeOf(run) === "done")
  const failed = (done < 0 ? runs : runs.slice(0, done)).filter((run) => outcomeOf(run) === "failed")
  const [last, first] = [failed[0], failed.at(-1)]
  if (last === undefined || first === undefined || !isSettled(last.fact)) return null
  return { since: first.time, at: last.time, tasks: last.fact.tasks }
}

const outcomeOf = ({ fact }: ProjectEvent) => (isSettled(fact) ? fact.outcome : null)

const isSettled = (fact: ProjectEvent["fact"]): fact is Extract<DreamFact, { type: "dream.settled" }> =>
  fact.type === "dream.settled"

/** Its own memory rests, and no run will ever tend it. */
const sharesOther = (connection: Connection, root: string): boolean =>
  connection.get("SELECT 1 FROM project_place WHERE root = ? AND shares IS NOT NULL", root) !== undefined
