/**
 * A stage for one script: the whole runtime on virtual time, a strict provider, real SQLite, and a
 * user who repeats what was lost when the process dies. What really happened outside the runtime
 * (requests, executions) is noted here, where no crash reaches it.
 */
import type { DatabaseSync } from "node:sqlite"
import { Effect, Exit } from "effect"
import { anthropicMessages } from "@holdfast/llm/anthropic-messages/index"
import { plainOptions } from "@holdfast/llm/options"
import { createProviderSim, type ProviderSim } from "@holdfast/provider-sim"
import { idFromBytes, type SessionId } from "@holdfast/schema/id"
import { openInlineStore } from "@holdfast/store"
import type { Store, TurnRecord } from "@holdfast/store/port"
import { dateSource } from "@holdfast/core/context/index"
import { makeRuntime, type Runtime } from "@holdfast/core/runtime"
import { makeLiveHub } from "@holdfast/core/session/live"
import { type RuntimePorts, runtimeLimits } from "@holdfast/core/session/ports"
import { retryLimits } from "@holdfast/core/session/retry"
import { createToolRegistry } from "@holdfast/core/tools/index"
import { type Crash, Disk } from "../simulation/disk.ts"
import { simTransport } from "../simulation/provider.ts"
import { SimProcess, World } from "../simulation/scheduler.ts"
import { sealed } from "../simulation/seal.ts"
import { openTurn } from "../simulation/turns.ts"
import { replyOf, type Round, type Script, type ScriptedInput, scriptTools } from "./script.ts"

/** Death at this durable write, before it took effect or right after. */
export interface Death {
  readonly write: number
  readonly moment: "before" | "after"
  readonly crash: Crash
}

export interface StageOptions {
  readonly seed: number
  readonly contextTokens: number
  readonly death: Death | null
}

export interface Sent {
  readonly body: Buffer
  /** Where the turn that was open at the moment had started; null if none was on record. */
  readonly turnSeq: number | null
}

export interface Outside {
  /** In the order they were sent. */
  readonly sent: readonly Sent[]
  readonly executions: ReadonlyMap<string, number>
  readonly provider: ProviderSim
  readonly answers: number
  readonly writes: number
}

interface Booted {
  readonly process: SimProcess
  runtime: Runtime | null
  database: DatabaseSync | null
  writes: number
}

const location = { directory: "/sim/project", projectRoot: "/sim/project" }
const outputTokensMax = 16_000
const thinkingTokens = 1_024
const stepsMax = 20_000_000
/** How often one round is taken up again before it counts as stuck. */
const attemptsMax = 12
const date = dateSource({ timeZone: "UTC" })

export class Stage {
  readonly disk = new Disk()
  readonly problems: string[] = []
  private readonly world: World
  private readonly sent: Sent[] = []
  private readonly executions = new Map<string, number>()
  private readonly receipts = new Set<string>()
  private readonly provider: ProviderSim
  private readonly script: Script
  private readonly options: StageOptions
  private session: SessionId | null = null
  private current: Booted | null = null
  private boots = 0
  /** Index of the recorded answer that is due. */
  private due = 0
  private writes = 0

  constructor(script: Script, options: StageOptions) {
    this.script = script
    this.options = options
    this.world = new World(options.seed)
    const reply = () => replyOf(script.answers[this.due++])
    this.provider = createProviderSim({
      contextTokens: options.contextTokens,
      models: { script: { reply, thinking: true } },
    })
  }

  /** Plays the script to its end; null if no Session could be created. */
  play(): SessionId | null {
    const session = (this.session = this.create())
    if (session === null) return null
    for (const round of this.script.rounds) this.playRound(session, round)
    return session
  }

  outside(): Outside {
    const { sent, executions, provider, writes } = this
    return { sent, executions, provider, writes, answers: this.due }
  }

  /** The answer of a store that nothing runs on any more. */
  judge<A>(question: (store: Store) => Effect.Effect<A, unknown>): A {
    this.bury()
    return Effect.runSync(
      Effect.gen({ self: this }, function* () {
        const store = yield* openInlineStore({ file: this.disk.file() })
        const answer = yield* question(store)
        yield* store.close()
        return answer
      }),
    )
  }

  close(): void {
    this.bury()
    this.disk.remove()
  }

  private create(): SessionId | null {
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const created = this.ask((runtime) => runtime.create({ directory: location.directory }))
      if (created !== null) return created.id
    }
    return null
  }

  /** Sends the inputs and sees to it that they are answered, whatever dies meanwhile. */
  private playRound(session: SessionId, round: Round): void {
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      if (!this.sendRound(session, round)) continue
      if (this.ask((runtime) => settledOf(runtime, session)) === null) continue
      const info = this.ask((runtime) => runtime.get(session))
      if (info === null) continue
      const { state, owing, pending } = info.status
      if (state === "idle" && !owing && pending === 0) return
      this.ask((runtime) => Effect.ignore(runtime.resume(session)))
    }
    this.problems.push(`[DR4] the round of ${round[0]?.id} does not come to its end`)
  }

  /**
   * What has a receipt is never sent again: it must not be lost (PR1). The last input wakes the
   * Session, so that all of them are there at one boundary.
   */
  private sendRound(session: SessionId, round: Round): boolean {
    return round.every((input, at) => {
      if (this.receipts.has(input.id)) return true
      const last = at === round.length - 1
      if (this.ask((runtime) => send(runtime, session, input, last)) === null) return false
      this.receipts.add(input.id)
      return true
    })
  }

  /** The answer of the living process, or null if it died before it gave one. */
  private ask<A, E>(call: (runtime: Runtime) => Effect.Effect<A, E>): A | null {
    const booted = this.current === null || this.current.process.dead ? this.boot() : this.current
    const { process, runtime } = booted
    if (runtime === null) return null
    const asked = process.fork(call(runtime))
    this.pump(() => asked.pollUnsafe() !== undefined || process.dead)
    const exit = asked.pollUnsafe()
    if (exit === undefined) return null
    if (Exit.isSuccess(exit)) return exit.value
    throw new Error(`a call to the runtime failed: ${String(exit.cause)}`)
  }

  private boot(): Booted {
    this.bury()
    const death = this.boots === 0 ? this.options.death : null
    const process = new SimProcess(this.world, `process-${this.boots++}`)
    const booted: Booted = { process, runtime: null, database: null, writes: 0 }
    this.current = booted
    const root = process.fork(
      Effect.scoped(
        Effect.gen({ self: this }, function* () {
          const store = yield* this.openStore(booted, death)
          const { session } = this
          // An answer that a crash cut off is due again.
          if (session !== null) this.due = wholeAnswers(yield* store.turns(session))
          const ports = this.ports(booted, store)
          booted.runtime = yield* makeRuntime(ports, { locate: () => Effect.succeed(location) })
          return yield* Effect.never
        }),
      ),
    )
    this.pump(() => booted.runtime !== null || process.dead || root.pollUnsafe() !== undefined)
    const exit = root.pollUnsafe()
    if (exit !== undefined) throw new Error(`the process did not start: ${JSON.stringify(exit)}`)
    return booted
  }

  private openStore(booted: Booted, death: Death | null) {
    let synchronous = 0
    const dies = (moment: Death["moment"]) => {
      if (death === null || death.moment !== moment || death.write !== booted.writes) return
      booted.process.dead = true
      this.disk.crash(death.crash)
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
          this.writes++
          dies("before")
          return booted.process.dead ? Effect.never : Effect.sync(commit)
        }),
      onBatch: () => {
        this.disk.noteCommit(synchronous)
        dies("after")
      },
    })
  }

  /** Gives back what the dead held of the host. */
  private bury(): void {
    const { process, database } = this.current ?? {}
    if (process !== undefined) process.dead = true
    if (database?.isOpen === true) database.close()
  }

  private pump(done: () => boolean): void {
    sealed(this.world, () => {
      while (!done()) {
        if (!this.world.step()) throw new Error("the world came to a standstill")
        if (this.world.steps > stepsMax) throw new Error("the world does not come to rest")
      }
    })
  }

  private ports(booted: Booted, store: Store): RuntimePorts {
    const { world, options } = this
    const model = { provider: "sim", model: "script" }
    const tools = scriptTools(this.script, {
      playing: () => this.due - 1,
      delayMs: () => world.below(40),
      onStart: (call) => this.executions.set(call, (this.executions.get(call) ?? 0) + 1),
      steer: (input) => this.steer(booted, input),
    })
    return {
      store,
      transport: simTransport(this.provider, (body) => this.noteSent(booted, body)),
      live: makeLiveHub(),
      limits: { ...runtimeLimits, retry: retryLimits },
      newId: (prefix) =>
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
            options: plainOptions(outputTokensMax, {
              model: { reasoning: { kind: "budget", tokens: thinkingTokens } },
            }),
          },
          contextTokens: options.contextTokens,
          price: null,
          url: "http://sim",
          credential: "key",
        }),
      agentPrompt: "You are the agent of a recorded session.",
      tools: createToolRegistry(tools),
      context: () => Effect.succeed(date),
      locationExists: () => Effect.succeed(true),
      owner: { boot: "sim", space: "sim", pid: this.boots, start: "0", instance: booted.process.name },
      ownerState: (owner) =>
        Effect.sync(() => (owner.instance === this.current?.process.name ? "alive" : "gone")),
      endCallProcesses: () => Effect.void,
    }
  }

  private noteSent({ database }: Booted, bytes: Uint8Array): void {
    const [start] = database === null || this.session === null ? [] : openTurn(database, this.session)
    this.sent.push({ body: Buffer.from(bytes), turnSeq: start?.seq ?? null })
  }

  /** The user speaks into the one Session while its tools run. */
  private steer(booted: Booted, input: ScriptedInput): Effect.Effect<void> {
    const { runtime } = booted
    const [session] = runtime?.active() ?? []
    if (runtime === null || session === undefined) return Effect.void
    return Effect.orDie(Effect.asVoid(send(runtime, session, input, true)))
  }
}

/** Turns that settled with all that they said; recovery settles any other as interrupted. */
const wholeAnswers = (turns: readonly TurnRecord[]): number =>
  turns.filter(({ settled }) => settled?.status === "done" || settled?.status === "continue").length

/** With an id of its own, so that a repeat after a crash is the same prompt (PR2). */
const send = (runtime: Runtime, session: SessionId, { id, text }: ScriptedInput, resume: boolean) =>
  runtime.prompt({ sessionID: session, id, text, resume })

const settledOf = (runtime: Runtime, session: SessionId) => Effect.as(runtime.settled(session), true)
