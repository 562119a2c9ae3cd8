/**
 * A bench for bad input: the real runtime on a real store in a folder of its own, a provider that
 * answers what a test wants, and a clock that jumps to whatever comes next.
 *
 * Everything runs on the calling thread. `run` drives the world until an effect has ended, so a
 * test reads as a sequence; one that never ends is an error and not a hang.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { Cause, Deferred, Effect, Exit } from "effect"
import { dateSource } from "@holdfast/core/context/index"
import { makeRuntime, type Runtime } from "@holdfast/core/runtime"
import type { DrainEnd } from "@holdfast/core/session/drain"
import { makeLiveHub } from "@holdfast/core/session/live"
import { type RuntimePorts, runtimeLimits } from "@holdfast/core/session/ports"
import { retryLimits } from "@holdfast/core/session/retry"
import { createToolRegistry } from "@holdfast/core/tools/index"
import { anthropicMessages } from "@holdfast/llm/anthropic-messages/index"
import { plainOptions } from "@holdfast/llm/options"
import {
  createProviderSim,
  type ProviderSim,
  type Reply,
  scripted,
  type SimResponse,
  textReply,
} from "@holdfast/provider-sim"
import { ModelNotFound } from "@holdfast/schema/error"
import type { FactOf } from "@holdfast/schema/event"
import { idFromBytes } from "@holdfast/schema/id"
import { dataFile, openInlineStore } from "@holdfast/store"
import type { Store } from "@holdfast/store/port"
import { simTransport } from "../simulation/provider.ts"
import { SimProcess, World } from "../simulation/scheduler.ts"

export const goodAnswer = "All is well."

/** What the provider does with the next requests: answer as a model, or send these bytes. */
export type Behaviour =
  | { readonly kind: "reply"; readonly reply: Reply }
  | { readonly kind: "bytes"; readonly response: SimResponse }

export const behavesWell: Behaviour = { kind: "reply", reply: textReply(goodAnswer) }

export class Bench {
  readonly folder = mkdtempSync(join(tmpdir(), "holdfast-bad-input-"))
  readonly file = dataFile(join(this.folder, "data"))
  readonly project = join(this.folder, "project")
  readonly world = new World(1)
  behaviour: Behaviour = behavesWell
  /** Called before each answer of the provider. */
  onRequest: () => void = () => {}
  /** More than any case needs; an endless loop of ours ends here. */
  stepsMax = 400_000
  /** Bodies that reached the provider. */
  requests = 0
  private readonly sim: ProviderSim
  private boots = 0
  private booted: { process: SimProcess; store: Store; runtime: Runtime; db: DatabaseSync | null } | null =
    null

  constructor() {
    mkdirSync(this.project)
    const model = scripted(() => (this.behaviour.kind === "reply" ? this.behaviour.reply : textReply("")))
    this.sim = createProviderSim({ models: { model }, contextTokens: 100_000, outputTokens: 1_000 })
  }

  get runtime(): Runtime {
    return this.up().runtime
  }

  get store(): Store {
    return this.up().store
  }

  /** The writing connection of the store. */
  get db(): DatabaseSync {
    const { db } = this.up()
    if (db === null) throw new Error("this store has no writing connection")
    return db
  }

  /** Starts a process on the store, or on another one that is already open. */
  boot(opened?: Store): this {
    const process = new SimProcess(this.world, `boot-${this.boots++}`)
    let db: DatabaseSync | null = null
    const open = openInlineStore({ file: this.file, onOpen: (connection) => (db = connection) })
    const store = opened ?? value(this.drive(process, open))
    const ready = Effect.runSync(Deferred.make<Runtime>())
    const live = Effect.gen({ self: this }, function* () {
      const runtime = yield* makeRuntime(this.ports(process, store), { locate: this.locate })
      yield* Deferred.succeed(ready, runtime)
      return yield* Effect.never
    })
    process.fork(Effect.scoped(live))
    const runtime = value(this.drive(process, Deferred.await(ready)))
    this.booted = { process, store, runtime, db }
    return this
  }

  /** Ends the process; what it left open is for the next one. */
  stop(): void {
    if (this.booted === null) return
    this.booted.process.dead = true
    Effect.runSync(Effect.ignore(this.booted.store.close()))
    this.booted = null
  }

  remove(): void {
    this.stop()
    rmSync(this.folder, { recursive: true, force: true })
  }

  run<A, E>(effect: Effect.Effect<A, E>): Exit.Exit<A, E> {
    return this.drive(this.up().process, effect)
  }

  ok<A, E>(effect: Effect.Effect<A, E>): A {
    return value(this.run(effect))
  }

  /** The failure of an effect that must fail as its type says. */
  fails<A, E>(effect: Effect.Effect<A, E>): E {
    return this.ok(Effect.flip(effect))
  }

  newSession(): string {
    return this.ok(this.runtime.create({ directory: this.project })).id
  }

  /** Sends a prompt and waits until nothing runs any more. */
  say(session: string, text: string): DrainEnd | null {
    this.ok(this.runtime.prompt({ sessionID: session, text }))
    return this.settled(session)
  }

  settled(session: string): DrainEnd | null {
    return this.ok(this.runtime.settled(session))
  }

  /** The settlements on record, in order. */
  settlements(session: string): readonly FactOf<"turn.settled">[] {
    const events = this.ok(this.runtime.events(session, 0, 10_000, false))
    return events.flatMap(({ fact }) => (fact.type === "turn.settled" ? [fact] : []))
  }

  /** The user's words and the answers, as history has them. */
  transcript(session: string): readonly string[] {
    return this.ok(this.runtime.messages(session, { afterSeq: 0, limit: 10_000, system: true })).map(
      (message) =>
        message.kind === "assistant"
          ? message.parts.flatMap(({ part }) => (part.type === "text" ? [part.text] : [])).join("")
          : message.text,
    )
  }

  private up() {
    if (this.booted === null) throw new Error("nothing is running on this bench")
    return this.booted
  }

  private drive<A, E>(process: SimProcess, effect: Effect.Effect<A, E>): Exit.Exit<A, E> {
    const fiber = process.fork(effect)
    for (let steps = 0; steps < this.stepsMax; steps++) {
      const exit = fiber.pollUnsafe()
      if (exit !== undefined) return exit
      if (!this.world.step()) throw new Error("nothing can happen any more, and the call has not ended")
    }
    throw new Error(`the call has not ended after ${this.stepsMax} steps`)
  }

  private readonly locate = (directory: string) =>
    Effect.sync(() => (existsSync(directory) ? { directory, projectRoot: directory } : null))

  private ports(process: SimProcess, store: Store): RuntimePorts {
    const ref = { provider: "sim", model: "model" }
    const options = plainOptions(1_000)
    return {
      store,
      transport: simTransport({ ...this.sim, respond: this.respond }, () => {}),
      live: makeLiveHub(),
      limits: { ...runtimeLimits, retry: retryLimits },
      newId: (prefix) =>
        idFromBytes(
          prefix,
          Uint8Array.from({ length: 20 }, () => this.world.below(256)),
        ),
      model: (asked) =>
        asked === null || asked.model === ref.model
          ? Effect.succeed({
              ref,
              wire: anthropicMessages,
              target: { ...ref, endpoint: "http://sim", options },
              contextTokens: 100_000,
              price: null,
              url: "http://sim",
              credential: "key",
            })
          : Effect.fail(
              new ModelNotFound({ model: asked.model, message: `There is no model ${asked.model}.` }),
            ),
      agentPrompt: "You are on a bench.",
      tools: createToolRegistry([]),
      context: () => Effect.succeed(dateSource({ timeZone: "UTC" })),
      locationExists: ({ directory }) => Effect.sync(() => existsSync(directory)),
      owner: { boot: "bench", space: "bench", pid: 1, start: "0", instance: process.name },
      ownerState: (owner) => Effect.succeed(owner.instance === process.name ? "alive" : "gone"),
      endCallProcesses: () => Effect.void,
    }
  }

  private readonly respond: ProviderSim["respond"] = (request, nowMs) => {
    this.requests += 1
    this.onRequest()
    const { behaviour } = this
    return behaviour.kind === "bytes" ? behaviour.response : this.sim.respond(request, nowMs)
  }
}

function value<A, E>(exit: Exit.Exit<A, E>): A {
  if (Exit.isSuccess(exit)) return exit.value
  throw new Error(`failed unexpectedly: ${Cause.pretty(exit.cause)}`)
}

/** A bench for one test, removed after it. */
export async function withBench<A>(use: (bench: Bench) => A | Promise<A>): Promise<A> {
  const bench = new Bench()
  try {
    return await use(bench.boot())
  } finally {
    bench.remove()
  }
}
