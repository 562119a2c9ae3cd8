/**
 * An import: the log of a bundle as the log of a Session of this store, in one transaction (ST4, SS1).
 *
 *   the Session is not here             created: every fact at its sequence, with its ids and its time
 *   its log is the beginning of ours    older; the same length: same. Nothing is written
 *   our log is the beginning of its     extended, if nobody works on it
 *   both went on                        diverged: whoever asked takes another id, and it becomes a copy
 *
 * Logs are compared but for what a store was told to trust (adopt.ts). Facts that do not fit each other
 * are refused with all that came before them; what was checked before is not checked again here, since
 * the writer has no schema.
 */
import { createHash, hash } from "node:crypto"
import type { Event, Fact } from "@holdfast/schema/event"
import { type Adoption, adopted, withoutPermissions } from "@holdfast/schema/bundle/adopt"
import type { BlobPiece, BundleEvent } from "@holdfast/schema/bundle/line"
import { liftFields } from "@holdfast/schema/fact/version"
import type { PromptId } from "@holdfast/schema/id"
import type { JsonObject } from "@holdfast/schema/json"
import { emptySummary, isOpen, summarize } from "@holdfast/schema/state/summary"
import { CommandRefused, sqliteCode, StoreRefused } from "../../failure.ts"
import type { BlobWrite, ImportSession, OutcomeOf } from "../../port.ts"
import { writeColumns } from "../append-facts.ts"
import { putBlob } from "../blob.ts"
import type { Connection } from "../connection.ts"
import { checksumOf, type EventColumns } from "../event-row.ts"
import { type Applied, findPrompt } from "../input-commands.ts"
import { heldLease } from "../lease/row.ts"
import {
  decodeSession,
  findSession,
  insertSession,
  type KeyedSession,
  updateSession,
} from "../session-row.ts"
import { stagedLines } from "./staged-lines.ts"

type Outcome = OutcomeOf<ImportSession>

export function importSession(
  connection: Connection,
  blobs: string,
  command: ImportSession,
): Applied<ImportSession> {
  connection.exec("SAVEPOINT bundle")
  try {
    const outcome = takeOver(connection, blobs, command)
    const wrote =
      outcome.kind === "imported" && (outcome.change === "created" || outcome.change === "extended")
    connection.exec(wrote ? "RELEASE bundle" : "ROLLBACK TO bundle")
    if (!wrote) connection.exec("RELEASE bundle")
    return { outcome, advanced: wrote ? outcome.row.seq : null }
  } catch (cause) {
    if (!isMisfit(cause)) throw cause
    connection.exec("ROLLBACK TO bundle")
    connection.exec("RELEASE bundle")
    return { outcome: { kind: "refused", problem: cause.message }, advanced: null }
  }
}

const constraint = 19

/** A fact that does not fit those before it; anything else is the disk's word. */
const isMisfit = (cause: unknown): cause is Error =>
  cause instanceof CommandRefused || ((sqliteCode(cause) ?? 0) & 0xff) === constraint

function takeOver(connection: Connection, blobs: string, command: ImportSession): Outcome {
  const adoption = adoptionOf(command)
  const known = findSession(connection, command.session)
  const lease = known === undefined ? null : heldLease(connection, known)
  let session = known ?? insertSession(connection, command.session, emptySummary)
  const before = session.summary
  let last = 0
  const pending = new Map<string, Buffer>()
  for (const line of stagedLines(command.staged)) {
    if (line.kind === "blob") {
      const blob = wholeBlob(pending, line)
      if (blob !== null && last >= before.seq) putBlob(connection, blobs, session.key, blob)
    } else if (line.kind === "event") {
      last = line.seq
      const event = adoptedEvent(command, line, adoption)
      if (last <= before.seq) {
        if (!isSame(connection, session, event)) return diverged(line)
        continue
      }
      if (lease !== null) return { kind: "held", lease }
      const taken = "prompt" in event.fact ? findPrompt(connection, event.fact.prompt) : undefined
      if (taken !== undefined && taken.session !== session.key) return diverged(line, 0)
      session = write(connection, session, event)
    }
  }
  if (last < before.seq) return { kind: "imported", change: "older", row: decodeSession(session) }
  if (last === before.seq) return { kind: "imported", change: "same", row: decodeSession(session) }
  checkWhole(connection, session, command)
  updateSession(connection, session, before)
  return {
    kind: "imported",
    change: known === undefined ? "created" : "extended",
    row: decodeSession(session),
  }
}

/** Prompt ids of a copy follow from its own id and theirs, so that a repeat is the same. */
const adoptionOf = ({ session, trusted, copy }: ImportSession): Adoption => ({
  trusted,
  copy,
  promptId: (prompt) => `imp_${hash("sha256", `${session} ${prompt}`).slice(0, 32)}` as PromptId,
})

interface AdoptedEvent extends Event {
  readonly data: string
}

/** The text of a fact that is taken over as it is stays as it was written, in its version. */
function adoptedEvent(command: ImportSession, line: BundleEvent, adoption: Adoption): AdoptedEvent {
  const { seq, type, version, time, data } = line
  const theirs = liftedFact(type, version, data as JsonObject)
  const fact = adopted(theirs, adoption)
  const { type: _, ...fields } = fact
  const text = JSON.stringify(fact === theirs ? data : fields)
  return { session: command.session, seq, version, time, fact, data: text }
}

function liftedFact(type: string, version: number, data: JsonObject): Fact {
  const fields = liftFields(type as Fact["type"], version, data)
  if (fields === null) throw new CommandRefused(`it holds a ${type} of version ${version}`)
  return { type, ...fields } as Fact
}

/** The common beginning ends in front of this event; its words tell this way from any other. */
const diverged = (line: BundleEvent, common = line.seq - 1): Outcome => ({
  kind: "diverged",
  common,
  way: createHash("sha256").update(JSON.stringify(line)).digest(),
})

function isSame(connection: Connection, { key, id }: KeyedSession, event: AdoptedEvent): boolean {
  const row = connection.get<EventColumns>(
    "SELECT seq, type, version, time, data, checksum FROM event WHERE session = ? AND seq = ?",
    key,
    event.seq,
  )
  if (row === undefined || checksumOf(id, row) !== row.checksum)
    throw new StoreRefused("corrupt", `event ${event.seq} of ${id} is damaged or missing`)
  if (row.type !== event.fact.type || row.time !== event.time) return false
  if (row.data === event.data) return true
  const ours = liftedFact(row.type, row.version, JSON.parse(row.data) as JsonObject)
  return JSON.stringify(withoutPermissions(ours)) === JSON.stringify(withoutPermissions(event.fact))
}

function write(connection: Connection, session: KeyedSession, event: AdoptedEvent): KeyedSession {
  const { seq, version, time, data, fact } = event
  const row = { seq, type: fact.type, version, time, data }
  writeColumns(connection, session.key, { ...row, checksum: checksumOf(session.id, row) }, event)
  return { ...session, summary: summarize(session.summary, event) }
}

/** What only the whole log shows. */
function checkWhole(connection: Connection, { key, summary }: KeyedSession, { absent }: ImportSession): void {
  if (summary.kind !== "primary")
    throw new CommandRefused("it is the Session of a call or a job, not somebody's own")
  if (isOpen(summary)) throw new CommandRefused("a turn or a call of it has not settled")
  for (const sql of twiceSql)
    if (connection.get(sql, key) !== undefined) throw new CommandRefused("two messages or calls share an id")
  for (const hashed of absent) {
    // Named, not brought along, and yet here: it would show what belongs to another Session.
    const other = connection.get("SELECT 1 FROM blob_ref WHERE hash = ? AND session <> ?", hashed, key)
    if (other !== undefined) throw new CommandRefused(`it names the blob ${hashed} without bringing it`)
  }
}

const twiceSql = [
  "SELECT id FROM message WHERE session = ? GROUP BY id HAVING count(*) > 1 LIMIT 1",
  "SELECT call FROM part WHERE session = ? AND call IS NOT NULL GROUP BY call HAVING count(*) > 1 LIMIT 1",
]

/** The blob once its last piece is there. */
function wholeBlob(
  pending: Map<string, Buffer>,
  { hash: name, size, at, data }: BlobPiece,
): BlobWrite | null {
  const bytes = pending.get(name) ?? Buffer.alloc(size)
  pending.set(name, bytes)
  const end = at + bytes.write(data, at, "base64")
  if (end < size) return null
  pending.delete(name)
  return { hash: name, bytes }
}
