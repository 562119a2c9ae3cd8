/**
 * A stage for one script: the whole runtime on virtual time, a strict provider, real SQLite, and a
 * user who repeats what was lost when the process dies. What really happened outside the runtime
 * (requests, executions) is noted here, where no crash reaches it.
 */
import { Effect, Exit } from "effect"
import { dateSource } from "@holdfast/core/context/index"
import type { Runtime } from "@holdfast/core/runtime"
import { plainOptions } from "@holdfast/llm/options"
import { createProviderSim, type ProviderSim } from "@holdfast/provider-sim"
import type { StoreFailure } from "@holdfast/schema/error"
import type { SessionId } from "@holdfast/schema/id"
import { openInlineStore } from "@holdfast/store"
import type { Store, StoredTurn } from "@holdfast/store/port"
import { openTurn } from "../simulation/turns.ts"
import { modelSetup } from "../stage/model.ts"
import { simTransport } from "../stage/transport.ts"
import { type Booted, type Death, projectDirectory, VirtualStage } from "../stage/virtual.ts"
import { replyOf, type Round, type Script, type ScriptedInput, scriptTools } from "./script.ts"

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

const outputTokensMax = 16_000
const thinkingTokens = 1_024
/** How often one round is taken up again before it counts as stuck. */
const attemptsMax = 12
const date = dateSource({ timeZone: "UTC" })

export class Stage extends VirtualStage {
  override stepsMax = 20_000_000
  readonly problems: string[] = []
  private readonly sent: Sent[] = []
  private readonly executions = new Map<string, number>()
  private readonly receipts = new Set<string>()
  private readonly provider: ProviderSim
  private readonly script: Script
  private readonly options: StageOptions
  private session: SessionId | null = null
  private current: Booted | null = null
  private writes = 0
  /** Index of the recorded answer that is due. */
  private due = 0

  constructor(script: Script, options: StageOptions) {
    super(options.seed)
    this.script = script
    this.options = options
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
    const { sent, executions, provider, due: answers } = this
    return { sent, executions, provider, answers, writes: this.writes + (this.current?.writes ?? 0) }
  }

  /** The answer of a store that nothing runs on any more. */
  judge<A>(question: (store: Store) => Effect.Effect<A, unknown>): A {
    this.end()
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
    this.end()
    this.disk.remove()
  }

  private create(): SessionId | null {
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const created = this.ask((runtime) => runtime.create({ directory: projectDirectory }))
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
    const booted = this.current === null || this.current.process.dead ? this.bootNext() : this.current
    if (booted.process.dead) return null
    const exit = this.finish(call, booted)
    if (exit === null) return null
    if (Exit.isSuccess(exit)) return exit.value
    throw new Error(`a call to the runtime failed: ${String(exit.cause)}`)
  }

  private bootNext(): Booted {
    const first = this.current === null
    this.end()
    return (this.current = this.boot({ death: first ? this.options.death : null }))
  }

  /** Ends the process where it stands and keeps what it had done. */
  private end(): void {
    if (this.current === null) return
    this.bury(this.current)
    this.writes += this.current.writes
    this.current.writes = 0
  }

  /** An answer that a crash cut off is due again. */
  protected override onStore(store: Store): Effect.Effect<Store, StoreFailure> {
    const { session } = this
    if (session === null) return Effect.succeed(store)
    return Effect.map(store.turns(session), (turns) => {
      this.due = wholeAnswers(turns)
      return store
    })
  }

  protected override bind(booted: Booted) {
    const { world, options } = this
    const setup = modelSetup({
      contextTokens: options.contextTokens,
      options: plainOptions(outputTokensMax, {
        model: { reasoning: { kind: "budget", tokens: thinkingTokens } },
      }),
    })
    return {
      transport: simTransport(this.provider, (body) => this.noteSent(booted, body)),
      model: () => Effect.succeed(setup),
      tools: scriptTools(this.script, {
        playing: () => this.due - 1,
        delayMs: () => world.below(40),
        onStart: (call) => this.executions.set(call, (this.executions.get(call) ?? 0) + 1),
        steer: (input) => this.steer(booted, input),
      }),
      context: () => Effect.succeed(date),
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
const wholeAnswers = (turns: readonly StoredTurn[]): number =>
  turns.filter(({ settled }) => settled?.status === "done" || settled?.status === "continue").length

/** With an id of its own, so that a repeat after a crash is the same prompt (PR2). */
const send = (runtime: Runtime, session: SessionId, { id, text }: ScriptedInput, resume: boolean) =>
  runtime.prompt({ sessionID: session, id, text, resume })

const settledOf = (runtime: Runtime, session: SessionId) => Effect.as(runtime.settled(session), true)
