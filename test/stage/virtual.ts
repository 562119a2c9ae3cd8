/**
 * Runtimes on virtual time and one disk: the world is stepped until what was asked for has happened,
 * so calls are synchronous from a test's view. A process that dies runs nothing more, as after
 * SIGKILL; the next one finds the files as it left them.
 */
import type { DatabaseSync } from "node:sqlite"
import { Effect, type Exit, Fiber } from "effect"
import type { Runtime } from "@holdfast/core/runtime"
import type { StoreFailure } from "@holdfast/schema/error"
import { openInlineStore } from "@holdfast/store"
import type { Store } from "@holdfast/store/port"
import { type Crash, Disk } from "./disk.ts"
import { type Given, startRuntime } from "./ports.ts"
import { SimProcess, World } from "./scheduler.ts"
import { sealed } from "./seal.ts"

/** Dies at this durable write of its own, before it took effect or right after. */
export interface Death {
  readonly write: number
  readonly moment: "before" | "after"
  /** SIGKILL unless given. */
  readonly crash?: Crash
}

export interface BootOptions {
  readonly skewMs?: number
  readonly death?: Death | null
  /** One that is open already, in place of the one on the disk. */
  readonly store?: Store
}

export interface Booted {
  readonly process: SimProcess
  root: Fiber.Fiber<unknown, unknown> | null
  runtime: Runtime | null
  store: Store | null
  /** The writing connection of the store. */
  database: DatabaseSync | null
  writes: number
}

/** What a stage adds to a process of its own. */
export type Bound = Omit<Given, "store" | "instance" | "world">

export type Call<A, E> = (runtime: Runtime, store: Store) => Effect.Effect<A, E>

/** Where a virtual project lives. */
export const projectDirectory = "/sim/project"

export abstract class VirtualStage {
  readonly world: World
  readonly disk = new Disk()
  /** More than any one call needs; an endless loop of ours ends here. */
  stepsMax = 400_000
  private readonly outsider: SimProcess
  private readonly alive = new Set<Booted>()
  private boots = 0

  constructor(seed = 1) {
    this.world = new World(seed)
    this.outsider = new SimProcess(this.world, "outside")
  }

  protected abstract bind(booted: Booted): Bound

  /** What the runtime gets for the store that was opened. */
  protected onStore(store: Store, _booted: Booted): Effect.Effect<Store, StoreFailure> {
    return Effect.succeed(store)
  }

  /** Starts a process and waits until it is up, or dead. */
  boot(options: BootOptions = {}): Booted {
    const process = new SimProcess(this.world, `process-${this.boots++}`, options.skewMs ?? 0)
    const booted: Booted = { process, root: null, runtime: null, store: null, database: null, writes: 0 }
    this.alive.add(booted)
    const root = (booted.root = process.fork(Effect.scoped(this.runProcess(booted, options))))
    this.until(() => booted.runtime !== null || process.dead || root.pollUnsafe() !== undefined)
    const exit = root.pollUnsafe()
    if (exit !== undefined) throw new Error(`the process did not start: ${JSON.stringify(exit)}`)
    return booted
  }

  /** Ends a process in good order. */
  shutDown(booted: Booted): void {
    const ended = this.outsider.fork(booted.root === null ? Effect.void : Fiber.interrupt(booted.root))
    this.until(() => ended.pollUnsafe() !== undefined)
    this.bury(booted)
  }

  /** Nothing of the process runs on; what survives is on the disk. */
  die(booted: Booted, crash: Crash = "kill"): void {
    if (booted.process.dead) return
    booted.process.dead = true
    this.alive.delete(booted)
    this.disk.crash(crash)
  }

  /** Gives back what a process holds of the host. */
  bury(booted: Booted): void {
    booted.process.dead = true
    this.alive.delete(booted)
    if (booted.store !== null) Effect.runSync(Effect.ignore(booted.store.close()))
  }

  /** Starts a call without waiting; the result answers null until it has ended. */
  begin<A, E>(call: Call<A, E>, booted: Booted): () => Exit.Exit<A, E> | null {
    const { process, runtime, store } = booted
    if (runtime === null || store === null || process.dead) throw new Error("no process is up")
    const fiber = process.fork(Effect.suspend(() => call(runtime, store)))
    return () => fiber.pollUnsafe() ?? null
  }

  /** How the call ended; null if the process died before it did. */
  finish<A, E>(call: Call<A, E>, booted: Booted): Exit.Exit<A, E> | null {
    const asked = this.begin(call, booted)
    this.until(() => asked() !== null || booted.process.dead)
    return asked()
  }

  /** Lets virtual time pass. */
  pass(ms: number): void {
    const slept = this.outsider.fork(Effect.sleep(ms))
    this.until(() => slept.pollUnsafe() !== undefined)
  }

  /** Steps until the condition holds. */
  until(condition: () => boolean): void {
    const stepsEnd = this.world.steps + this.stepsMax
    sealed(this.world, () => {
      while (!condition()) {
        // To look may step the world too, and past what it looks for.
        if (!this.world.step() && !condition()) throw new Error("the world came to a standstill")
        if (this.world.steps > stepsEnd) throw new Error("the world does not come to rest")
      }
    })
  }

  private runProcess(booted: Booted, { death = null, store: given }: BootOptions) {
    return Effect.gen({ self: this }, function* () {
      const opened = given ?? (yield* this.openStore(booted, death))
      const store = (booted.store = yield* this.onStore(opened, booted))
      const instance = booted.process.name
      const isUp = (name: string) => [...this.alive].some(({ process }) => process.name === name)
      booted.runtime = yield* startRuntime({
        ownerState: (owner) => Effect.sync(() => (isUp(owner.instance) ? "alive" : "gone")),
        ...this.bind(booted),
        world: this.world,
        store,
        instance,
      })
      return yield* Effect.never
    })
  }

  private openStore(booted: Booted, death: Death | null) {
    let synchronous = 0
    const reach = (moment: Death["moment"]) => {
      if (death?.moment === moment && death.write === booted.writes) this.die(booted, death.crash)
    }
    return openInlineStore({
      file: this.disk.file(),
      onOpen: (database) => {
        booted.database = database
        synchronous = (database.prepare("PRAGMA synchronous").get() as { synchronous: number }).synchronous
        this.disk.noteOpen()
      },
      gate: (commit) =>
        Effect.suspend(() => {
          booted.writes++
          reach("before")
          return booted.process.dead ? Effect.never : Effect.sync(commit)
        }),
      onBatch: () => {
        this.disk.noteCommit(synchronous)
        reach("after")
      },
    })
  }
}
