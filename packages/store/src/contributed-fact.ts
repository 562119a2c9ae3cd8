/** Which facts need no lease. */
import type { FactOf } from "@holdfast/schema/event"

/** Facts that anybody may write without the lease; whoever leads folds them in at its next boundary. */
export type ContributedFact = FactOf<
  | "session.updated"
  | "ask.raised"
  | "ask.answered"
  | "notice.admitted"
  | "signal.raised"
  | "history.published"
  | "message.quarantined"
  | "request.probed"
  | "cache.warmed"
  | "note.written"
  | "note.changed"
  | "command.ended"
  | "job.settled"
>
