/**
 * A machine that boots runtimes on one disk and loses them again.
 *
 * Calls to the runtime run inside the current process and are lost with it: the caller then hears
 * "died", as a client hears a broken connection. What really happened outside (tool executions,
 * requests) is noted here, where no crash reaches it.
 */
import type { DatabaseSync } from "node:sqlite"
import { Deferred, Effect } from "effect"
import type { ProviderSim } from "@holdfast/provider-sim"
import { StoreFailure } from "@holdfast/schema/error"
import type { Location } from "@holdfast/schema/location"
import { openInlineStore } from "@holdfast/store"
import type { Command, OutcomeOf, Store } from "@holdfast/store/port"
import type { Runtime } from "@holdfast/core/runtime"
import type { Tool } from "@holdfast/core/tools/index"
import type { SystemContext } from "@holdfast/core/context/index"
import { plainOptions } from "@holdfast/llm/options"
import { type Broken, type CallEnd, endOf } from "../stage/call-end.ts"
import { type Crash, Disk } from "../stage/disk.ts"
import { modelSetup } from "../stage/model.ts"
import { type Given, startRuntime } from "../stage/ports.ts"
import { SimProcess, type World } from "../stage/scheduler.ts"
import { type LineTrouble, simTransport } from "../stage/transport.ts"
import { askedCalls } from "./people/asker.ts"
import { FailingDisk } from "./failing-disk.ts"
import { dreamerModel, KnowledgeStage } from "./knowledge/stage.ts"
import { type Holder, LeaseWatch } from "./leases.ts"
import type { Plan } from "./plan.ts"
import type { Moment, Trouble } from "./trouble.ts"
import { openTurn, TurnWatch } from "./turns.ts"

export interface Kill {
  readonly crash: Crash
  /** At this durable write of the process; before it took effect or right after. */
  readonly write: number
  readonly moment: "before" | "after"
}

export interface MachineOptions {
  readonly world: World
  readonly provider: ProviderSim
  readonly plan: Pick<
    Plan,
    "contextTokens" | "diskMs" | "troubles" | "owners" | "asking" | "recall" | "knowledge"
  >
  readonly systemRole: boolean
  readonly tools: (process: SimProcess) => readonly Tool[]
  readonly context: (location: Location) => SystemContext
  readonly note: (line: string) => void
  /** Something rare that a seed is meant to reach came up. */
  readonly met: (what: string) => void
  readonly problem: (problem: string) => void
  readonly onSend: (process: SimProcess, body: Uint8Array) => void
}

export interface Booted {
  readonly process: SimProcess
  readonly ready: Deferred.Deferred<Runtime>
  readonly died: Deferred.Deferred<void>
  readonly kill: Kill | null
  database: DatabaseSync | null
  runtime: Runtime | null
  writes: number
  /** Where each Session's log ended when it started. */
  found: ReadonlyMap<string, number>
}

const skewMsMax = 600_000
const pagesMax = 1_073_741_823
const bootWaitMs = 200

export class Machine {
  readonly disk = new Disk()
  readonly failing: FailingDisk
  readonly leases: LeaseWatch
  private readonly knowledge: KnowledgeStage | null
  writesTotal = 0
  /** What the last interrupt of a Session did: without a holder it changes nothing (DR3). */
  readonly interrupts = new Map<string, string>()
  private readonly options: MachineOptions
  private readonly live = new Set<Booted>()
  private readonly all: Booted[] = []
  private readonly moments = new Map<Moment, number>()
  private troubles: readonly Trouble[]
  private boots = 0
  private full = false
  private freedMs = 0
  /** What becomes of the request that is about to leave. */
  private line: LineTrouble | null = null
  private readonly turns = new TurnWatch()

  constructor(options: MachineOptions) {
    this.options = options
    this.troubles = options.plan.troubles
    this.failing = new FailingDisk(options.world)
    this.leases = new LeaseWatch(options.world, (name) => this.holder(name), options.met, options.problem)
    const { knowledge: plan, owners } = options.plan
    const watched = { file: () => this.disk.file(), isAlive: (name: string) => this.holder(name).alive }
    this.knowledge = plan ? new KnowledgeStage({ ...options, ...watched, plan, owners }) : null
  }

  boot(kill: Kill | null): Effect.Effect<Booted> {
    return Effect.gen({ self: this }, function* () {
      const { world } = this.options
      const process = new SimProcess(world, `process-${this.boots++}`, this.drawSkew())
      const ready = yield* Deferred.make<Runtime>()
      const died = yield* Deferred.make<void>()
      const booted: Booted = {
        process,
        ready,
        died,
        kill,
        database: null,
        runtime: null,
        writes: 0,
        found: new Map(),
      }
      this.live.add(booted)
      this.all.push(booted)
      this.options.note(`boot ${process.name}`)
      process.fork(this.run(booted))
      return booted
    })
  }

  /** SIGKILL ends one process and leaves the files; a power cut ends all, and what was not synced. */
  crash(booted: Booted, crash: Crash): void {
    if (booted.process.dead) return
    const dying = crash === "kill" ? [booted] : [...this.live]
    for (const each of dying) {
      if (this.recovers(each)) this.options.met("death in recovery")
      each.process.dead = true
      this.knowledge?.die(each.process)
      this.live.delete(each)
      this.options.note(`${crash} ${each.process.name} at write ${each.writes}`)
    }
    if (this.live.size === 0) {
      this.failing.mend()
      this.disk.crash(crash)
    }
    for (const each of dying) Deferred.doneUnsafe(each.died, Effect.void)
  }

  /** Whether it leads a Session whose open turn it found and did not start. */
  private recovers({ process, database, found }: Booted): boolean {
    if (database?.isOpen !== true) return false
    return this.leases.ledBy(process.name).some((session) => {
      const [start] = openTurn(database, session)
      return start !== undefined && start.seq <= (found.get(session) ?? 0)
    })
  }

  /** Gives back what dead processes held of the host; nothing of theirs is written any more. */
  bury(): void {
    for (const { process, database } of this.all)
      if (process.dead && database?.isOpen === true) database.close()
    this.knowledge?.bury()
  }

  stepClocks(): void {
    for (const { process } of this.live) process.skewMs = this.drawSkew()
  }

  /** From now on, or no longer, the database cannot grow. */
  fillDisk(full: boolean): void {
    if (this.full) this.freedMs = this.options.world.nowMs
    this.full = full
    for (const { database } of this.live) {
      const pages = (database?.prepare("PRAGMA page_count").get() as { page_count: number } | undefined)
        ?.page_count
      database?.exec(`PRAGMA max_page_count = ${full ? pages : pagesMax}`)
    }
  }

  /** From now on no trouble strikes any more. */
  calmDown(): void {
    this.troubles = []
    this.fillDisk(false)
    this.failing.mend()
    this.knowledge?.calmDown()
  }

  /** A process has come to this moment; what is planned for it strikes. */
  reach(moment: Moment, process: SimProcess): void {
    const nth = (this.moments.get(moment) ?? 0) + 1
    this.moments.set(moment, nth)
    for (const trouble of this.troubles) {
      if (trouble.moment !== moment || trouble.nth !== nth) continue
      if (trouble.delayMs === 0) this.strike(trouble, process)
      else this.options.world.addTimer(null, trouble.delayMs, () => this.strike(trouble, process))
    }
  }

  /** Until when the process was frozen, or its disk failed it. */
  hinderedMs(process: SimProcess): number {
    const now = process.frozen || this.failing.now !== null || this.full
    return now ? this.options.world.nowMs : Math.max(process.thawedMs, this.failing.mendedMs, this.freedMs)
  }

  /** Runs a call inside one of the living processes; not in a frozen one while another is awake. */
  call<A, E>(effect: (runtime: Runtime) => Effect.Effect<A, E>): Effect.Effect<CallEnd<A, E>> {
    return Effect.suspend((): Effect.Effect<CallEnd<A, E>> => {
      const awake = [...this.live].filter(({ process }) => !process.frozen)
      const living = awake.length > 0 ? awake : [...this.live]
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
    return Effect.gen({ self: this }, function* () {
      const answered = yield* Deferred.make<CallEnd<A, E> | Broken>()
      booted.process.fork(
        Deferred.await(booted.ready).pipe(
          Effect.flatMap(effect),
          Effect.exit,
          Effect.flatMap((exit) => Deferred.succeed(answered, endOf(exit, booted.process))),
        ),
      )
      const died = Effect.as(Deferred.await(booted.died), { kind: "died" } as const)
      const end = yield* Effect.raceFirst(Deferred.await(answered), died)
      if (end.kind === "broken") {
        this.options.problem(`[ST3] a call broke in place of failing: ${end.cause}`)
        return { kind: "died" }
      }
      if (end.kind === "failed" && end.error instanceof StoreFailure)
        this.options.met(`client told that the store is ${end.error.code}`)
      return end
    })
  }

  private holder(name: string): Holder {
    const booted = this.all.find(({ process }) => process.name === name)
    if (booted === undefined) return { alive: false, hinderedMs: 0, drains: [] }
    const { process, runtime } = booted
    return {
      alive: this.live.has(booted),
      hinderedMs: this.hinderedMs(process),
      drains: runtime?.active() ?? [],
    }
  }

  private strike(trouble: Trouble, process: SimProcess): void {
    if (process.dead || !this.troubles.includes(trouble)) return
    const { strikes } = trouble
    this.options.note(`${strikes.kind} at ${process.name}`)
    switch (strikes.kind) {
      case "freeze":
        return process.freeze(strikes.forMs)
      case "step-clocks":
        return this.stepClocks()
      case "disk":
        this.failing.fail(strikes.how, this.disk.file())
        this.options.world.addTimer(null, strikes.forMs, () => this.failing.mend())
        return
      case "line":
        this.line = strikes.how
        this.options.met(`connection ${strikes.how}`)
    }
  }

  private drawSkew(): number {
    return this.options.world.below(2 * skewMsMax) - skewMsMax
  }

  private run(booted: Booted) {
    const up = Effect.gen({ self: this }, function* () {
      const runtime = yield* startRuntime(this.given(booted.process, yield* this.openStore(booted)))
      booted.runtime = runtime
      yield* Deferred.succeed(booted.ready, runtime)
      return yield* Effect.never
    })
    // On a failing disk a process does not come up: whoever started it tries again.
    const tryAgain = ({ code }: StoreFailure) =>
      Effect.sync(() => {
        this.options.note(`${booted.process.name} does not come up: ${code}`)
        this.options.met("start on a failing disk")
        booted.database?.close()
        booted.database = null
      }).pipe(Effect.andThen(Effect.sleep(bootWaitMs)))
    return Effect.scoped(up).pipe(Effect.catchTag("StoreFailure", tryAgain), Effect.forever)
  }

  private openStore(booted: Booted) {
    const { world } = this.options
    let synchronous = 0
    const opened = openInlineStore({
      file: this.disk.file(),
      busyMs: 0,
      onOpen: (database) => {
        booted.found = this.leases.opened(database)
        this.knowledge?.opened(database)
        synchronous = (database.prepare("PRAGMA synchronous").get() as { synchronous: number }).synchronous
        booted.database = database
        if (this.live.size === 1) this.disk.noteOpen()
      },
      gate: (commit) =>
        Effect.gen({ self: this }, function* () {
          const waitMs = world.chance(0.7) ? world.below(this.options.plan.diskMs) : 0
          if (waitMs > slowMs) this.options.met("slow disk")
          yield* Effect.sleep(waitMs)
          yield* this.failing.wait()
          this.reach("commit", booted.process)
          if (booted.process.frozen) yield* Effect.yieldNow
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
        if (booted.database !== null) this.leases.committed(booted.database, booted.process.name)
        if (booted.database !== null) this.knowledge?.committed(booted.database, booted.process.name)
        this.reach("committed", booted.process)
        if (booted.kill?.moment === "after" && booted.kill.write === booted.writes) {
          this.crash(booted, booted.kill.crash)
        }
      },
    })
    return Effect.map(opened, (store) => this.watched(this.failing.under(store), booted))
  }

  /** Hears what becomes of the commands that seeds are meant to bring about. */
  private watched(store: Store, { process }: Booted): Store {
    const hear = (command: Command, outcome: OutcomeOf<Command>): void => {
      if (outcome.kind === "lost") this.options.met(`stale ${command.kind} refused`)
      if (command.kind === "acquire" && outcome.kind === "held") this.reach("held", process)
      if (command.kind === "interrupt") this.interrupts.set(command.session, outcome.kind)
    }
    return {
      ...store,
      commit: (command) =>
        store.commit(command).pipe(
          Effect.tap((outcome) => Effect.sync(() => hear(command, outcome))),
          Effect.tapError(({ code }) => Effect.sync(() => this.options.met(`commit failed: ${code}`))),
        ),
    }
  }

  /** What is wrong with a request for this Session that its holder sends now. */
  judgeSend(process: SimProcess, session: string): string | null {
    const database = this.all.find((booted) => booted.process === process)?.database
    return database?.isOpen === true ? this.turns.sends(database, session) : null
  }

  private given(process: SimProcess, store: Store): Given {
    const { world, provider, plan, systemRole, context, tools } = this.options
    const onSend = (body: Uint8Array): void => {
      this.options.onSend(process, body)
      this.reach("send", process)
    }
    const lineTrouble = (): LineTrouble | null => {
      const { line } = this
      this.line = null
      return line
    }
    const options = plainOptions(1_000, { traits: { systemRole } })
    const setup = modelSetup({ contextTokens: plan.contextTokens, options })
    const hidden = [historianModel, dreamerModel].map((ref) =>
      modelSetup({ contextTokens: historianTokens, ref }),
    )
    return {
      world,
      store,
      instance: process.name,
      transport: simTransport(provider, onSend, lineTrouble),
      model: (asked) => Effect.succeed(hidden.find(({ ref }) => ref.model === asked?.model) ?? setup),
      ...this.knowledge?.given(process),
      ...(plan.recall?.historian && { historian: () => ({ models: [historianModel], prompt: null }) }),
      agentPrompt: "You are the agent of a simulation.",
      tools: tools(process),
      authorise: askedCalls(plan.asking ?? null),
      context: (location) => Effect.sync(() => context(location)),
      ownerState: (owner) =>
        Effect.sync(() => {
          if (plan.owners === "unknown") return "unknown"
          return this.holder(owner.instance).alive ? "alive" : "gone"
        }),
    }
  }
}

const slowMs = 100
const historianModel = { provider: "sim", model: "historian" }
const historianTokens = 40_000
