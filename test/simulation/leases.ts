/**
 * Leases as they really are: read from the store after every transaction of any process, so that a
 * drain's own idea of what it holds can be judged.
 *
 *   DR1  only the holder writes a drain's facts, and whoever lost a lease comes to a stop
 *   ST2  nobody takes the lease of a process that is at work
 */
import type { DatabaseSync, StatementSync } from "node:sqlite"
import { runtimeLimits } from "@holdfast/core/session/ports"
import type { World } from "../stage/scheduler.ts"

/** A process, as far as its leases are concerned. */
export interface Holder {
  readonly alive: boolean
  /** The Sessions it drains: one that lives may hold what its store did not take back. */
  readonly drains: readonly string[]
  /** Until when it could not renew for a reason: frozen, or a failing disk. */
  readonly hinderedMs: number
}

interface Row {
  readonly key: number
  readonly id: string
  readonly seq: number
  readonly owner: string | null
}

/** What anybody may write into a log. */
const outside = new Set([
  "session.created",
  "session.updated",
  "session.moved",
  "session.interrupted",
  "prompt.admitted",
  "prompt.edited",
  "prompt.cancelled",
  "message.quarantined",
  "notice.admitted",
  "command.ended",
  "ask.raised",
  "ask.answered",
  "ask.withdrawn",
  "signal.raised",
  "history.published",
  "job.settled",
])

const rowsSql = `SELECT session.key, id, summary ->> '$.seq' AS seq, json_extract(owner, '$.instance') AS owner
  FROM session LEFT JOIN lease ON lease.session = session.key`

/** A renewal that is due tells that the lease is lost; the slowest disk takes a second over it. */
const noticeMs = runtimeLimits.renewMs + 1_500
const missedMs = runtimeLimits.leaseMs + runtimeLimits.renewMs + 1_000

export class LeaseWatch {
  private readonly world: World
  private readonly holderOf: (name: string) => Holder
  private readonly met: (what: string) => void
  private readonly problem: (problem: string) => void
  private rows = new Map<string, Row>()
  private asked: { readonly database: DatabaseSync; readonly rows: StatementSync } | null = null
  /** When a process held a Session last, if it does no longer. */
  private readonly until = new Map<string, number>()

  constructor(
    world: World,
    holderOf: (name: string) => Holder,
    met: (what: string) => void,
    problem: (problem: string) => void,
  ) {
    this.world = world
    this.holderOf = holderOf
    this.met = met
    this.problem = problem
  }

  /** How far the logs go that a process finds: a power cut may have taken the last commits. */
  opened(database: DatabaseSync): ReadonlyMap<string, number> {
    this.rows = this.read(database)
    return new Map([...this.rows.values()].map(({ id, seq }) => [id, seq]))
  }

  ledBy(name: string): readonly string[] {
    return [...this.rows.values()].filter(({ owner }) => owner === name).map(({ id }) => id)
  }

  committed(database: DatabaseSync, writer: string): void {
    const rows = this.read(database)
    for (const row of rows.values()) {
      const before = this.rows.get(row.id)
      const holder = before?.owner ?? null
      // A log that was not there before is a copy, as far as it is more than its creation.
      if (before !== undefined && row.seq > before.seq && holder !== writer)
        this.checkFacts(database, row, before, writer)
      if (holder === null || holder === row.owner) continue
      this.until.set(`${row.id} ${holder}`, this.world.nowMs)
      if (holder !== writer) this.checkTaken(row, holder)
    }
    this.rows = rows
  }

  leads(session: string, name: string): boolean {
    return this.rows.get(session)?.owner === name
  }

  /** Called when a process does something for a Session that only its holder may do. */
  atWork(session: string, name: string, what: string): void {
    if (this.leads(session, name)) return
    const since = Math.max(this.until.get(`${session} ${name}`) ?? 0, this.holderOf(name).hinderedMs)
    const late = this.world.nowMs - since
    if (late <= noticeMs) this.met("work of a lost lease, not yet noticed")
    else this.problem(`[DR1] ${name} ${what} ${late} ms after its lease was lost`)
  }

  private checkFacts(database: DatabaseSync, row: Row, before: Row, writer: string): void {
    const types = database
      .prepare("SELECT type FROM event WHERE session = ? AND seq > ?")
      .all(row.key, before.seq) as { type: string }[]
    // Whoever withdraws an ask settles its call, which has not started (PE6).
    let withdrawn = types.filter(({ type }) => type === "ask.withdrawn").length
    const drains = types
      .filter(({ type }) => !outside.has(type) && !(type === "call.settled" && withdrawn-- > 0))
      .map(({ type }) => type)
    if (drains.length > 0)
      this.problem(`[DR1] ${writer} wrote ${drains.join(", ")} under a lease of ${before.owner ?? "nobody"}`)
  }

  private checkTaken(row: Row, holder: string): void {
    const { alive, hinderedMs, drains } = this.holderOf(holder)
    if (!alive) return this.met("takeover from a dead process")
    this.met("takeover by beat from a living process")
    if (drains.includes(row.id) && this.world.nowMs - hinderedMs > missedMs)
      this.problem(`[ST2] ${row.owner} took the lease of ${holder}, which was at work`)
  }

  private read(database: DatabaseSync): Map<string, Row> {
    const asked =
      this.asked?.database === database ? this.asked : { database, rows: database.prepare(rowsSql) }
    this.asked = asked
    const rows = asked.rows.all() as unknown as Row[]
    return new Map(rows.map((row) => [row.id, row]))
  }
}
