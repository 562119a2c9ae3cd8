/** What the historian was asked for last, by the logs of Sessions: its jobs since the last one that was done (FA1). */
import type { FactOf } from "@holdfast/schema/event"
import type { SessionId } from "@holdfast/schema/id"
import type { Connection } from "../connection.ts"
import { decodeEvent } from "../event-decode.ts"
import type { EventColumns } from "../event-row.ts"

export interface HistorianJob {
  /** That it was for. */
  readonly session: SessionId
  readonly time: number
  readonly fact: FactOf<"job.settled">
}

/** Of all Sessions, those that ended last. */
const jobsMax = 1_000

/** The newest first. A copy of a Session has the jobs of the one that it was made from: each counts once. */
export function failedHistorianJobs(connection: Connection): readonly HistorianJob[] {
  const rows = connection.all<EventColumns & { readonly id: SessionId }>(
    `SELECT session.id AS id, seq, type, version, time, data, checksum
     FROM event JOIN session ON session.key = event.session
     WHERE type = 'job.settled' AND data LIKE '%"kind":"historian"%'
     ORDER BY time DESC, event.rowid DESC LIMIT ?`,
    jobsMax,
  )
  const jobs = new Map<SessionId, HistorianJob>()
  for (const { id, ...columns } of rows) {
    const reading = decodeEvent(id, columns)
    if (reading.kind !== "sound" || reading.event.fact.type !== "job.settled") continue
    const { fact } = reading.event
    if (fact.kind !== "historian") continue
    if (fact.outcome === "done") break
    jobs.set(fact.job, { session: id, time: columns.time, fact })
  }
  return [...jobs.values()]
}
