/** One event of each kind, and what goes into them. */
import type { SessionId } from "@holdfast/schema/id"
import type { Lease } from "@holdfast/store/port"
import type { Ended, SlotEvent } from "../../src/session/coordinator/slot.ts"
import type { DrainMode } from "../../src/session/drain.ts"

export const look: DrainMode = { resume: false, recoverOnly: false }
export const resume: DrainMode = { resume: true, recoverOnly: false }
export const settle: DrainMode = { resume: false, recoverOnly: true }

export const lease: Lease = {
  session: "ses_1" as SessionId,
  owner: { boot: "b", space: "s", pid: 1, start: "1", instance: "i" },
  token: 1,
  beat: 0,
}

export const ended: Ended = { end: { kind: "done" }, seq: 8 }

export const events: { readonly [Type in SlotEvent["type"]]: Extract<SlotEvent, { type: Type }> } = {
  "place-taken": { type: "place-taken" },
  "admission-ended": { type: "admission-ended", woken: { seq: 7, lease } },
  woken: { type: "woken", seq: 7 },
  "resume-asked": { type: "resume-asked", seq: 6 },
  "recovery-asked": { type: "recovery-asked", mode: settle, seq: null },
  "interrupt-asked": { type: "interrupt-asked" },
  "interrupt-stored": { type: "interrupt-stored" },
  "interrupt-failed": { type: "interrupt-failed" },
  "lease-granted": { type: "lease-granted", lease },
  "wakes-ended": { type: "wakes-ended" },
  "drain-ended": { type: "drain-ended", ended },
}
