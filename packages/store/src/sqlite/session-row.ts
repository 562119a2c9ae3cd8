/**
 * The session row: a fold of a Session's events, kept so that lists and checks need no log.
 *
 * `advance` is pure and is the only place that says how an event changes the row, for commits and
 * for rebuilds alike. JSON columns stay text here; only readers parse them.
 *
 *   DR3  stopped: set by an interrupt, ended by the next input or turn.
 *   PR8  owing: set by a promotion, ended by a turn that settles done.
 */
import type { Event, FactOf } from "@holdfast/schema/event"
import type { SessionId, TurnId } from "@holdfast/schema/id"
import type { RestartPolicy } from "@holdfast/schema/session"
import type { SessionRow } from "../port.ts"
import type { Connection } from "./connection.ts"

export interface SessionColumns {
  readonly id: SessionId
  readonly location: string
  readonly title: string | null
  readonly model: string | null
  readonly policy: string
  readonly harness: string
  readonly created_at: number
  readonly updated_at: number
  readonly seq: number
  readonly turns: number
  readonly pending: number
  readonly owing: number
  readonly blocked: string | null
  readonly waiting: string | null
  readonly last_turn: string | null
  readonly interrupted_seq: number
  readonly stopped: number
  readonly open_turn: string | null
}

/** A stored row with the integer that stands for the Session inside the file. */
export interface KeyedSession extends SessionColumns {
  readonly key: number
}

export function firstColumns(
  session: SessionId,
  time: number,
  fact: FactOf<"session.created">,
): SessionColumns {
  return {
    id: session,
    ...createdColumns(fact),
    created_at: time,
    updated_at: time,
    seq: 0,
    turns: 0,
    pending: 0,
    owing: 0,
    blocked: null,
    waiting: null,
    last_turn: null,
    interrupted_seq: 0,
    stopped: 0,
    open_turn: null,
  }
}

export function advance<C extends SessionColumns>(row: C, event: Event): C {
  return { ...row, ...change(row, event), seq: event.seq, updated_at: event.time }
}

function change(row: SessionColumns, { seq, time, fact }: Event): Partial<SessionColumns> {
  switch (fact.type) {
    case "session.created":
      return { ...createdColumns(fact), created_at: time }
    case "session.updated":
      return updatedColumns(fact)
    case "session.moved":
      return { location: JSON.stringify(fact.location) }
    case "session.interrupted":
      return { interrupted_seq: seq, stopped: 1 }
    case "prompt.admitted":
      return { pending: row.pending + 1, stopped: 0 }
    case "prompt.cancelled":
      return { pending: row.pending - 1 }
    case "prompt.promoted":
      return { pending: row.pending - 1, owing: 1 }
    case "turn.started":
      return { turns: row.turns + 1, open_turn: fact.turn, blocked: null, waiting: null, stopped: 0 }
    case "turn.settled":
      return {
        last_turn: JSON.stringify({ status: fact.status, reason: fact.reason }),
        open_turn: row.open_turn === fact.turn ? null : row.open_turn,
        owing: fact.status === "done" ? 0 : row.owing,
        waiting: null,
      }
    default:
      return {}
  }
}

const createdColumns = (fact: FactOf<"session.created">) => ({
  location: JSON.stringify(fact.location),
  title: fact.title,
  model: jsonOrNull(fact.model),
  policy: fact.policy,
  harness: fact.harness,
})

const updatedColumns = (fact: FactOf<"session.updated">): Partial<SessionColumns> => ({
  ...(fact.title === undefined ? {} : { title: fact.title }),
  ...(fact.model === undefined ? {} : { model: JSON.stringify(fact.model) }),
  ...(fact.policy === undefined ? {} : { policy: fact.policy }),
  ...(fact.blocked === undefined ? {} : { blocked: jsonOrNull(fact.blocked) }),
  ...(fact.waiting === undefined ? {} : { waiting: jsonOrNull(fact.waiting) }),
})

const jsonOrNull = (value: object | null): string | null => (value === null ? null : JSON.stringify(value))

export function decodeSession(row: SessionColumns): SessionRow {
  return {
    id: row.id,
    location: JSON.parse(row.location),
    title: row.title,
    model: parseOrNull(row.model),
    policy: row.policy as RestartPolicy,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    seq: row.seq,
    turns: row.turns,
    pending: row.pending,
    owing: row.owing === 1,
    blocked: parseOrNull(row.blocked),
    waiting: parseOrNull(row.waiting),
    lastTurn: parseOrNull(row.last_turn),
    interruptedSeq: row.interrupted_seq,
    stopped: row.stopped === 1,
    openTurn: row.open_turn as TurnId | null,
  }
}

const parseOrNull = <A>(text: string | null): A | null => (text === null ? null : (JSON.parse(text) as A))

export const findSession = (connection: Connection, id: SessionId): KeyedSession | undefined =>
  connection.get<KeyedSession>("SELECT * FROM session WHERE id = ?", id)

export function insertSession(connection: Connection, row: SessionColumns): KeyedSession {
  const names = columnNames.join(", ")
  const marks = columnNames.map(() => "?").join(", ")
  const sql = `INSERT INTO session (${names}) VALUES (${marks}) RETURNING key`
  const inserted = connection.get<{ key: number }>(sql, ...columnNames.map((name) => row[name]))
  return { ...row, key: inserted?.key ?? 0 }
}

export function updateSession(connection: Connection, row: KeyedSession): void {
  connection.run(updateSql, ...changingNames.map((name) => row[name]), row.key)
}

const columnNames = [
  "id",
  "location",
  "title",
  "model",
  "policy",
  "harness",
  "created_at",
  "updated_at",
  "seq",
  "turns",
  "pending",
  "owing",
  "blocked",
  "waiting",
  "last_turn",
  "interrupted_seq",
  "stopped",
  "open_turn",
] as const satisfies readonly (keyof SessionColumns)[]

const changingNames = columnNames.slice(1)
const updateSql = `UPDATE session SET ${changingNames.map((name) => `${name} = ?`).join(", ")} WHERE key = ?`
