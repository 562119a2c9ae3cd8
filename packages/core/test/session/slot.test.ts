/** The table of a slot: each state against each event, then the cases that differ within a state. */
import { expect, test } from "vitest"
import { idle, type Slot, type SlotEvent, type Step, transition } from "../../src/session/coordinator/slot.ts"
import { ended, events, lease, look, resume, settle } from "./slots.ts"

type State = Slot["state"]
type In<S extends State> = Extract<Slot, { state: S }>

const entering: In<"entering"> = { state: "entering", asked: "nothing", wokenAt: null, stopping: false }
const waiting: In<"waiting"> = { state: "waiting", mode: look, asked: "look", wokenAt: 5, stopping: false }
const leading: In<"leading"> = { state: "leading", asked: "look", wokenAt: 5, stopping: false }
const slots: Record<State, Slot> = { idle, entering, waiting, leading }

const start = (mode: typeof look, wokenAt: number | null): Step => ({
  slot: { state: "waiting", mode, asked: "nothing", wokenAt, stopping: false },
  action: { do: "acquire", mode },
})
const stay = (slot: Slot): Step => ({ slot, action: null })
const tell = (how: typeof ended | null): Step => ({ slot: idle, action: { do: "tell", ended: how } })

const table: Record<State, Record<SlotEvent["type"], Step | "impossible">> = {
  idle: {
    "place-taken": stay(entering),
    "admission-ended": "impossible",
    woken: start(look, 7),
    "resume-asked": start(resume, 6),
    "recovery-asked": start(settle, null),
    "interrupt-asked": stay(idle),
    "interrupt-stored": stay(idle),
    "interrupt-failed": stay(idle),
    "lease-granted": "impossible",
    "wakes-ended": "impossible",
    "drain-ended": "impossible",
  },
  entering: {
    "place-taken": "impossible",
    "admission-ended": {
      slot: { ...leading, asked: "nothing", wokenAt: 7 },
      action: { do: "lead", lease, mode: look, wokenAt: 7 },
    },
    woken: stay({ ...entering, asked: "look", wokenAt: 7 }),
    "resume-asked": stay({ ...entering, asked: "resume", wokenAt: 6 }),
    "recovery-asked": stay(entering),
    "interrupt-asked": { slot: { ...entering, stopping: true }, action: { do: "raise-fence" } },
    "interrupt-stored": { slot: { ...entering, stopping: true }, action: { do: "stop" } },
    "interrupt-failed": { slot: { ...entering, stopping: true }, action: { do: "stop" } },
    "lease-granted": "impossible",
    "wakes-ended": "impossible",
    "drain-ended": "impossible",
  },
  waiting: {
    "place-taken": "impossible",
    "admission-ended": "impossible",
    woken: stay({ ...waiting, wokenAt: 7 }),
    "resume-asked": stay({ ...waiting, asked: "resume", wokenAt: 6 }),
    "recovery-asked": stay(waiting),
    "interrupt-asked": { slot: { ...waiting, stopping: true }, action: { do: "raise-fence" } },
    "interrupt-stored": { slot: { ...waiting, stopping: true, asked: "nothing" }, action: { do: "stop" } },
    "interrupt-failed": { slot: { ...waiting, stopping: true }, action: { do: "stop" } },
    "lease-granted": {
      slot: { ...leading, asked: "nothing" },
      action: { do: "lead", lease, mode: look, wokenAt: 5 },
    },
    "wakes-ended": "impossible",
    "drain-ended": start(look, 5),
  },
  leading: {
    "place-taken": "impossible",
    "admission-ended": "impossible",
    woken: stay({ ...leading, wokenAt: 7 }),
    "resume-asked": stay({ ...leading, asked: "resume", wokenAt: 6 }),
    "recovery-asked": stay(leading),
    "interrupt-asked": { slot: { ...leading, stopping: true }, action: { do: "raise-fence" } },
    "interrupt-stored": { slot: { ...leading, stopping: true, asked: "nothing" }, action: { do: "stop" } },
    "interrupt-failed": { slot: { ...leading, stopping: true }, action: { do: "stop" } },
    "lease-granted": "impossible",
    "wakes-ended": stay({ ...leading, asked: "nothing" }),
    "drain-ended": start(look, 5),
  },
}

for (const state of Object.keys(table) as State[]) {
  test(`[DR1] has an answer to everything that can happen to a Session that is ${state}`, () => {
    for (const [type, expected] of Object.entries(table[state])) {
      const met = () => transition(slots[state], events[type as SlotEvent["type"]])
      if (expected === "impossible") expect(met, type).toThrow(`is ${state} met ${type}`)
      else expect(met(), type).toEqual(expected)
    }
  })
}

const asksNothing = { asked: "nothing" } as const
const resumes = { asked: "resume" } as const
const stopped = { stopping: true } as const

test("[DR1] tells how the drain ended where nothing more is asked for", () => {
  for (const slot of [waiting, leading])
    expect(transition({ ...slot, ...asksNothing }, events["drain-ended"])).toEqual(tell(ended))
})

test("[PR5] leaves the place of an admission that wakes nothing, and tells again how the last drain ended", () => {
  expect(transition(entering, { type: "admission-ended", woken: null })).toEqual(tell(null))
})

test("[PR5] drains for whoever asked while an admission was on its way, though that one failed", () => {
  const failed: SlotEvent = { type: "admission-ended", woken: null }
  expect(transition({ ...entering, asked: "look", wokenAt: 7 }, failed)).toEqual(start(look, 7))
  expect(transition({ ...entering, asked: "resume", wokenAt: 6 }, failed)).toEqual(start(resume, 6))
})

test("[PR5] waits for the lease where another process holds it as input is admitted", () => {
  const held: SlotEvent = { type: "admission-ended", woken: { seq: 7, lease: null } }
  expect(transition(entering, held)).toEqual(start(look, 7))
})

test("[PR5] keeps a wake that a drain leaves alone: it only settles, or its fence is up", () => {
  const granted = events["lease-granted"]
  for (const slot of [
    { ...waiting, mode: settle },
    { ...waiting, ...stopped },
  ])
    expect(transition(slot, granted).slot).toMatchObject({ state: "leading", asked: "look" })
  const fenced = transition({ ...entering, ...stopped, asked: "look" }, events["admission-ended"])
  expect(fenced.slot).toMatchObject({ state: "leading", asked: "look", stopping: true })
})

test("[PR8] keeps a resume that was asked for behind a drain, whatever that drain looks at", () => {
  expect(transition({ ...waiting, ...resumes }, events["lease-granted"]).slot).toMatchObject(resumes)
  expect(transition({ ...leading, ...resumes }, events.woken).slot).toMatchObject(resumes)
  expect(transition({ ...leading, ...resumes }, events["drain-ended"])).toEqual(start(resume, 5))
})

test("[DR3] heeds interrupts from the latest wake on, though an earlier one is told later", () => {
  const early = { type: "woken", seq: 3 } as const
  expect(transition(leading, early).slot).toMatchObject({ wokenAt: 5 })
  expect(transition({ ...entering, wokenAt: 9 }, events["admission-ended"]).slot).toMatchObject({
    wokenAt: 9,
  })
})

test("[DR3] starts the next drain with its fence down", () => {
  expect(transition({ ...leading, ...stopped }, events["drain-ended"]).slot).toMatchObject({
    stopping: false,
  })
})
