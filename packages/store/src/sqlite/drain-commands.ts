/**
 * Commands of whoever holds a Session. Each checks the lease token in its own transaction (DR1).
 *
 *   DR3  an append that says how far it has seen is refused if an interrupt came after that
 *   PR4  a promotion finds its prompt pending with the body it was planned with, or nothing
 *        of the append happens
 *   EP9  an append that was planned for the place the Session has left is refused
 *   PE5  an ask that it ends is open, or nothing of the append happens
 *   TU3  scratch rows hold the text of open parts in pieces, and end with the commit that records
 *        their part; those of an earlier turn are gone with the first of the next
 */
import { isEligible, isOpen } from "@holdfast/schema/state/summary"
import type { Acquire, Append, Checkpoint, Release, Renew } from "../port.ts"
import { appendFacts } from "./append-facts.ts"
import { isOpenAsk } from "./ask-marks.ts"
import { putBlob } from "./blob.ts"
import type { Connection } from "./connection.ts"
import { findPrompt } from "./input-commands.ts"
import type { Applied } from "./input-commands.ts"
import { dropLease, grantLease, heldLease, holds, renewLease } from "./lease/row.ts"
import { findSession } from "./session-row.ts"
import type { KeyedSession } from "./session-row.ts"

const lost = { outcome: { kind: "lost" }, advanced: null } as const

export function acquire(connection: Connection, command: Acquire): Applied<Acquire> {
  const row = findSession(connection, command.session)
  if (row === undefined) return { outcome: { kind: "no-session" }, advanced: null }
  const held = heldLease(connection, row)
  const free = held === null || (held.token === command.dead?.token && held.beat === command.dead.beat)
  if (!free) return { outcome: { kind: "held", lease: held }, advanced: null }
  if (command.toSettle === true && held === null && !isOpen(row.summary))
    return { outcome: { kind: "settled" }, advanced: null }
  return { outcome: { kind: "granted", lease: grantLease(connection, row, command.owner) }, advanced: null }
}

export function renew(connection: Connection, command: Renew): Applied<Renew> {
  const row = findSession(connection, command.session)
  if (row === undefined || !renewLease(connection, row.key, command.token)) return lost
  return { outcome: { kind: "renewed" }, advanced: null }
}

export function release(connection: Connection, command: Release): Applied<Release> {
  const row = findSession(connection, command.session)
  if (row === undefined || !holds(connection, row.key, command.token)) return lost
  if (command.whenIdle && isEligible(row.summary)) return { outcome: { kind: "pending" }, advanced: null }
  dropLease(connection, row.key)
  return { outcome: { kind: "released" }, advanced: null }
}

export function append(connection: Connection, blobs: string, command: Append): Applied<Append> {
  const row = findSession(connection, command.session)
  if (row === undefined || !holds(connection, row.key, command.token)) return lost
  if (command.interruptedAbove !== null && row.summary.interruptedSeq > command.interruptedAbove) {
    return { outcome: { kind: "interrupted" }, advanced: null }
  }
  if (
    isOvertaken(row, command) ||
    !promotable(connection, row, command) ||
    !asksStand(connection, row, command)
  )
    return { outcome: { kind: "stale" }, advanced: null }
  for (const blob of command.blobs) putBlob(connection, blobs, row.key, blob)
  const before = row.summary.seq
  const after = appendFacts(connection, row, command.time, command.facts).summary
  clearScratch(connection, row.key, command.clearsScratch)
  const released = command.release === "always" || (command.release === "when-idle" && !isEligible(after))
  if (released) dropLease(connection, row.key)
  const grew = after.seq > before
  return {
    outcome: {
      kind: "appended",
      firstSeq: grew ? before + 1 : before,
      lastSeq: after.seq,
      released,
    },
    advanced: grew ? after.seq : null,
  }
}

/** No part has it: this row says in `at` when the newest checkpoint was made. */
export const timeIndex = -1

export function checkpoint(connection: Connection, command: Checkpoint): Applied<Checkpoint> {
  const row = findSession(connection, command.session)
  if (row === undefined || !holds(connection, row.key, command.token)) return lost
  connection.run("DELETE FROM scratch WHERE session = ? AND turn <> ?", row.key, command.turn)
  connection.run("DELETE FROM scratch WHERE session = ? AND idx = ?", row.key, timeIndex)
  const time = { index: timeIndex, at: command.time, type: "time", text: "" }
  for (const { index, at, type, text } of [time, ...command.parts]) {
    connection.run(
      "INSERT OR REPLACE INTO scratch VALUES (?, ?, ?, ?, ?, ?)",
      row.key,
      command.turn,
      index,
      at,
      type,
      text,
    )
  }
  return { outcome: { kind: "kept" }, advanced: null }
}

/** Whether something was written since that the plan must not stand behind. */
const isOvertaken = ({ summary }: KeyedSession, { followsSeq, movedAbove }: Append): boolean =>
  (followsSeq !== null && summary.seq !== followsSeq) ||
  (movedAbove !== null && summary.movedSeq > movedAbove)

/** Checks what the caller planned with and, whatever it planned, every promotion it writes. */
function promotable(connection: Connection, row: KeyedSession, command: Append): boolean {
  const promoted = command.facts.filter((fact) => fact.type === "prompt.promoted")
  return [...command.promotes, ...promoted].every(({ prompt, bodySeq }) => {
    const found = findPrompt(connection, prompt)
    return (
      found !== undefined &&
      found.session === row.key &&
      found.state === "pending" &&
      found.body_seq === bodySeq
    )
  })
}

/** PE5: an ask that the append ends is still open, or raised by it; somebody may have answered meanwhile. */
function asksStand(connection: Connection, row: KeyedSession, { facts }: Append): boolean {
  const raised = new Set(facts.flatMap((fact) => (fact.type === "ask.raised" ? [fact.ask] : [])))
  return facts.every(
    (fact) =>
      (fact.type !== "ask.withdrawn" && fact.type !== "ask.answered") ||
      raised.has(fact.ask) ||
      isOpenAsk(connection, row.key, fact.ask),
  )
}

function clearScratch(connection: Connection, session: number, clears: Append["clearsScratch"]): void {
  if (clears === "all") {
    connection.run("DELETE FROM scratch WHERE session = ?", session)
    return
  }
  for (const index of clears) {
    connection.run("DELETE FROM scratch WHERE session = ? AND idx = ?", session, index)
  }
}
