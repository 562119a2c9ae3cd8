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
 *
 * A long log is copied in steps, each a transaction, so that nobody waits long for the writer. Until the
 * last one its rows belong to no Session (copy-row.ts); that one makes them a Session, all at once.
 */
import type { Event, Fact, FactOf } from "@holdfast/schema/event"
import { factVersions, liftFields } from "@holdfast/schema/fact/version"
import type { PromptId, SessionId } from "@holdfast/schema/id"
import { emptySummary, summarize, type Summary } from "@holdfast/schema/state/summary"
import { Unfinished } from "@holdfast/schema/state/unfinished"
import { StoreRefused } from "../../failure.ts"
import type { ForkSession, OutcomeOf } from "../../port.ts"
import { appendFacts, writeEvent } from "../append-facts.ts"
import type { Connection } from "../connection.ts"
import { checksumOf, type EventColumns } from "../event-row.ts"
import { createdFact, type Stepped } from "../input-commands.ts"
import { decodeSession, findSession, type KeyedSession } from "../session-row.ts"
import { hasCopied, insertCopy, nameCopy, removeCopy } from "./copy-row.ts"
import { findForkEnd } from "./end.ts"

/** What is copied in one transaction: others wait for no more than that. */
const stepEvents = 128

/** A copy that is not at its end yet. */
interface Copying {
  readonly source: number
  readonly progress: Progress
  readonly steps: Generator<void, KeyedSession>
}

/** How far the rows are: what the store must show when the next step begins. */
interface Progress {
  key: number | null
  seq: number
}

/** By the command that asked for it, which comes again until the copy is there. */
const copies = new WeakMap<ForkSession, Copying>()

export function forkSession(connection: Connection, command: ForkSession): Stepped<ForkSession> {
  const begun = copies.get(command)
  copies.delete(command)
  const known = findSession(connection, command.session)
  const source = findSession(connection, command.source)
  if (known !== undefined || source === undefined) {
    dropCopy(connection, begun)
    const outcome =
      known === undefined ? ({ kind: "no-session" } as const) : repeatOf(connection, known, command)
    return { outcome, advanced: null }
  }
  if (begun !== undefined && isAsLeft(connection, source, begun))
    return step(connection, source, command, begun)
  const end = findForkEnd(connection, source, command.message)
  if (typeof end !== "number") return { outcome: { kind: end }, advanced: null }
  dropCopy(connection, begun)
  const progress: Progress = { key: null, seq: 0 }
  // Somebody has taken away the rows of a copy that was begun: this time nobody comes in between.
  const eventsAtOnce = begun === undefined ? stepEvents : Infinity
  const steps = copyLog(connection, source, end, command, { progress, eventsAtOnce })
  return step(connection, source, command, { source: source.key, progress, steps })
}

function step(
  connection: Connection,
  source: KeyedSession,
  command: ForkSession,
  copying: Copying,
): Stepped<ForkSession> {
  const { done, value: copied } = copying.steps.next()
  if (done !== true) {
    copies.set(command, copying)
    return "unfinished"
  }
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

/** Whether source and copy are what the last step left: its transaction may have failed, and others write too. */
function isAsLeft(connection: Connection, source: KeyedSession, { source: key, progress }: Copying): boolean {
  if (source.key !== key) return false
  if (progress.key === null) return true
  return hasCopied(connection, progress.key) === progress.seq
}

function dropCopy(connection: Connection, begun: Copying | undefined): void {
  const key = begun?.progress.key ?? null
  if (key !== null) removeCopy(connection, key)
}

/** A repeat asks for the same of the same source; where that copy ended is not asked again. */
function repeatOf(
  connection: Connection,
  known: KeyedSession,
  { source, message, title }: ForkSession,
): OutcomeOf<ForkSession> {
  const created = createdFact(connection, known)
  const origin = created?.origin ?? null
  const same =
    origin?.kind === "fork" &&
    origin.source === source &&
    (origin.message ?? null) === message &&
    created?.title === title
  return same ? { kind: "forked", row: decodeSession(known), repeated: true } : { kind: "conflict" }
}

/** Pauses where a step ends; its rows become those of a Session with the last one. */
function* copyLog(
  connection: Connection,
  source: KeyedSession,
  end: number,
  command: ForkSession,
  { progress, eventsAtOnce }: { readonly progress: Progress; readonly eventsAtOnce: number },
): Generator<void, KeyedSession> {
  const isPause = (seq: number) => seq % eventsAtOnce === 0 && end > eventsAtOnce
  const unfinished = new Unfinished()
  for (const event of soundFacts(connection, source, end)) {
    unfinished.see(event)
    if (isPause(event.seq)) yield
  }
  const open = unfinished.sequences()
  const key = (progress.key = insertCopy(connection))
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
    progress.seq = seq
    if (isPause(seq)) yield
  }
  const fork = { key, id: command.session, summary }
  nameCopy(connection, fork)
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
