/**
 * The reading side of the store, synchronous, on a connection of the calling thread.
 *
 * Each read that needs more than one statement runs in one snapshot, so it never mixes two states
 * of the store. `window` costs what the window holds, not what the Session has been through.
 */
import type { PromptId, SessionId } from "@holdfast/schema/id"
import type { AdmittedPrompt, Delivery } from "@holdfast/schema/prompt"
import type { Reduction } from "@holdfast/schema/reduction"
import type {
  EpochRecord,
  Lease,
  PromptRow,
  ScratchPart,
  SessionList,
  SessionRow,
  SessionWindow,
} from "../port.ts"
import { inSnapshot } from "./connection.ts"
import type { Connection } from "./connection.ts"
import { findPrompt, receiptOf } from "./input-commands.ts"
import { heldLease } from "./lease-row.ts"
import { eventAt } from "./read-events.ts"
import type { Source } from "./read-events.ts"
import { readLastTurn, readWindowMessages } from "./read-messages.ts"
import { decodeSession, findSession } from "./session-row.ts"
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
  const rows = connection.all<KeyedSession>(
    `SELECT * FROM session WHERE key < ? AND key > ? ORDER BY key ${order} LIMIT ?`,
    below,
    above,
    list.limit,
  )
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
    return row === undefined ? null : read({ connection, key: row.key, id, damage: [] }, row)
  })
}

export function readWindow(source: Source, row: KeyedSession): SessionWindow {
  const epoch = readEpoch(source)
  const cut = source.connection.get<{ keep_from: number }>(
    "SELECT keep_from FROM reduction WHERE session = ? ORDER BY seq DESC LIMIT 1",
    source.key,
  )
  const reductions = readReductions(source)
  const messages = readWindowMessages(source, {
    keepFrom: cut?.keep_from ?? 0,
    kept: reductions.at(-1)?.kept ?? [],
    systemAbove: epoch?.startedSeq ?? null,
  })
  return {
    session: decodeSession(row),
    epoch,
    messages,
    reductions,
    inbox: readInbox(source),
    lastTurn: readLastTurn(source),
    scratch: readScratch(source, row.open_turn),
    damage: source.damage,
  }
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
      delivery: row.delivery,
    }
  })
}

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

export function readUnsettled(connection: Connection): readonly SessionId[] {
  const rows = connection.all<{ id: SessionId }>(
    `SELECT id FROM session WHERE key IN (
       SELECT key FROM session WHERE open_turn IS NOT NULL
       UNION SELECT session FROM part WHERE state IN ('pending', 'running')
       UNION SELECT session FROM lease WHERE owner IS NOT NULL
       UNION SELECT key FROM session WHERE policy = 'continue' AND (owing = 1 OR pending > 0)
     ) ORDER BY key`,
  )
  return rows.map((row) => row.id)
}

function readEpoch(source: Source): EpochRecord | null {
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
    snapshot: JSON.parse(row.snapshot) as EpochRecord["snapshot"],
  }
}

function readReductions(source: Source): readonly Reduction[] {
  const rows = source.connection.all<{ seq: number }>(
    "SELECT seq FROM reduction WHERE session = ? ORDER BY seq",
    source.key,
  )
  return rows.flatMap((row) => eventAt(source, row.seq, "reduction.applied")?.fact.reduction ?? [])
}

function readScratch(source: Source, openTurn: string | null): readonly ScratchPart[] {
  if (openTurn === null) return []
  const rows = source.connection.all<ScratchPart>(
    'SELECT idx AS "index", type, text FROM scratch WHERE session = ? AND turn = ? ORDER BY idx, at',
    source.key,
    openTurn,
  )
  const parts = new Map<number, ScratchPart>()
  for (const { index, type, text } of rows) {
    parts.set(index, { index, type, text: (parts.get(index)?.text ?? "") + text })
  }
  return [...parts.values()]
}
