/**
 * Messages and turns as they stand in Session History, put together from projections and log.
 *
 * A part whose events are not all sound is left out as a whole: a call without its outcome would
 * look like one that still runs (TU2).
 */
import type { CallId, MessageId, TurnId } from "@holdfast/schema/id"
import type { CallState, IndexedPart, Message, Part } from "@holdfast/schema/message"
import { promotedMessage, recordedPart, settledCall, systemMessage } from "@holdfast/schema/state/state"
import type { MessageList, SequenceList, StoredTurn } from "../port.ts"
import { eventAt } from "./read-events.ts"
import type { Source } from "./read-events.ts"

interface MessageColumns {
  readonly seq: number
  readonly id: MessageId
  readonly kind: Message["kind"]
  readonly body_seq: number
  readonly turn: TurnId | null
  /** Sequence of the event that took it out, or null. */
  readonly quarantined: number | null
}

interface PartColumns {
  readonly message_seq: number
  readonly idx: number
  readonly seq: number
  readonly call: CallId | null
  readonly state: CallState | null
  readonly settled_seq: number | null
}

interface TurnColumns {
  readonly started_seq: number
  readonly settled_seq: number | null
}

const messageColumns = `seq, id, kind, body_seq, turn, (SELECT quarantine.seq FROM quarantine
  WHERE quarantine.session = message.session AND message_seq = message.seq) AS quarantined`

export function readMessages(source: Source, list: MessageList): readonly Message[] {
  const { before, order, inOrder } = bounds(list)
  const rows = source.connection.all<MessageColumns>(
    `SELECT ${messageColumns} FROM message
     WHERE session = ? AND seq > ? AND seq < ? AND (? OR kind <> 'system') ORDER BY seq ${order} LIMIT ?`,
    source.key,
    list.afterSeq,
    before,
    list.system ? 1 : 0,
    list.limit,
  )
  return assemble(source, inOrder(rows))
}

/** Found among the rows of its Session, which lie together; there is no index on ids. */
export function readMessage(source: Source, id: MessageId): Message | null {
  const row = source.connection.get<MessageColumns>(
    `SELECT ${messageColumns} FROM message WHERE session = ? AND id = ?`,
    source.key,
    id,
  )
  return row === undefined ? null : (assemble(source, [row])[0] ?? null)
}

/** How a list is read: from its start, or from its end and then turned round. */
function bounds({ beforeSeq }: SequenceList) {
  return beforeSeq === undefined
    ? { before: Number.MAX_SAFE_INTEGER, order: "ASC", inOrder: <A>(rows: readonly A[]) => rows }
    : { before: beforeSeq, order: "DESC", inOrder: <A>(rows: readonly A[]) => rows.toReversed() }
}

/** From the lower bound of the frozen state on, with what it keeps from below; render decides the rest. */
export function readWindowMessages(
  source: Source,
  from: number,
  kept: readonly number[],
): readonly Message[] {
  const rows = source.connection.all<MessageColumns>(
    `SELECT ${messageColumns} FROM message WHERE session = ?1 AND seq IN (SELECT value FROM json_each(?3))
     UNION ALL SELECT ${messageColumns} FROM message WHERE session = ?1 AND seq >= ?2 ORDER BY seq`,
    source.key,
    from,
    JSON.stringify(kept.filter((seq) => seq < from)),
  )
  return assemble(source, rows)
}

export function readTurns(
  source: Source,
  list: SequenceList = { afterSeq: 0, limit: Number.MAX_SAFE_INTEGER },
): readonly StoredTurn[] {
  const { before, order, inOrder } = bounds(list)
  const rows = source.connection.all<TurnColumns>(
    `SELECT started_seq, settled_seq FROM turn
     WHERE session = ? AND started_seq > ? AND started_seq < ? ORDER BY started_seq ${order} LIMIT ?`,
    source.key,
    list.afterSeq,
    before,
    list.limit,
  )
  return inOrder(rows).flatMap((row) => turnRecord(source, row) ?? [])
}

export function readLastTurn(source: Source): StoredTurn | null {
  const row = source.connection.get<TurnColumns>(
    "SELECT started_seq, settled_seq FROM turn WHERE session = ? ORDER BY started_seq DESC LIMIT 1",
    source.key,
  )
  return row === undefined ? null : turnRecord(source, row)
}

function turnRecord(source: Source, row: TurnColumns): StoredTurn | null {
  const started = eventAt(source, row.started_seq, "turn.started")
  if (started === null) return null
  const settled = row.settled_seq === null ? null : eventAt(source, row.settled_seq, "turn.settled")
  // Without its settlement it would look like one that still runs, and be settled again.
  if (settled === null && row.settled_seq !== null) return null
  return {
    startedSeq: started.seq,
    startedAt: started.time,
    started: started.fact,
    settled: settled?.fact ?? null,
  }
}

function assemble(source: Source, rows: readonly MessageColumns[]): readonly Message[] {
  const parts = partsOf(source, rows)
  return rows.flatMap((row) => messageOf(source, row, parts.get(row.seq) ?? []) ?? [])
}

function partsOf(source: Source, rows: readonly MessageColumns[]): ReadonlyMap<number, PartColumns[]> {
  const answers = rows.filter((row) => row.kind === "assistant")
  const first = answers[0]
  const last = answers.at(-1)
  const bySeq = new Map<number, PartColumns[]>()
  if (first === undefined || last === undefined) return bySeq
  const found = source.connection.all<PartColumns>(
    `SELECT message_seq, idx, seq, call, state, settled_seq FROM part
     WHERE session = ? AND message_seq BETWEEN ? AND ? ORDER BY message_seq, idx`,
    source.key,
    first.seq,
    last.seq,
  )
  for (const part of found) {
    const group = bySeq.get(part.message_seq)
    if (group === undefined) bySeq.set(part.message_seq, [part])
    else group.push(part)
  }
  return bySeq
}

function messageOf(source: Source, row: MessageColumns, parts: readonly PartColumns[]): Message | null {
  const base = { id: row.id, seq: row.seq }
  const taken = row.quarantined === null ? {} : { quarantined: row.quarantined }
  switch (row.kind) {
    case "user":
    case "notice": {
      const promoted = eventAt(source, row.seq, "prompt.promoted", "notice.promoted")
      const body = eventAt(source, row.body_seq, "prompt.admitted", "prompt.edited", "notice.admitted")
      if (promoted === null || body === null) return null
      return { ...promotedMessage(promoted.fact, row.seq, body.fact), ...taken }
    }
    case "system": {
      const body = eventAt(source, row.body_seq, "context.updated")
      return body && systemMessage(body.fact, row.seq)
    }
    case "assistant": {
      if (row.turn === null) return null
      const indexed = parts.flatMap((part) => indexedPart(source, part) ?? [])
      return { ...base, kind: "assistant", turn: row.turn, parts: indexed, ...taken }
    }
  }
}

function indexedPart(source: Source, row: PartColumns): IndexedPart | null {
  const recorded = eventAt(source, row.seq, "part.recorded")
  const part = recorded && partOf(source, row, recordedPart(row.seq, recorded.fact))
  return part && { index: row.idx, part, tokens: recorded.fact.tokens }
}

function partOf(source: Source, row: PartColumns, part: Part): Part | null {
  if (part.type !== "call") return part
  if (row.settled_seq === null) return { ...part, state: row.state ?? "pending" }
  const settled = eventAt(source, row.settled_seq, "call.settled")
  return settled && settledCall(part, settled.fact)
}
