/**
 * Slot: where one Session stands in this process, as values. `transition` is the whole table; the
 * coordinator tells it what happened and does the one thing it answers with.
 *
 *   idle ──place-taken──▶ entering ──due──▶ waiting ──lease-granted──▶ leading
 *   │  ▲                   │    │            ▲   │                      ▲  │
 *   │  │                   │    └──due, with its lease──────────────────┘  │
 *   │  ├──nothing due──────┘                 │   │                         │
 *   │  ├──drain-ended, nothing asked─────────│───┴─────────────────────────┤
 *   │  ╵  (whoever waits is told)            ├──drain-ended, else──────────┘
 *   └──woken, resume-asked, recovery-asked───┘
 *
 *   PR5  wakes coalesce into `asked`. A drain that will look at the inbox answers those before its
 *        lease, and so does waiting for one, which looks itself; what is asked for behind that
 *        look, or of a drain that only settles or is stopped, starts another.
 *   DR1  a drain starts from idle, from entering, or where one ended: never beside another.
 *   DR3  an interrupt withdraws what was asked for before it was stored, and nothing later.
 *   DR11 so does the end of a turn that fails, blocks or is interrupted (`wakes-ended`).
 */
import type { Lease } from "@holdfast/store/port"
import type { DrainEnd, DrainMode } from "../drain.ts"

export type Slot =
  | { readonly state: "idle" }
  /** The place is taken while the admission is committed, which may bring the lease with it. */
  | ({ readonly state: "entering" } & Requests)
  /** A drain waits for the lease. */
  | ({ readonly state: "waiting"; readonly mode: DrainMode } & Requests)
  | ({ readonly state: "leading" } & Requests)

interface Requests {
  /** What another drain is due for when this one ends. To resume is also to look for input (PR8). */
  readonly asked: "nothing" | "look" | "resume"
  /** Interrupts above this sequence came after the last wake, wherever they were asked for; null if none woke it. */
  readonly wokenAt: number | null
  /** The fence of this drain is up: it will look at nothing. */
  readonly stopping: boolean
}

export type SlotEvent =
  | { readonly type: "place-taken" }
  /** `woken` is null where nothing can be promoted, or the store failed. */
  | {
      readonly type: "admission-ended"
      readonly woken: { readonly seq: number; readonly lease: Lease | null } | null
    }
  | { readonly type: "woken"; readonly seq: number }
  /** `seq` is that of the newest interrupt before it. */
  | { readonly type: "resume-asked"; readonly seq: number }
  | { readonly type: "recovery-asked"; readonly mode: DrainMode; readonly seq: number | null }
  | { readonly type: "interrupt-asked" }
  | { readonly type: "interrupt-stored" }
  | { readonly type: "interrupt-failed" }
  | { readonly type: "lease-granted"; readonly lease: Lease }
  /** What the drain is about to commit ends what was asked for so far. */
  | { readonly type: "wakes-ended" }
  /** Also where no lease was to be had. */
  | { readonly type: "drain-ended"; readonly ended: Ended }

export interface Ended {
  readonly end: DrainEnd
  /** Where the log stood for that drain; null if it never knew. */
  readonly seq: number | null
}

export type DrainAction =
  | { readonly do: "acquire"; readonly mode: DrainMode }
  | { readonly do: "lead"; readonly lease: Lease; readonly mode: DrainMode; readonly wokenAt: number | null }

export type Action =
  | DrainAction
  /** From here on the drain starts nothing. */
  | { readonly do: "raise-fence" }
  /** What it has started stops, too. */
  | { readonly do: "stop" }
  /** Tells whoever waits; null: nothing ran, so as it was told last. */
  | { readonly do: "tell"; readonly ended: Ended | null }

export interface Step {
  readonly slot: Slot
  readonly action: Action | null
}

export const idle: Slot = { state: "idle" }

export function transition(slot: Slot, event: SlotEvent): Step {
  if (slot.state === "idle") return enter(slot, event)
  switch (event.type) {
    case "woken":
      return ask(slot, "look", event.seq)
    case "resume-asked":
      return ask(slot, "resume", event.seq)
    case "recovery-asked": // whoever is at work is left alone
      return { slot, action: null }
    case "interrupt-asked":
      return { slot: { ...slot, stopping: true }, action: { do: "raise-fence" } }
    case "interrupt-failed": // the work here stops all the same, and nothing is withdrawn
      return { slot: { ...slot, stopping: true }, action: { do: "stop" } }
    case "interrupt-stored":
      return { slot: { ...slot, stopping: true, asked: "nothing" }, action: { do: "stop" } }
  }
  switch (slot.state) {
    case "entering":
      if (event.type === "admission-ended") return endAdmission(slot, event.woken)
      break
    case "waiting":
      if (event.type === "lease-granted") return takeLease(slot, event.lease)
      if (event.type === "drain-ended") return endDrain(slot, event.ended)
      break
    case "leading":
      if (event.type === "wakes-ended") return { slot: { ...slot, asked: "nothing" }, action: null }
      if (event.type === "drain-ended") return endDrain(slot, event.ended)
      break
  }
  return impossible(slot, event)
}

type Busy = Exclude<Slot, { state: "idle" }>
type In<State extends Slot["state"]> = Extract<Slot, { state: State }>

const look: DrainMode = { resume: false, recoverOnly: false }
const resume: DrainMode = { resume: true, recoverOnly: false }

function enter(slot: In<"idle">, event: SlotEvent): Step {
  switch (event.type) {
    case "place-taken":
      return { slot: { state: "entering", asked: "nothing", wokenAt: null, stopping: false }, action: null }
    case "woken":
      return start(look, event.seq)
    case "resume-asked":
      return start(resume, event.seq)
    case "recovery-asked":
      return start(event.mode, event.seq)
    case "interrupt-asked":
    case "interrupt-failed":
    case "interrupt-stored": // the place it was asked of may have been left meanwhile
      return { slot, action: null }
    default:
      return impossible(slot, event)
  }
}

const start = (mode: DrainMode, wokenAt: number | null): Step => ({
  slot: { state: "waiting", mode, asked: "nothing", wokenAt, stopping: false },
  action: { do: "acquire", mode },
})

function ask(slot: Busy, what: "look" | "resume", seq: number): Step {
  const asked = slot.asked === "resume" ? "resume" : what
  return { slot: { ...slot, asked, wokenAt: later(slot.wokenAt, seq) }, action: null }
}

function endAdmission(
  slot: In<"entering">,
  woken: { readonly seq: number; readonly lease: Lease | null } | null,
): Step {
  if (woken === null && slot.asked === "nothing") return { slot: idle, action: { do: "tell", ended: null } }
  const mode = slot.asked === "resume" ? resume : look
  const { stopping } = slot
  const wokenAt = woken === null ? slot.wokenAt : later(slot.wokenAt, woken.seq)
  const waiting: In<"waiting"> = {
    state: "waiting",
    mode,
    asked: stopping ? slot.asked : "nothing",
    wokenAt,
    stopping,
  }
  const lease = woken?.lease ?? null
  return lease === null ? { slot: waiting, action: { do: "acquire", mode } } : takeLease(waiting, lease)
}

function takeLease({ mode, asked, wokenAt, stopping }: In<"waiting">, lease: Lease): Step {
  const looks = !mode.recoverOnly && !stopping
  return {
    slot: { state: "leading", asked: looks && asked === "look" ? "nothing" : asked, wokenAt, stopping },
    action: { do: "lead", lease, mode, wokenAt },
  }
}

function endDrain({ asked, wokenAt }: In<"waiting"> | In<"leading">, ended: Ended): Step {
  if (asked === "nothing") return { slot: idle, action: { do: "tell", ended } }
  return start(asked === "resume" ? resume : look, wokenAt)
}

/** A wake whose answer comes late does not take the place of one that came after it. */
const later = (a: number | null, b: number): number => (a === null ? b : Math.max(a, b))

function impossible(slot: Slot, event: SlotEvent): never {
  throw new Error(`A Session that is ${slot.state} met ${event.type}.`)
}
