/** What the historian was asked for last, by the logs of Sessions: its jobs since the last one that was done (FA1). */
import type { SessionId } from "@holdfast/schema/id"
import type { HistorianJob } from "../../job.ts"
import type { Connection } from "../connection.ts"
import { decodeEvent } from "../event-decode.ts"
import type { EventColumns } from "../event-row.ts"
import { isSession } from "../fork/copy-row.ts"

/** Of all Sessions, those that ended last. */
const jobsMax = 1_000
/** For whoever asks often: Sessions that began last, those of them that have a history, and the newest records of each. */
const sessionsMax = 200
const longSessionsMax = 20
const recordsMax = 1_000

type JobRow = EventColumns & { readonly id: SessionId }

const columns = "id, event.seq AS seq, type, version, time, data, checksum"
const isHistorian = `type = 'job.settled' AND data LIKE '%"kind":"historian"%'`
const newestFirst = "ORDER BY time DESC, event.rowid DESC LIMIT ?"

/** The newest first. It reads all of the log. */
export const failedHistorianJobs = (connection: Connection): readonly HistorianJob[] =>
  sinceDone(
    connection.all<JobRow>(
      `SELECT ${columns} FROM event JOIN session ON session.key = event.session
       WHERE ${isHistorian} ${newestFirst}`,
      jobsMax,
    ),
  )

/** The newest first, of the newest long Sessions: what a look at the health of a server has time for. */
export const recentHistorianJobs = (connection: Connection): readonly HistorianJob[] =>
  sinceDone(
    connection.all<JobRow>(
      `WITH recent AS (SELECT key, id, summary FROM session WHERE ${isSession} ORDER BY key DESC LIMIT ?),
         long AS (SELECT key, id, summary ->> '$.seq' AS last FROM recent
                  WHERE summary ->> '$.historyEnd' > 0 ORDER BY key DESC LIMIT ?)
       SELECT ${columns} FROM long CROSS JOIN event ON event.session = long.key AND event.seq > long.last - ?
       WHERE ${isHistorian} ${newestFirst}`,
      sessionsMax,
      longSessionsMax,
      recordsMax,
      jobsMax,
    ),
  )

/** A copy of a Session has the jobs of the one that it was made from: each counts once. */
function sinceDone(rows: readonly JobRow[]): readonly HistorianJob[] {
  const jobs = new Map<SessionId, HistorianJob>()
  for (const { id, ...stored } of rows) {
    const reading = decodeEvent(id, stored)
    if (reading.kind !== "sound" || reading.event.fact.type !== "job.settled") continue
    const { fact } = reading.event
    if (fact.kind !== "historian") continue
    if (fact.outcome === "done") break
    jobs.set(fact.job, { session: id, time: stored.time, fact })
  }
  return [...jobs.values()]
}
