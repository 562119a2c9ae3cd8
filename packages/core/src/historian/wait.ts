/**
 * A turn that waits for the historian (EG1): where the window is all but full, what a historian at work is about to
 * publish spares a cut. A turn waits once, at most as long as a job may take, and not once it is interrupted.
 */
import { Deferred, Effect } from "effect"
import { jobMsMax } from "../jobs/verdict.ts"
import type { Lead } from "../session/lead.ts"

export interface HistorianWait {
  readonly now: () => { readonly running: boolean; readonly waited: boolean }
  /** To be planned again behind it, whatever came of it. */
  readonly wait: Effect.Effect<"again">
}

/** Of one turn. */
export function waitsOnce({ ports, session, fence }: Lead): HistorianWait {
  let waited = false
  const atWork = () => ports.historianAtWork?.(session) ?? null
  return {
    now: () => ({ running: atWork() !== null, waited }),
    wait: Effect.suspend(() => {
      waited = true
      const done = Effect.timeoutOption(atWork() ?? Effect.void, jobMsMax)
      return Effect.as(Effect.raceFirst(done, Deferred.await(fence.signal)), "again" as const)
    }),
  }
}
