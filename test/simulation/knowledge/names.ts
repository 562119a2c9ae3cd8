/**
 * Who holds a name, as the store has it after every transaction of any process: one dreams, one embeds.
 *
 *   DM2  only who holds the dreamer's name writes what the dreamer does, and nobody takes it from one that beats
 *   SE2  only who holds the name of the queue writes vectors
 */
import type { DatabaseSync, StatementSync } from "node:sqlite"
import { embedName } from "@holdfast/core/embedding/queue"
import { runtimeLimits } from "@holdfast/core/session/ports"
import type { World } from "../../stage/scheduler.ts"

interface Held {
  readonly owner: string | null
  readonly token: number
  readonly beat: number
  /** When the beat was seen to change last. */
  readonly atMs: number
}

const dreamerName = "dreamer"
/** A beat that stood still for less says that its holder lives. */
const patienceMs: Readonly<Record<string, number>> = {
  [dreamerName]: runtimeLimits.leaseMs,
  [embedName]: 60_000,
}

const namesSql = "SELECT name, json_extract(owner, '$.instance') AS owner, token, beat FROM named_lease"
const dreamsSql = `SELECT count(*) AS count FROM project_event WHERE json_extract(data, '$.source.by') = 'dreamer'`
const vectorsSql = "SELECT coalesce(max(id), 0) AS count FROM vector"

export class NameWatch {
  private readonly world: World
  private readonly isAlive: (name: string) => boolean
  private readonly met: (what: string) => void
  private readonly problem: (problem: string) => void
  private held = new Map<string, Held>()
  private counts = new Map<string, number>()
  private asked: { readonly database: DatabaseSync; readonly sql: readonly StatementSync[] } | null = null

  constructor(
    world: World,
    isAlive: (name: string) => boolean,
    met: (what: string) => void,
    problem: (problem: string) => void,
  ) {
    this.world = world
    this.isAlive = isAlive
    this.met = met
    this.problem = problem
  }

  /** A power cut may have taken the last commits. */
  opened(database: DatabaseSync): void {
    this.read(database)
  }

  committed(database: DatabaseSync, writer: string): void {
    const before = this.held
    const counted = this.counts
    this.read(database)
    for (const [name, rule] of [
      [dreamerName, "DM2"],
      [embedName, "SE2"],
    ] as const) {
      const was = before.get(name)
      const now = this.held.get(name)
      const holds = was?.owner === writer || now?.owner === writer
      if ((this.counts.get(name) ?? 0) > (counted.get(name) ?? 0) && !holds)
        this.problem(
          `[${rule}] ${writer} writes what ${name} does, whose name ${was?.owner ?? "nobody"} holds`,
        )
      if (was?.owner == null || now === undefined || now.token === was.token) continue
      if (was.owner === writer) continue
      if (!this.isAlive(was.owner)) this.met(`${name} taken over from a dead process`)
      else if (this.world.nowMs - was.atMs < (patienceMs[name] ?? 0))
        this.problem(`[${rule}] ${writer} takes the name ${name} from ${was.owner}, which is at work`)
      else this.met(`${name} taken over from one that is silent`)
    }
  }

  private read(database: DatabaseSync): void {
    const asked =
      this.asked?.database === database
        ? this.asked
        : { database, sql: [namesSql, dreamsSql, vectorsSql].map((sql) => database.prepare(sql)) }
    this.asked = asked
    const [names, dreams, vectors] = asked.sql as [StatementSync, StatementSync, StatementSync]
    const rows = names.all() as unknown as (Omit<Held, "atMs"> & { readonly name: string })[]
    this.held = new Map(
      rows.map(({ name, ...row }) => {
        const known = this.held.get(name)
        const same = known?.token === row.token && known.beat === row.beat && known.owner === row.owner
        return [name, { ...row, atMs: same ? known.atMs : this.world.nowMs }]
      }),
    )
    const count = (sql: StatementSync) => (sql.get() as { count: number }).count
    this.counts = new Map([
      [dreamerName, count(dreams)],
      [embedName, count(vectors)],
    ])
  }
}
