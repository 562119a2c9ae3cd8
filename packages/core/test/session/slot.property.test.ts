/**
 * What holds along every way through the table. A walk takes events in any order that can occur, and
 * then lets what runs come to its end. What is expected is told from the events alone, not from the slot.
 */
import * as fc from "fast-check"
import { expect, test } from "vitest"
import {
  type Action,
  type DrainAction,
  idle,
  type Slot,
  type SlotEvent,
  transition,
} from "../../src/session/coordinator/slot.ts"
import { events, lease, look, resume, settle } from "./slots.ts"

interface Walked {
  readonly event: SlotEvent
  readonly before: Slot["state"]
  readonly after: Slot
  readonly action: Action | null
}

interface Draw {
  readonly pick: number
  readonly seq: number
}

/** What a state can meet besides what can be asked for at any time. */
const own: Record<Slot["state"], (seq: number) => readonly SlotEvent[]> = {
  idle: () => [events["place-taken"], events["place-taken"], events["place-taken"]],
  entering: (seq) => [
    { type: "admission-ended", woken: { seq, lease } },
    { type: "admission-ended", woken: { seq, lease: null } },
    { type: "admission-ended", woken: null },
  ],
  waiting: () => [events["lease-granted"], events["drain-ended"]],
  leading: () => [events["wakes-ended"], events["drain-ended"]],
}

const anyTime = (seq: number): readonly SlotEvent[] => [
  { type: "woken", seq },
  { type: "resume-asked", seq },
  ...[settle, resume].map((mode): SlotEvent => ({ type: "recovery-asked", mode, seq })),
  events["interrupt-asked"],
]

const answers: readonly SlotEvent[] = [events["interrupt-stored"], events["interrupt-failed"]]

const stepsMax = 8

function walk(draws: readonly Draw[]): readonly Walked[] {
  const walked: Walked[] = []
  let slot: Slot = idle
  let interrupting = false
  const take = (event: SlotEvent) => {
    const { slot: after, action } = transition(slot, event)
    walked.push({ event, before: slot.state, after, action })
    // An answer is for the place that was interrupted, not for the one that is taken after it.
    interrupting = event.type === "interrupt-asked" || (interrupting && !answers.includes(event))
    if (slot.state === "idle" && after.state !== "idle") interrupting = false
    slot = after
  }
  for (const { pick, seq } of draws) {
    const open = [...own[slot.state](seq), ...anyTime(seq), ...(interrupting ? answers : [])]
    const event = open[pick % open.length]
    if (event !== undefined) take(event)
  }
  for (let steps = 0; slot.state !== "idle" && steps < stepsMax; steps++)
    take(slot.state === "entering" ? { type: "admission-ended", woken: null } : events["drain-ended"])
  return walked
}

/** Every way is looked at, and whatever a state can meet is met. */
function everyWalk(check: (walked: readonly Walked[]) => void): void {
  const met = new Set<string>()
  const draw = fc.record({ pick: fc.nat(), seq: fc.integer({ min: 1, max: 20 }) })
  fc.assert(
    fc.property(fc.array(draw, { minLength: 5, maxLength: 40 }), (draws) => {
      const walked = walk(draws)
      for (const { before, event } of walked) met.add(`${before} ${event.type}`)
      check(walked)
    }),
    { numRuns: 1_000 },
  )
  const states = Object.keys(own) as Slot["state"][]
  const possible = states.flatMap((state) =>
    [...own[state](1), ...anyTime(1), ...answers].map(({ type }) => `${state} ${type}`),
  )
  expect([...met].sort()).toEqual([...new Set(possible)].sort())
}

const isDrain = (action: Action | null): action is DrainAction =>
  action?.do === "acquire" || action?.do === "lead"

/** A drain begins: not where one that waited for its lease gets it. */
const begins = ({ event, action }: Walked): boolean => isDrain(action) && event.type !== "lease-granted"

test("[DR1] runs at most one drain of a Session, and is idle only when it has ended", () => {
  everyWalk((walked) => {
    let running = 0
    for (const step of walked) {
      if (step.event.type === "drain-ended") running--
      if (begins(step)) running++
      expect(running).toBe(step.after.state === "waiting" || step.after.state === "leading" ? 1 : 0)
    }
  })
})

test("[DR1] tells whoever waits exactly once, when the place is left", () => {
  everyWalk((walked) => {
    for (const { before, after, action } of walked)
      expect(action?.do === "tell").toBe(before !== "idle" && after.state === "idle")
    expect(walked.at(-1)?.after ?? idle).toEqual(idle)
  })
})

test("[PR5 PR8 DR11] starts another drain exactly for what was asked since a drain last looked", () => {
  everyWalk((walked) => {
    let open = { look: false, resume: false }
    let fenced = false
    for (const step of walked) {
      const { event, before, action } = step
      if (before === "idle") [open, fenced] = [{ look: false, resume: false }, false]
      else if (event.type === "woken") open = { ...open, look: true }
      else if (event.type === "resume-asked") open = { ...open, resume: true }
      else if (event.type === "interrupt-stored" || event.type === "wakes-ended")
        open = { look: false, resume: false }
      if (before !== "idle" && event.type.startsWith("interrupt-")) fenced = true
      if (event.type === "drain-ended") {
        fenced = false
        expect(begins(step)).toBe(open.look || open.resume)
      }
      if (!isDrain(action)) continue
      if (before !== "idle" && begins(step)) expect(action.mode).toEqual(open.resume ? resume : look)
      if (action.mode.recoverOnly || fenced) continue
      open = { look: false, resume: begins(step) ? false : open.resume }
    }
  })
})

test("[DR3] an interrupt stops the drain it meets, and none that is woken after it", () => {
  everyWalk((walked) => {
    let wokenSince = false
    let interrupted = false
    for (const { event, before, after, action } of walked) {
      if (before === "idle") interrupted = false
      else if (event.type === "interrupt-stored") {
        expect(action).toEqual({ do: "stop" })
        interrupted = true
        wokenSince = false
      }
      if (event.type === "woken" || event.type === "resume-asked") wokenSince = true
      if (event.type === "wakes-ended") wokenSince = false
      if (event.type !== "drain-ended" || !interrupted) continue
      expect(isDrain(action)).toBe(wokenSince)
      if (isDrain(action)) expect(after).toMatchObject({ state: "waiting", stopping: false })
      interrupted = false
    }
  })
})

test("[DR3] a drain heeds interrupts that came after the latest wake of its place", () => {
  everyWalk((walked) => {
    let latest = 0
    for (const { event, before, action } of walked) {
      if (before === "idle") latest = 0
      latest = Math.max(latest, seqOf(event, before))
      if (action?.do === "lead") expect(action.wokenAt).toBe(latest)
    }
  })
})

/** Zero where nothing is woken. */
function seqOf(event: SlotEvent, before: Slot["state"]): number {
  switch (event.type) {
    case "woken":
    case "resume-asked":
      return event.seq
    case "recovery-asked":
      return before === "idle" ? (event.seq ?? 0) : 0
    case "admission-ended":
      return event.woken?.seq ?? 0
    default:
      return 0
  }
}
