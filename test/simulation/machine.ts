/**
 * A machine that boots runtimes on one disk and loses them again.
 *
 * Calls to the runtime run inside the current process and are lost with it: the caller then hears
 * "died", as a client hears a broken connection. What really happened outside (tool executions,
 * requests) is noted here, where no crash reaches it.
 */
import type { DatabaseSync } from "node:sqlite"
import { Deferred, Effect, Exit } from "effect"
import type { IdPrefix } from "@holdfast/schema/id"
import { idFromBytes } from "@holdfast/schema/id"
import { anthropicMessages } from "@holdfast/llm/anthropic-messages/index"
import { plainOptions } from "@holdfast/llm/options"
import type { ProviderSim } from "@holdfast/provider-sim"
import { openInlineStore } from "@holdfast/store"
import type { Store } from "@holdfast/store/port"
import { makeRuntime, type Runtime } from "@holdfast/core/runtime"
import { makeLiveHub } from "@holdfast/core/session/live"
import { type RuntimePorts, runtimeLimits } from "@holdfast/core/session/ports"
import { retryLimits } from "@holdfast/core/session/retry"
import { createToolRegistry, type Tool } from "@holdfast/core/tools/index"
import type { SystemContext } from "@holdfast/core/context/index"
import { takeImage } from "../session/media/png.ts"
import { type Crash, Disk } from "./disk.ts"
import { simTransport } from "./provider.ts"
import { SimProcess, type World } from "./scheduler.ts"

export interface Kill {
  readonly crash: Crash
  /** At this durable write of the process; before it took effect or right after. */
  readonly write: number
  readonly moment: "before" | "after"
}

export interface MachineOptions {
  readonly world: World
  readonly provider: ProviderSim
  readonly contextTokens: number
  readonly systemRole: boolean
  readonly tools: readonly Tool[]
  readonly context: () => SystemContext
  /** How long a commit may take, at most. */
  readonly diskMs: number
  readonly note: (line: string) => void
  readonly onSend: (body: Uint8Array) => void
}

export type CallEnd<A, E> =
  | { readonly kind: "ok"; readonly value: A }
  | { readonly kind: "failed"; readonly error: E }
  | { readonly kind: "died" }

export interface Booted {
  readonly process: SimProcess
  readonly ready: Deferred.Deferred<Runtime>
  readonly died: Deferred.Deferred<void>
  readonly kill: Kill | null
  database: DatabaseSync | null
  writes: number
}

const skewMsMax = 600_000
const pagesMax = 1_073_741_823

export class Machine {
  readonly disk = new Disk()
  writesTotal = 0
  private readonly options: MachineOptions
  private readonly live = new Set<Booted>()
  private readonly all: Booted[] = []
  private boots = 0

  constructor(options: MachineOptions) {
    this.options = options
  }

  boot(kill: Kill | null): Effect.Effect<Booted> {
    return Effect.gen({ self: this }, function* () {
      const { world } = this.options
      const process = new SimProcess(world, `process-${this.boots++}`, this.drawSkew())
      const ready = yield* Deferred.make<Runtime>()
      const died = yield* Deferred.make<void>()
      const booted: Booted = { process, ready, died, kill, database: null, writes: 0 }
      this.live.add(booted)
      this.all.push(booted)
      this.options.note(`boot ${process.name}`)
      process.fork(Effect.scoped(this.run(booted)))
      return booted
    })
  }

  /** SIGKILL ends one process and leaves the files; a power cut ends all, and what was not synced. */
  crash(booted: Booted, crash: Crash): void {
    if (booted.process.dead) return
    const dying = crash === "kill" ? [booted] : [...this.live]
    for (const each of dying) {
      each.process.dead = true
      this.live.delete(each)
      this.options.note(`${crash} ${each.process.name} at write ${each.writes}`)
    }
    if (this.live.size === 0) this.disk.crash(crash)
    for (const each of dying) Deferred.doneUnsafe(each.died, Effect.void)
  }

  /** Gives back what dead processes held of the host; nothing of theirs is written any more. */
  bury(): void {
    for (const { process, database } of this.all)
      if (process.dead && database?.isOpen === true) database.close()
  }

  stepClocks(): void {
    for (const { process } of this.live) process.skewMs = this.drawSkew()
  }

  /** From now on, or no longer, the database cannot grow. */
  fillDisk(full: boolean): void {
    for (const { database } of this.live) {
      const pages = (database?.prepare("PRAGMA page_count").get() as { page_count: number } | undefined)
        ?.page_count
      database?.exec(`PRAGMA max_page_count = ${full ? pages : pagesMax}`)
    }
  }

  /** Runs a call inside one of the living processes. */
  call<A, E>(effect: (runtime: Runtime) => Effect.Effect<A, E>): Effect.Effect<CallEnd<A, E>> {
    return Effect.suspend((): Effect.Effect<CallEnd<A, E>> => {
      const living = [...this.live]
      const booted = living[this.options.world.below(living.length)]
      return booted === undefined ? Effect.succeed({ kind: "died" }) : this.callIn(booted, effect)
    })
  }

  /** Runs a call inside each of the living processes, one after another. */
  callEach<A, E>(effect: (runtime: Runtime) => Effect.Effect<A, E>): Effect.Effect<void> {
    return Effect.suspend(() =>
      Effect.forEach([...this.live], (booted) => this.callIn(booted, effect), { discard: true }),
    )
  }

  private callIn<A, E>(
    booted: Booted,
    effect: (runtime: Runtime) => Effect.Effect<A, E>,
  ): Effect.Effect<CallEnd<A, E>> {
    return Effect.gen(function* () {
      const answered = yield* Deferred.make<CallEnd<A, E>>()
      booted.process.fork(
        Deferred.await(booted.ready).pipe(
          Effect.flatMap(effect),
          Effect.exit,
          Effect.flatMap((exit) => Deferred.succeed(answered, endOf(exit))),
        ),
      )
      const died = Effect.as(Deferred.await(booted.died), { kind: "died" } as const)
      return yield* Effect.raceFirst(Deferred.await(answered), died)
    })
  }

  private drawSkew(): number {
    return this.options.world.below(2 * skewMsMax) - skewMsMax
  }

  private run(booted: Booted) {
    return Effect.gen({ self: this }, function* () {
      const store = yield* Effect.orDie(this.openStore(booted))
      const ports = this.ports(booted.process, store)
      const location = { directory: "/sim/project", projectRoot: "/sim/project" }
      const runtime = yield* Effect.orDie(makeRuntime(ports, { locate: () => Effect.succeed(location) }))
      yield* Deferred.succeed(booted.ready, runtime)
      return yield* Effect.never
    })
  }

  private openStore(booted: Booted) {
    const { world } = this.options
    let synchronous = 0
    const opened = openInlineStore({
      file: this.disk.file(),
      onOpen: (database) => {
        synchronous = (database.prepare("PRAGMA synchronous").get() as { synchronous: number }).synchronous
        booted.database = database
        if (this.live.size === 1) this.disk.noteOpen()
      },
      gate: (commit) =>
        Effect.gen({ self: this }, function* () {
          if (world.chance(0.7)) yield* Effect.sleep(world.below(this.options.diskMs))
          booted.writes++
          this.writesTotal++
          if (booted.kill?.moment === "before" && booted.kill.write === booted.writes) {
            this.crash(booted, booted.kill.crash)
            return yield* Effect.never
          }
          return commit()
        }),
      onBatch: (commands) => {
        this.options.note(`commit ${commands}`)
        this.disk.noteCommit(synchronous)
        if (booted.kill?.moment === "after" && booted.kill.write === booted.writes) {
          this.crash(booted, booted.kill.crash)
        }
      },
    })
    return opened
  }

  private ports(process: SimProcess, store: Store): RuntimePorts {
    const { world, provider } = this.options
    const model = { provider: "sim", model: "script" }
    return {
      store,
      transport: simTransport(provider, this.options.onSend),
      live: makeLiveHub(),
      limits: { ...runtimeLimits, retry: retryLimits },
      newId: (prefix: IdPrefix) =>
        idFromBytes(
          prefix,
          Uint8Array.from({ length: 20 }, () => world.below(256)),
        ),
      model: () =>
        Effect.succeed({
          ref: model,
          wire: anthropicMessages,
          target: {
            ...model,
            endpoint: "http://sim",
            options: plainOptions(1_000, { traits: { systemRole: this.options.systemRole } }),
          },
          contextTokens: this.options.contextTokens,
          price: null,
          url: "http://sim",
          credential: "key",
        }),
      agentPrompt: "You are the agent of a simulation.",
      tools: createToolRegistry(this.options.tools),
      context: () => Effect.sync(this.options.context),
      locationExists: () => Effect.succeed(true),
      owner: { boot: "sim", space: "sim", pid: this.all.length, start: "0", instance: process.name },
      ownerState: (owner) =>
        Effect.sync(() =>
          [...this.live].some(({ process: other }) => other.name === owner.instance) ? "alive" : "gone",
        ),
      normaliseImage: takeImage,
      endCallProcesses: () => Effect.void,
    }
  }
}

function endOf<A, E>(exit: Exit.Exit<A, E>): CallEnd<A, E> {
  if (Exit.isSuccess(exit)) return { kind: "ok", value: exit.value }
  const failed = exit.cause.reasons.find((reason) => reason._tag === "Fail")
  if (failed !== undefined) return { kind: "failed", error: failed.error as E }
  throw new Error(`a call to the runtime broke: ${String(exit.cause)}`)
}
