/** How a job ends: its Session goes, and what it cost stays with its parent, in one commit. */
import type { Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { FactOf } from "@holdfast/schema/event"
import type { Seq, SessionId } from "@holdfast/schema/id"
import type { Lease } from "./port.ts"

/** `session` is the parent; where it is gone, only the job goes. */
export interface SettleJob {
  readonly kind: "settle-job"
  readonly session: SessionId
  readonly time: number
  readonly fact: FactOf<"job.settled">
}

export type SettleJobOutcome =
  /** `seq` is null where there is no parent any more. */
  | { readonly kind: "settled"; readonly seq: Seq | null }
  /** It was settled before, or is no job. */
  | { readonly kind: "no-job" }
  | { readonly kind: "held"; readonly lease: Lease }

export interface HistorianJob {
  /** That it was for. */
  readonly session: SessionId
  readonly time: number
  readonly fact: FactOf<"job.settled">
}

export interface JobReads {
  /** Of the newest long Sessions, jobs of the historian since the last one that was done, the newest first (FA1). */
  readonly recentHistorianJobs: () => Effect.Effect<readonly HistorianJob[], StoreFailure>
}
