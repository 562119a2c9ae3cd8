/**
 * A bench for bad input: the real runtime on a real store in a folder of its own, a provider that
 * answers what a test wants, and a clock that jumps to whatever comes next.
 *
 * Everything runs on the calling thread. `run` drives the world until an effect has ended, so a
 * test reads as a sequence; one that never ends is an error and not a hang.
 */
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { Cause, Effect, Exit } from "effect"
import { dateSource } from "@holdfast/core/context/index"
import type { Runtime } from "@holdfast/core/runtime"
import type { DrainEnd } from "@holdfast/core/session/drain"
import {
  createProviderSim,
  type ProviderSim,
  type Reply,
  scripted,
  type SimResponse,
  textReply,
} from "@holdfast/provider-sim"
import type { FactOf } from "@holdfast/schema/event"
import type { Store } from "@holdfast/store/port"
import { onlyModel } from "../stage/model.ts"
import { simTransport } from "../stage/transport.ts"
import { type Booted, VirtualStage } from "../stage/virtual.ts"

export const goodAnswer = "All is well."

/** What the provider does with the next requests: answer as a model, or send these bytes. */
export type Behaviour =
  | { readonly kind: "reply"; readonly reply: Reply }
  | { readonly kind: "bytes"; readonly response: SimResponse }

export const behavesWell: Behaviour = { kind: "reply", reply: textReply(goodAnswer) }

export class Bench extends VirtualStage {
  readonly file = this.disk.file()
  readonly project = join(this.disk.folder, "project")
  behaviour: Behaviour = behavesWell
  /** Called before each answer of the provider. */
  onRequest: () => void = () => {}
  /** Bodies that reached the provider. */
  requests = 0
  private readonly sim: ProviderSim
  private booted: Booted | null = null

  constructor() {
    super()
    mkdirSync(this.project)
    const model = scripted(() => (this.behaviour.kind === "reply" ? this.behaviour.reply : textReply("")))
    this.sim = createProviderSim({ models: { model }, contextTokens: 100_000, outputTokens: 1_000 })
  }

  get runtime(): Runtime {
    return there(this.up().runtime)
  }

  get store(): Store {
    return there(this.up().store)
  }

  /** The writing connection of the store. */
  get db(): DatabaseSync {
    return there(this.up().database)
  }

  /** Starts a process on the store, or on another one that is already open. */
  start(store?: Store): this {
    this.booted = this.boot(store === undefined ? {} : { store })
    return this
  }

  /** Ends the process; what it left open is for the next one. */
  stop(): void {
    if (this.booted !== null) this.bury(this.booted)
    this.booted = null
  }

  remove(): void {
    this.stop()
    this.disk.remove()
  }

  run<A, E>(effect: Effect.Effect<A, E>): Exit.Exit<A, E> {
    return there(this.finish(() => effect, this.up()))
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

  private up(): Booted {
    return there(this.booted)
  }

  protected override bind() {
    const exists = (directory: string) => Effect.sync(() => existsSync(directory))
    return {
      transport: simTransport({ ...this.sim, respond: this.respond }),
      model: onlyModel({ ref: { provider: "sim", model: "model" }, contextTokens: 100_000 }),
      context: () => Effect.succeed(dateSource({ timeZone: "UTC" })),
      locate: (directory: string) =>
        Effect.map(exists(directory), (found) => (found ? { directory, projectRoot: directory } : null)),
      locationExists: ({ directory }: { readonly directory: string }) => exists(directory),
    }
  }

  private readonly respond: ProviderSim["respond"] = (request, nowMs) => {
    this.requests += 1
    this.onRequest()
    const { behaviour } = this
    return behaviour.kind === "bytes" ? behaviour.response : this.sim.respond(request, nowMs)
  }
}

function there<A>(found: A | null): A {
  if (found === null) throw new Error("nothing is running on this bench")
  return found
}

function value<A, E>(exit: Exit.Exit<A, E>): A {
  if (Exit.isSuccess(exit)) return exit.value
  throw new Error(`failed unexpectedly: ${Cause.pretty(exit.cause)}`)
}

/** A bench for one test, removed after it. */
export async function withBench<A>(use: (bench: Bench) => A | Promise<A>): Promise<A> {
  const bench = new Bench()
  try {
    return await use(bench.start())
  } finally {
    bench.remove()
  }
}
