/**
 * A fork: the log of a Session, up to a settled point, as the log of another (SS1).
 *
 *   1         session.created of its own, which names the source and where the copy ends
 *   2 … n     the facts of the source, each at its own sequence
 *   n + 1 …   what the fork is as its person finds it
 *
 * Facts name each other by sequence, so every one keeps its own. They keep their ids too, which are
 * looked for within a Session; only those of prompts are unique in the store and are made anew (PR2).
 * What the source still waits for there is its own (PE6): a fact that changes nothing takes that place.
 * Blobs are shared. Nothing is read but rows whose checksum is right: a copy would hide the damage.
 */
import type { Event, Fact, FactOf } from "@holdfast/schema/event"
import { factVersions, liftFields } from "@holdfast/schema/fact/version"
import type { PromptId, SessionId } from "@holdfast/schema/id"
import { emptySummary, summarize, type Summary } from "@holdfast/schema/state/summary"
import { unfinished } from "@holdfast/schema/state/unfinished"
import { StoreRefused } from "../../failure.ts"
import type { ForkSession } from "../../port.ts"
import { appendFacts, writeEvent } from "../append-facts.ts"
import type { Connection } from "../connection.ts"
import { checksumOf, type EventColumns } from "../event-row.ts"
import { type Applied, createdFact } from "../input-commands.ts"
import {
  decodeSession,
  findSession,
  insertSession,
  type KeyedSession,
  updateSession,
} from "../session-row.ts"
import { findForkEnd } from "./end.ts"

export function forkSession(connection: Connection, command: ForkSession): Applied<ForkSession> {
  const known = findSession(connection, command.session)
  if (known !== undefined) return { outcome: repeatOf(connection, known, command), advanced: null }
  const source = findSession(connection, command.source)
  if (source === undefined) return { outcome: { kind: "no-session" }, advanced: null }
  const end = findForkEnd(connection, source, command.message)
  if (typeof end !== "number") return { outcome: { kind: end }, advanced: null }
  const copied = copyLog(connection, source, end, command)
  shareBlobs(connection, source.key, copied.key)
  const fork = appendFacts(
    connection,
    copied,
    command.time,
    ownFacts(source.summary, copied.summary, command),
  )
  return {
    outcome: { kind: "forked", row: decodeSession(fork), repeated: false },
    advanced: fork.summary.seq,
  }
}

/** A repeat asks for the same of the same source; where that copy ended is not asked again. */
function repeatOf(
  connection: Connection,
  known: KeyedSession,
  { source, message, title }: ForkSession,
): Applied<ForkSession>["outcome"] {
  const created = createdFact(connection, known)
  const origin = created?.origin ?? null
  const same =
    origin?.kind === "fork" &&
    origin.source === source &&
    (origin.message ?? null) === message &&
    created?.title === title
  return same ? { kind: "forked", row: decodeSession(known), repeated: true } : { kind: "conflict" }
}

function copyLog(
  connection: Connection,
  source: KeyedSession,
  end: number,
  command: ForkSession,
): KeyedSession {
  const { key } = insertSession(connection, command.session, emptySummary)
  const open = unfinished(soundFacts(connection, source, end))
  const promptIds = new Map<string, PromptId>()
  let summary = emptySummary
  for (const { seq, time, fact: theirs } of soundFacts(connection, source, end)) {
    const created = theirs.type === "session.created"
    const fact = created
      ? forkCreated(theirs, end, command)
      : open.has(seq)
        ? nothing
        : withOwnPrompt(theirs, command, promptIds)
    const version = factVersions[fact.type]
    const event: Event = {
      session: command.session,
      seq,
      version,
      time: created ? command.time : time,
      fact,
    }
    writeEvent(connection, key, event)
    summary = summarize(summary, event)
  }
  const fork = { key, id: command.session, summary }
  updateSession(connection, fork, emptySummary)
  return fork
}

const nothing: Fact = { type: "session.updated" }

/** A fork is somebody's own, whatever its source was. Its title is the one that was asked for, to know a repeat by. */
const forkCreated = (
  fact: FactOf<"session.created">,
  seq: number,
  { source, message, title }: ForkSession,
): Fact => ({
  ...fact,
  kind: "primary",
  parent: null,
  origin: { kind: "fork", source, seq, ...(message !== null && { message }) },
  title,
  titledBy: title === null ? "runtime" : "person",
})

function withOwnPrompt(fact: Fact, { prompts }: ForkSession, ids: Map<string, PromptId>): Fact {
  if (!("prompt" in fact)) return fact
  const prompt = ids.get(fact.prompt) ?? (`${prompts}:${ids.size + 1}` as PromptId)
  ids.set(fact.prompt, prompt)
  return { ...fact, prompt }
}

/**
 * What people decide about a Session is as the source has it now. Nobody works on the fork yet, and
 * where it owes an answer, nothing begins with it before somebody asks (DR5).
 */
function ownFacts(source: Summary, copied: Summary, { title: asked }: ForkSession): readonly Fact[] {
  const { policy, onAsk, allow, budget } = source
  const title =
    asked === null
      ? { title: source.title, titledBy: source.titledBy }
      : { title: asked, titledBy: "person" as const }
  const settled = { archived: false, blocked: null, waiting: null }
  const stop: readonly Fact[] = copied.owing ? [{ type: "session.interrupted" }] : []
  return [{ type: "session.updated", ...title, policy, onAsk, allow, budget, ...settled }, ...stop]
}

function shareBlobs(connection: Connection, source: number, fork: number): void {
  connection.run("INSERT INTO blob_ref SELECT ?, hash FROM blob_ref WHERE session = ?", fork, source)
}

const pageLength = 1_000

/** The facts up to a sequence. The writer has no schema: it takes them as they were written. */
function* soundFacts(
  connection: Connection,
  { key, id }: KeyedSession,
  end: number,
): Generator<Pick<Event, "seq" | "time" | "fact">> {
  for (let at = 0; at < end;) {
    const rows = connection.all<EventColumns>(
      `SELECT seq, type, version, time, data, checksum FROM event
       WHERE session = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ${pageLength}`,
      key,
      at,
      end,
    )
    if (rows.length === 0) throw damaged(id, at + 1)
    for (const { seq, type, version, time, data, checksum } of rows) {
      const sound = seq === at + 1 && checksumOf(id, { seq, type, version, time, data }) === checksum
      if (!sound) throw damaged(id, at + 1)
      at = seq
      const fields = liftFields(type as Fact["type"], version, JSON.parse(data))
      if (fields === null) throw new StoreRefused("newer", `event ${seq} of ${id} is a ${type} of ${version}`)
      yield { seq, time, fact: { type, ...fields } as Fact }
    }
  }
}

const damaged = (session: SessionId, seq: number): StoreRefused =>
  new StoreRefused("corrupt", `event ${seq} of ${session} is damaged or missing, and a copy would hide it`)
