/**
 * The reading side of the store, synchronous, on a connection of the calling thread.
 *
 * Each read that needs more than one statement runs in one snapshot, so it never mixes two states
 * of the store. `window` costs what the window holds, not what the Session has been through.
 */
import type { FactOf } from "@holdfast/schema/event"
import type { PromptId, SessionId } from "@holdfast/schema/id"
import type { ModelRef } from "@holdfast/schema/model"
import type { AdmittedPrompt, Delivery } from "@holdfast/schema/prompt"
import { inWindow } from "@holdfast/schema/state/frozen"
import type { AdmittedInput } from "@holdfast/schema/state/inbox"
import { type EpochState, modelKey, type SessionState, type TurnState } from "@holdfast/schema/state/state"
import type {
  Lease,
  PromptRow,
  ScratchPart,
  ScratchPiece,
  SessionList,
  SessionRow,
  SessionWindow,
} from "../port.ts"
import { inSnapshot } from "./connection.ts"
import type { Connection } from "./connection.ts"
import { timeIndex } from "./drain-commands.ts"
import { decodeEvent } from "./event-decode.ts"
import { findPrompt, receiptOf } from "./input-commands.ts"
import { heldLease } from "./lease/row.ts"
import { readMarked } from "./marked.ts"
import { eventAt } from "./read-events.ts"
import type { Source } from "./read-events.ts"
import { readLastTurn, readWindowMessages } from "./read-messages.ts"
import { decodeSession, findSession, listSessions } from "./session-row.ts"
import type { KeyedSession } from "./session-row.ts"

export function readSession(connection: Connection, id: SessionId): SessionRow | null {
  const row = findSession(connection, id)
  return row === undefined ? null : decodeSession(row)
}

/** Newest first, by creation. What lies beside a Session that is gone is empty. */
export function readSessions(connection: Connection, list: SessionList): readonly SessionRow[] {
  const keyOf = (id: SessionId | undefined, otherwise: number): number | undefined =>
    id === undefined ? otherwise : findSession(connection, id)?.key
  const below = keyOf(list.after, Number.MAX_SAFE_INTEGER)
  const above = keyOf(list.before, 0)
  if (below === undefined || above === undefined) return []
  const order = list.before === undefined ? "DESC" : "ASC"
  const rows = listSessions(connection, list, order, above, below)
  return (list.before === undefined ? rows : rows.toReversed()).map(decodeSession)
}

/** Runs `read` on one Session in one snapshot; null if there is no such Session. */
export function readFrom<A>(
  connection: Connection,
  id: SessionId,
  read: (source: Source, row: KeyedSession) => A,
): A | null {
  return inSnapshot(connection, () => {
    const row = findSession(connection, id)
    return row === undefined
      ? null
      : read({ connection, key: row.key, id, damage: [], decode: decodeEvent }, row)
  })
}

/** The state that folding the whole log would give, from what the window holds of it. */
export function readWindow(source: Source, row: KeyedSession): SessionWindow {
  const { summary } = row
  const marked = readMarked(source)
  const messages = readWindowMessages(source, summary.windowFrom, summary.windowKept)
  const lastTurn = readLastTurn(source)
  const state: SessionState = {
    ...marked,
    summary,
    epoch: readEpoch(source),
    messages: messages.filter((message) => inWindow(message, marked.frozen, summary.epochSeq)),
    inbox: readPending(source),
    lastTurn: lastTurn && turnState(lastTurn),
  }
  return { session: row.id, state, ...readScratch(source, summary.openTurn), damage: source.damage }
}

const turnState = ({ startedAt, started, settled }: TurnState): TurnState => ({ startedAt, started, settled })

/** Prompts and notices in the order in which they were admitted. */
const readPending = (source: Source): readonly AdmittedInput[] =>
  [...readInbox(source), ...readNotices(source)].sort((a, b) => a.admittedSeq - b.admittedSeq)

function readNotices(source: Source): readonly AdmittedInput[] {
  const rows = source.connection.all<{ seq: number }>(
    "SELECT admitted_seq AS seq FROM notice INDEXED BY notice_pending WHERE session = ? AND promoted_seq IS NULL",
    source.key,
  )
  return rows.flatMap(({ seq }) => {
    const admitted = eventAt(source, seq, "notice.admitted")
    if (admitted === null) return []
    const { type: _, ...notice } = admitted.fact
    return { ...notice, session: source.id, admittedSeq: seq, bodySeq: seq }
  })
}

export function readInbox(source: Source): readonly AdmittedPrompt[] {
  const rows = source.connection.all<{
    prompt: PromptId
    admitted_seq: number
    body_seq: number
    delivery: Delivery
  }>(
    // Not left to the planner: another way would lead through everything that was ever admitted.
    `SELECT prompt, admitted_seq, body_seq, delivery FROM inbox INDEXED BY inbox_pending
     WHERE session = ? AND state = 'pending' ORDER BY admitted_seq`,
    source.key,
  )
  return rows.flatMap((row) => {
    const body = eventAt(source, row.body_seq, "prompt.admitted", "prompt.edited")
    if (body === null) return []
    return {
      id: row.prompt,
      session: source.id,
      admittedSeq: row.admitted_seq,
      bodySeq: row.body_seq,
      text: body.fact.text,
      ...(body.fact.images && { images: body.fact.images }),
      ...("calls" in body.fact && body.fact.calls && { calls: body.fact.calls }),
      delivery: row.delivery,
      ...(isForSidekick(source, row.admitted_seq, body.fact) && { sidekick: true as const }),
    }
  })
}

/** An edit does not say so: the admission stands. */
const isForSidekick = (
  source: Source,
  admittedSeq: number,
  body: FactOf<"prompt.admitted" | "prompt.edited">,
): boolean =>
  (body.type === "prompt.admitted" ? body : eventAt(source, admittedSeq, "prompt.admitted")?.fact)
    ?.sidekick === true

/** Of the Sessions with these keys. There is no index of pending prompts alone, so that all of theirs are passed. */
export function countPending(connection: Connection, fromKey: number, toKey: number): number {
  const row = connection.get<{ prompts: number; notices: number }>(
    `SELECT
       (SELECT count(*) FROM inbox INDEXED BY inbox_pending
        WHERE session BETWEEN ?1 AND ?2 AND state = 'pending') AS prompts,
       (SELECT count(*) FROM notice INDEXED BY notice_pending
        WHERE session BETWEEN ?1 AND ?2 AND promoted_seq IS NULL) AS notices`,
    fromKey,
    toKey,
  )
  return (row?.prompts ?? 0) + (row?.notices ?? 0)
}

export const lastKey = (connection: Connection): number =>
  connection.get<{ key: number | null }>("SELECT max(key) AS key FROM session")?.key ?? 0

export function readPrompt(connection: Connection, id: PromptId): PromptRow | null {
  return inSnapshot(connection, () => {
    const row = findPrompt(connection, id)
    if (row === undefined) return null
    const session = connection.get<{ id: SessionId }>("SELECT id FROM session WHERE key = ?", row.session)
    if (session === undefined) return null
    return { receipt: receiptOf(session.id, row), message: row.message as PromptRow["message"] }
  })
}

export function readLease(connection: Connection, id: SessionId): Lease | null {
  return readFrom(connection, id, (_, row) => heldLease(connection, row))
}

/**
 * A damaged row teaches nothing; the Session that it belongs to reports it. No snapshot: every turn asks, what
 * was learned never changes, and a Session that goes in between teaches nothing either.
 */
export function readLearnedWindow(connection: Connection, model: ModelRef, sinceMs: number): number | null {
  const rows = connection.all<{ key: number; id: SessionId; seq: number }>(
    `SELECT session.key, session.id, mark.seq FROM mark INDEXED BY mark_limit
     JOIN event ON event.session = mark.session AND event.seq = mark.seq
     JOIN session ON session.key = mark.session
     WHERE mark.kind = 'limit' AND mark.id = ? AND event.time >= ? ORDER BY event.time DESC, session.key DESC`,
    modelKey(model),
    sinceMs,
  )
  for (const { key, id, seq } of rows) {
    const learned = eventAt({ connection, key, id, damage: [], decode: decodeEvent }, seq, "limit.learned")
    if (learned !== null) return learned.fact.contextTokens
  }
  return null
}

export function readUnsettled(connection: Connection): readonly SessionId[] {
  const rows = connection.all<{ id: SessionId }>(
    `SELECT id FROM session WHERE key IN (
       SELECT key FROM session WHERE open = 1
       UNION SELECT session FROM lease WHERE owner IS NOT NULL
       UNION SELECT key FROM session WHERE due = 1
     ) ORDER BY key`,
  )
  return rows.map((row) => row.id)
}

function readEpoch(source: Source): EpochState | null {
  const row = source.connection.get<{ started_seq: number; snapshot: string }>(
    "SELECT started_seq, snapshot FROM epoch WHERE session = ?",
    source.key,
  )
  if (row === undefined) return null
  const started = eventAt(source, row.started_seq, "epoch.started")
  if (started === null) return null
  return {
    startedSeq: row.started_seq,
    baseline: started.fact.baseline,
    snapshot: JSON.parse(row.snapshot) as EpochState["snapshot"],
  }
}

function readScratch(
  source: Source,
  openTurn: string | null,
): Pick<SessionWindow, "scratch" | "checkpointedAt"> {
  if (openTurn === null) return { scratch: [], checkpointedAt: null }
  const rows = source.connection.all<ScratchPiece>(
    'SELECT idx AS "index", at, type, text FROM scratch WHERE session = ? AND turn = ? ORDER BY idx, at',
    source.key,
    openTurn,
  )
  const parts = new Map<number, ScratchPart>()
  let checkpointedAt: number | null = null
  for (const { index, at, type, text } of rows) {
    if (index === timeIndex) checkpointedAt = at
    else parts.set(index, { index, type, text: (parts.get(index)?.text ?? "") + text })
  }
  return { scratch: [...parts.values()], checkpointedAt }
}
