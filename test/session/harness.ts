/**
 * A stage for the whole runtime: virtual time, real SQLite, a scripted provider, and everything the
 * outside world decides under the test's control. Calls are synchronous from the test's view: the
 * world is stepped until they answer. A killed process runs nothing more, as after SIGKILL.
 */
import type { DatabaseSync } from "node:sqlite"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { createProviderSim, type ProviderSim, type Reply, type SimResponse } from "@holdfast/provider-sim"
import { StoreFailure } from "@holdfast/schema/error"
import type { Event, FactOf, FactType } from "@holdfast/schema/event"
import { idFromBytes, type SessionId } from "@holdfast/schema/id"
import type { Message } from "@holdfast/schema/message"
import { parseModelRef } from "@holdfast/schema/model"
import type { SessionStatus } from "@holdfast/schema/session"
import { openInlineStore } from "@holdfast/store"
import type { Command, Store, TurnRecord } from "@holdfast/store/port"
import { combine } from "@holdfast/core/context/index"
import { makeRuntime, type Runtime, type SendPrompt } from "@holdfast/core/runtime"
import type { DrainEnd } from "@holdfast/core/session/drain"
import { type LiveEvent, makeLiveHub } from "@holdfast/core/session/live"
import { type RuntimePorts, type RuntimeLimits, runtimeLimits } from "@holdfast/core/session/ports"
import { retryLimits } from "@holdfast/core/session/retry"
import { createToolRegistry, type Tool } from "@holdfast/core/tools/index"
import { Disk } from "../simulation/disk.ts"
import { simTransport } from "../simulation/provider.ts"
import { SimProcess, World } from "../simulation/scheduler.ts"
import { sealed } from "../simulation/seal.ts"
import type { FactSource } from "./fact-source.ts"
import { takeImage } from "./media/png.ts"
import { type ModelSettings, stageModel } from "./model.ts"
import { readRequest, type SentRequest } from "./sent-request.ts"

export interface StageOptions extends ModelSettings {
  readonly seed?: number
  readonly tools?: readonly Tool[]
  readonly sources?: FactSource[]
  readonly limits?: Partial<RuntimeLimits>
  /** What the provider really takes, where that is not what is believed of it. */
  readonly windowTokens?: number
  /** Models that take over, as `provider/model`. */
  readonly fallback?: readonly string[]
}

/** Dies at this durable write of its own, before it took effect or right after. */
export interface DeathAtWrite {
  readonly write: number
  readonly moment: "before" | "after"
}

export interface BootOptions {
  readonly skewMs?: number
  readonly death?: DeathAtWrite
}

export interface Booted {
  readonly process: SimProcess
  readonly root: Fiber.Fiber<unknown, unknown>
  runtime: Runtime | null
  store: Store | null
  writes: number
}

const stepsMax = 200_000
const location = { directory: "/sim/project", projectRoot: "/sim/project" }

export class Stage {
  readonly world: World
  readonly disk = new Disk()
  /** Sends, tool starts and committed commands, in the order in which they happened. */
  readonly journal: string[] = []
  readonly sent: SentRequest[] = []
  readonly live: LiveEvent[] = []
  /** Played in order; when they have run out the model says `Answer <n>.`. */
  readonly replies: Reply[] = []
  readonly sources: FactSource[]
  readonly provider: ProviderSim
  readonly endedCalls: string[] = []
  locationThere = true
  /** Commands that the store refuses. */
  refuses: (command: Command) => boolean = () => false
  /** Whether the rows of Sessions cannot be read. */
  unreadable = false
  /** Runs where the committing fiber goes on, right after a command is on disk. */
  afterCommit: (command: Command) => Effect.Effect<void> = () => Effect.void
  /** Changes an answer on its way. */
  rewrite: (response: SimResponse) => SimResponse = (response) => response
  current: Booted
  database: DatabaseSync | null = null
  private readonly options: StageOptions
  private readonly outside: SimProcess
  private readonly alive = new Set<string>()
  private boots = 0

  constructor(options: StageOptions = {}) {
    this.options = options
    this.world = new World(options.seed ?? 1)
    this.outside = new SimProcess(this.world, "outside")
    this.sources = options.sources ?? []
    let answers = 0
    const reply = (): Reply =>
      this.replies.shift() ?? { blocks: [{ type: "text", text: `Answer ${++answers}.` }] }
    const model = { reply, thinking: options.thinking ?? false }
    this.provider = createProviderSim({
      contextTokens: options.windowTokens ?? options.contextTokens ?? 200_000,
      models: { script: model, other: model, third: model },
    })
    this.current = this.boot()
  }

  boot(options: BootOptions = {}): Booted {
    const process = new SimProcess(this.world, `process-${this.boots++}`, options.skewMs ?? 0)
    this.alive.add(process.name)
    const ready = Deferred.makeUnsafe<void>()
    const started: { booted?: Booted } = {}
    const root = process.fork(
      Effect.scoped(
        Effect.gen({ self: this }, function* () {
          yield* Deferred.await(ready)
          const booted = started.booted as Booted
          booted.store = yield* this.openStore(booted, options.death)
          const ports = this.ports(process, booted.store)
          booted.runtime = yield* makeRuntime(ports, { locate: () => Effect.succeed(location) })
          return yield* Effect.never
        }),
      ),
    )
    const booted: Booted = { process, root, runtime: null, store: null, writes: 0 }
    started.booted = booted
    this.current = booted
    Deferred.doneUnsafe(ready, Effect.void)
    this.pump(() => booted.runtime !== null || process.dead || root.pollUnsafe() !== undefined)
    const exit = root.pollUnsafe()
    if (exit !== undefined) throw new Error(`the process did not start: ${JSON.stringify(exit)}`)
    return booted
  }

  /** SIGKILL: nothing of the process runs on; the next boot finds the files as they are. */
  kill(): void {
    const booted = this.current
    this.die(booted)
    if (booted.store !== null) Effect.runSync(booted.store.close())
  }

  /** Ends the process in good order and starts another. */
  restart(options: BootOptions = {}): Booted {
    const { process, root, store } = this.current
    const ended = this.outside.fork(Fiber.interrupt(root))
    this.pump(() => ended.pollUnsafe() !== undefined)
    process.dead = true
    this.alive.delete(process.name)
    if (store !== null) Effect.runSync(store.close())
    return this.boot(options)
  }

  /** Resumes the Session in a process that dies at a write, or when the drain is over; another recovers it. */
  crash(session: SessionId, death: DeathAtWrite): void {
    this.restart({ death })
    const heard = this.live.length
    this.begin((runtime) => runtime.resume(session))
    const ended = () => this.live.slice(heard).some(({ type }) => type === "drain-end")
    this.until(() => this.current.process.dead || ended())
    this.kill()
    this.boot()
    this.settle(session)
  }

  close(): void {
    const { process, store } = this.current
    process.dead = true
    if (store !== null) Effect.runSync(Effect.ignore(store.close()))
    this.disk.remove()
  }

  /** The answer of the runtime; a failure is thrown as it is. */
  ask<A, E>(call: (runtime: Runtime, store: Store) => Effect.Effect<A, E>, booted = this.current): A {
    const exit = this.finish(call, booted)
    if (Exit.isSuccess(exit)) return exit.value
    throw failureOf(exit) ?? new Error(`a call broke: ${String(exit.cause)}`)
  }

  /** The failure that the runtime answers with. */
  failure<A, E>(call: (runtime: Runtime, store: Store) => Effect.Effect<A, E>): E {
    const exit = this.finish(call, this.current)
    const failure = failureOf(exit)
    if (failure === null) throw new Error(`the call did not fail: ${JSON.stringify(exit)}`)
    return failure
  }

  /** Starts a call without waiting; the result answers null until it has ended. */
  begin<A, E>(
    call: (runtime: Runtime, store: Store) => Effect.Effect<A, E>,
    booted = this.current,
  ): () => Exit.Exit<A, E> | null {
    const { runtime, store } = booted
    if (runtime === null || store === null || booted.process.dead) throw new Error("no process is up")
    const fiber = booted.process.fork(Effect.suspend(() => call(runtime, store)))
    return () => fiber.pollUnsafe() ?? null
  }

  create(policy: "settle" | "continue" = "settle"): SessionId {
    return this.ask((runtime) => runtime.create({ directory: location.directory, policy })).id
  }

  prompt(session: SessionId, text: string, more: Partial<SendPrompt> = {}) {
    return this.ask((runtime) => runtime.prompt({ sessionID: session, text, ...more }))
  }

  /** Waits until no drain runs on the Session. */
  settle(session: SessionId): DrainEnd | null {
    return this.ask((runtime) => runtime.settled(session))
  }

  /** Sends a prompt and waits for what comes of it. */
  converse(session: SessionId, text: string, more: Partial<SendPrompt> = {}): DrainEnd | null {
    this.prompt(session, text, more)
    return this.settle(session)
  }

  resume(session: SessionId): DrainEnd | null {
    this.ask((runtime) => runtime.resume(session))
    return this.settle(session)
  }

  status = (session: SessionId): SessionStatus => this.ask((runtime) => runtime.get(session)).status
  messages = (session: SessionId): readonly Message[] =>
    this.ask((runtime) => runtime.messages(session, { afterSeq: 0, limit: 1_000, system: true }))
  turns = (session: SessionId): readonly TurnRecord[] => this.ask((runtime) => runtime.turns(session))
  verdicts = (session: SessionId) =>
    this.ask((runtime) => runtime.verify(session)).map(({ verdict }) => verdict.kind)
  events = (session: SessionId): readonly Event[] =>
    this.ask((runtime) => runtime.events(session, 0, 10_000, false))

  facts<T extends FactType>(session: SessionId, type: T): readonly FactOf<T>[] {
    return this.events(session).flatMap(({ fact }) => (fact.type === type ? [fact as FactOf<T>] : []))
  }

  /** Lets virtual time pass. */
  pass(ms: number): void {
    const slept = this.outside.fork(Effect.sleep(ms))
    this.pump(() => slept.pollUnsafe() !== undefined)
  }

  /** Steps until the condition holds. */
  until(condition: () => boolean): void {
    this.pump(condition)
  }

  private finish<A, E>(
    call: (runtime: Runtime, store: Store) => Effect.Effect<A, E>,
    booted: Booted,
  ): Exit.Exit<A, E> {
    const asked = this.begin(call, booted)
    this.pump(() => asked() !== null)
    return asked() as Exit.Exit<A, E>
  }

  private pump(done: () => boolean): void {
    const stepsEnd = this.world.steps + stepsMax
    while (!done()) {
      const alive = sealed(this.world, () => this.world.step())
      if (!alive) throw new Error("the world came to a standstill")
      if (this.world.steps > stepsEnd) throw new Error("the world does not come to rest")
    }
  }

  private die(booted: Booted): void {
    if (booted.process.dead) return
    booted.process.dead = true
    this.alive.delete(booted.process.name)
    this.disk.crash("kill")
  }

  private openStore(booted: Booted, death: DeathAtWrite | undefined) {
    const dies = (moment: DeathAtWrite["moment"]) => death?.moment === moment && death.write === booted.writes
    const opened = openInlineStore({
      file: this.disk.file(),
      onOpen: (database) => void (this.database = database),
      gate: (commit) =>
        Effect.suspend(() => {
          booted.writes++
          if (dies("before")) this.die(booted)
          return booted.process.dead ? Effect.never : Effect.sync(commit)
        }),
      onBatch: () => {
        if (dies("after")) this.die(booted)
      },
    })
    return Effect.map(opened, (store): Store => ({
      ...store,
      commit: (command) => this.commit(store, command),
      session: (id) => Effect.suspend(() => (this.unreadable ? Effect.fail(storeDown) : store.session(id))),
    }))
  }

  private commit<C extends Command>(store: Store, command: C) {
    // A disk takes its time to refuse: what should have waited for it has the time to show.
    if (this.refuses(command)) return Effect.andThen(Effect.sleep(refusalMs), Effect.fail(storeDown))
    return Effect.tap(store.commit(command), () => {
      this.journal.push(describe(command))
      return this.afterCommit(command)
    })
  }

  private ports(process: SimProcess, store: Store): RuntimePorts {
    const live = makeLiveHub()
    live.subscribe((event) => this.live.push(event))
    const provider = {
      ...this.provider,
      respond: (...call: Parameters<ProviderSim["respond"]>) => this.rewrite(this.provider.respond(...call)),
    }
    return {
      store,
      live,
      transport: simTransport(provider, (body) => {
        this.sent.push(readRequest(body, this.world.nowMs))
        this.journal.push("send")
      }),
      limits: { ...runtimeLimits, retry: retryLimits, ...this.options.limits },
      newId: (prefix) =>
        idFromBytes(
          prefix,
          Uint8Array.from({ length: 20 }, () => this.world.below(256)),
        ),
      model: stageModel(this.options),
      fallback: (this.options.fallback ?? []).flatMap((name) => parseModelRef(name) ?? []),
      agentPrompt: "You are the agent of a stage.",
      tools: createToolRegistry(this.options.tools ?? []),
      context: () => Effect.sync(() => combine(this.sources.map((source) => source.context()))),
      locationExists: () => Effect.sync(() => this.locationThere),
      owner: { boot: "sim", space: "sim", pid: this.boots, start: "0", instance: process.name },
      ownerState: (owner) => Effect.sync(() => (this.alive.has(owner.instance) ? "alive" : "gone")),
      normaliseImage: takeImage,
      endCallProcesses: (call) => Effect.sync(() => void this.endedCalls.push(call)),
    }
  }
}

const refusalMs = 20
const storeDown = new StoreFailure({
  code: "unavailable",
  message: "The store is away.",
  outcomeUnknown: false,
  detail: "",
})

function failureOf<A, E>(exit: Exit.Exit<A, E>): E | null {
  const failed = Exit.isFailure(exit)
    ? exit.cause.reasons.find((reason) => reason._tag === "Fail")
    : undefined
  return failed === undefined ? null : (failed.error as E)
}

function describe(command: Command): string {
  return command.kind === "append"
    ? command.facts.map((fact) => fact.type).join(" ") || "append"
    : command.kind
}
