/**
 * A disk that fails for a while: an input/output error on commits and reads, or a lock that another
 * program holds. The lock is a real one; the store waits for it in virtual time, then meets it.
 */
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import { explain } from "@holdfast/store/failure"
import { toFailure } from "@holdfast/store/reply"
import { busyMsDefault } from "@holdfast/store/sqlite/connection"
import type { Command, OutcomeOf, Store } from "@holdfast/store/port"
import type { World } from "../stage/scheduler.ts"
import type { DiskTrouble } from "./trouble.ts"

const failChance = 0.5
const pollMs = 50

export class FailingDisk {
  now: DiskTrouble | null = null
  /** When it was last mended. */
  mendedMs = 0
  private lock: DatabaseSync | null = null
  private readonly world: World

  constructor(world: World) {
    this.world = world
  }

  fail(how: DiskTrouble, file: string): void {
    this.mend()
    this.now = how
    if (how !== "busy") return
    this.lock = new DatabaseSync(file, { timeout: 0 })
    this.lock.exec("BEGIN IMMEDIATE")
  }

  mend(): void {
    if (this.now === null) return
    this.now = null
    this.mendedMs = this.world.nowMs
    this.lock?.close()
    this.lock = null
  }

  /** Before a commit: as long as the store would wait for the lock. */
  wait(): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      for (let waited = 0; this.now === "busy" && waited < busyMsDefault; waited += pollMs)
        yield* Effect.sleep(pollMs)
    })
  }

  under(store: Store): Store {
    const reads = Object.fromEntries(
      readNames.map((name) => {
        const read = store[name] as (...args: unknown[]) => Effect.Effect<unknown, StoreFailure>
        return [name, (...args: unknown[]) => Effect.suspend(() => this.failure("read") ?? read(...args))]
      }),
    )
    const commit = <C extends Command>(command: C): Effect.Effect<OutcomeOf<C>, StoreFailure> =>
      Effect.suspend(() => this.failure("commit") ?? store.commit(command))
    return { ...store, ...reads, commit }
  }

  private failure(what: "read" | "commit"): Effect.Effect<never, StoreFailure> | null {
    if (this.now === null || (this.now === "busy" && what === "commit")) return null
    if (!this.world.chance(failChance)) return null
    const [errcode, says] = errors[this.now]
    const cause = Object.assign(new Error(says), { code: "ERR_SQLITE_ERROR", errcode })
    // A sync that failed may have reached the disk: then the store cannot say what a crash would leave.
    const outcomeUnknown = what === "commit" && this.world.chance(0.5)
    const failure = toFailure(explain(cause, outcomeUnknown))
    return Effect.andThen(Effect.sleep(this.world.below(30)), Effect.fail(failure))
  }
}

const errors = { "io-error": [266, "disk I/O error"], busy: [5, "database is locked"] } as const

const readNames = [
  "session",
  "sessions",
  "window",
  "events",
  "messages",
  "message",
  "turns",
  "inbox",
  "prompt",
  "lease",
  "blob",
  "unsettled",
] as const
