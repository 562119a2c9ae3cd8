/**
 * Deadline: a run that is not over in time is stopped as by Ctrl-C, and again if that does not end it.
 *
 * It is a terminal whose stop also comes by itself, so that whoever follows a conversation needs not
 * know why it has to stop.
 */
import { count } from "../figures.ts"
import type { FinalRecord } from "../outcome/outcome.ts"
import type { Terminal } from "../terminal.ts"

/** What an interrupt may take before the command ends all the same. */
const graceMs = 15_000

export interface Deadline {
  readonly terminal: Terminal
  /** The record, with the deadline as its reason where that ended the run. */
  readonly told: (record: FinalRecord) => FinalRecord
}

/** Counts from the first listener on: what is before that is no work. */
export function withDeadline(
  terminal: Terminal,
  deadlineMs: number | undefined,
  now: () => number = () => performance.now(),
): Deadline {
  if (deadlineMs === undefined) return { terminal, told: (record) => record }
  let endsAt: number | null = null
  let passed = false
  const onStop: Terminal["onStop"] = (listener) => {
    endsAt ??= now() + deadlineMs
    const release = terminal.onStop(listener)
    const leftMs = Math.max(0, endsAt - now())
    const first = setTimeout(() => {
      passed = true
      listener()
    }, leftMs)
    const last = setTimeout(listener, leftMs + graceMs)
    return () => {
      clearTimeout(first)
      clearTimeout(last)
      release()
    }
  }
  const message = `The deadline of ${count(Math.round(deadlineMs / 1_000), "second")} has passed, and the work was interrupted. What was done is kept; resume goes on.`
  return {
    // A terminal may stand before another, which a copy would lose.
    terminal: Object.create(terminal, { onStop: { value: onStop } }) as Terminal,
    told: (record) =>
      passed && record.status === "interrupted"
        ? { ...record, reason: { code: "deadline", message } }
        : record,
  }
}
