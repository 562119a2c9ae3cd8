/**
 * A runtime that speaks one wire on virtual time, and a recording of every exchange it had.
 *
 * Beside each exchange stand the canonical events that the runtime took from it, so that a replay of
 * the recording can be held against what really happened (LL1).
 */
import { Deferred, Effect, Exit, Fiber } from "effect"
import { empty } from "@holdfast/core/context/index"
import { makeRuntime, type Runtime, type SendPrompt } from "@holdfast/core/runtime"
import type { DrainEnd } from "@holdfast/core/session/drain"
import { makeLiveHub } from "@holdfast/core/session/live"
import { type RuntimePorts, runtimeLimits } from "@holdfast/core/session/ports"
import { retryLimits } from "@holdfast/core/session/retry"
import { createToolRegistry, type Tool } from "@holdfast/core/tools/index"
import type { RequestOptions } from "@holdfast/llm/options"
import type { Interaction } from "@holdfast/llm/recording/recording"
import { keepHeaders } from "@holdfast/llm/recording/secrets"
import type { StreamEvent, Wire } from "@holdfast/llm/wire"
import { wires } from "@holdfast/llm/wires"
import { createProviderSim, type ChatDialect, type Reply, type RequestView } from "@holdfast/provider-sim"
import type { ProviderSim, SimRequest, SimResponse } from "@holdfast/provider-sim"
import type { FactOf, FactType } from "@holdfast/schema/event"
import { idFromBytes, type SessionId } from "@holdfast/schema/id"
import { openInlineStore } from "@holdfast/store"
import type { TurnRecord } from "@holdfast/store/port"
import { takeImage } from "../session/media/png.ts"
import { Disk } from "../simulation/disk.ts"
import { simTransport } from "../simulation/provider.ts"
import { SimProcess, World } from "../simulation/scheduler.ts"
import { sealed } from "../simulation/seal.ts"
import type { WireName } from "./scenarios.ts"

/** Who answers: a model under a name that its provider could have. */
export interface Speaker {
  readonly wire: WireName
  readonly url: string
  readonly model: string
  readonly options: RequestOptions
  readonly dialect?: ChatDialect
}

export interface Exchange {
  readonly interaction: Interaction
  readonly atMs: number
  /** What the runtime took from the answer. */
  readonly events: StreamEvent[]
}

const location = { directory: "/sim/project", projectRoot: "/sim/project" }
const contextTokens = 40_000
const stepsMax = 100_000

export class ExchangeStage {
  readonly exchanges: Exchange[] = []
  /** What the simulated model was shown, by request. */
  readonly views: RequestView[] = []
  /** Played in order by the simulated model. */
  readonly replies: Reply[] = []
  /** Answers in place of the simulated ones, in order, as long as there are any. */
  readonly framed: SimResponse[] = []
  readonly session: SessionId
  readonly wire: Wire
  private readonly speaker: Speaker
  private readonly world = new World(1)
  private readonly process = new SimProcess(this.world, "process")
  private readonly disk = new Disk()
  private readonly provider: ProviderSim
  private readonly root: Fiber.Fiber<unknown, unknown>
  private readonly booted = Deferred.makeUnsafe<Runtime>()

  constructor(speaker: Speaker, tools: readonly Tool[]) {
    this.speaker = speaker
    this.wire = wires[speaker.wire] as Wire
    const reply = (view: RequestView): Reply => {
      this.views.push(view)
      return this.replies.shift() ?? { blocks: [{ type: "text", text: "The script has no more replies." }] }
    }
    this.provider = createProviderSim({
      models: { [speaker.model]: { reply, thinking: true } },
      contextTokens,
      ...(speaker.dialect === undefined ? {} : { dialect: speaker.dialect }),
    })
    this.root = this.process.fork(Effect.scoped(this.run(tools)))
    this.session = this.ask((runtime) => runtime.create({ directory: location.directory })).id
  }

  /** Sends a prompt and waits for what comes of it. */
  converse(text: string, more: Partial<SendPrompt> = {}): DrainEnd | null {
    this.ask((runtime) => runtime.prompt({ sessionID: this.session, text, ...more }))
    return this.ask((runtime) => runtime.settled(this.session))
  }

  turns = (): readonly TurnRecord[] => this.ask((runtime) => runtime.turns(this.session))

  /** Whether every request is rebuilt from the log. */
  verdicts = (): readonly string[] =>
    this.ask((runtime) => runtime.verify(this.session)).map(({ verdict }) => verdict.kind)

  facts<T extends FactType>(type: T): readonly FactOf<T>[] {
    return this.ask((runtime) => runtime.events(this.session, 0, 10_000, false)).flatMap(({ fact }) =>
      fact.type === type ? [fact as FactOf<T>] : [],
    )
  }

  close(): void {
    this.process.fork(Fiber.interrupt(this.root))
    this.pump(() => this.root.pollUnsafe() !== undefined)
    this.disk.remove()
  }

  private ask<A, E>(call: (runtime: Runtime) => Effect.Effect<A, E>): A {
    const asked = this.process.fork(Effect.flatMap(Deferred.await(this.booted), call))
    this.pump(() => asked.pollUnsafe() !== undefined)
    const exit = asked.pollUnsafe() as Exit.Exit<A, E>
    if (Exit.isSuccess(exit)) return exit.value
    throw new Error(`a call failed: ${String(exit.cause)}`)
  }

  private pump(done: () => boolean): void {
    const stepsEnd = this.world.steps + stepsMax
    sealed(this.world, () => {
      while (!done()) {
        const ended = this.root.pollUnsafe()
        if (ended !== undefined) throw new Error(`the process ended: ${JSON.stringify(ended)}`)
        if (!this.world.step()) throw new Error("the world came to a standstill")
        if (this.world.steps > stepsEnd) throw new Error("the world does not come to rest")
      }
    })
  }

  private run(tools: readonly Tool[]) {
    return Effect.gen({ self: this }, function* () {
      const opened = openInlineStore({ file: this.disk.file(), gate: (commit) => Effect.sync(commit) })
      const store = yield* Effect.acquireRelease(opened, (found) => Effect.ignore(found.close()))
      const ports: RuntimePorts = {
        store,
        live: makeLiveHub(),
        transport: simTransport({ log: [], respond: (...call) => this.respond(...call) }, () => {}),
        limits: { ...runtimeLimits, retry: retryLimits },
        newId: (prefix) =>
          idFromBytes(
            prefix,
            Uint8Array.from({ length: 20 }, () => this.world.below(256)),
          ),
        model: () => Effect.sync(() => this.setup()),
        fallback: [],
        agentPrompt: "You are the agent of a test.",
        tools: createToolRegistry(tools),
        context: () => Effect.succeed(empty),
        locationExists: () => Effect.succeed(true),
        owner: { boot: "test", space: "test", pid: 1, start: "0", instance: "process" },
        ownerState: () => Effect.succeed("alive"),
        normaliseImage: takeImage,
        endCallProcesses: () => Effect.void,
      }
      const runtime = yield* makeRuntime(ports, { locate: () => Effect.succeed(location) })
      yield* Deferred.succeed(this.booted, runtime)
      return yield* Effect.never
    })
  }

  private setup() {
    const { wire, url, model, options } = this.speaker
    const ref = { provider: wire, model }
    const target = { ...ref, endpoint: url, options }
    const credential = "sk-never-shown"
    return { ref, wire: this.watched(), target, contextTokens, price: null, url, credential }
  }

  private respond(request: SimRequest, nowMs: number): SimResponse {
    const response = this.framed.shift() ?? this.provider.respond(request, nowMs)
    const frames = [...response.frames]
    const interaction = recorded(this.speaker, request, { ...response, frames })
    this.exchanges.push({ interaction, atMs: nowMs, events: [] })
    return { ...response, frames }
  }

  /** The wire, with what the runtime learns through it noted. */
  private watched(): Wire {
    const { wire } = this
    const note = (events: readonly StreamEvent[]) => {
      this.exchanges.at(-1)?.events.push(...events)
      return events
    }
    return {
      ...wire,
      decoder: (contentType) => {
        const { push, end } = wire.decoder(contentType)
        return { push: (bytes) => note(push(bytes)), end: () => note(end()) }
      },
      failure: (...answer) => {
        const failure = wire.failure(...answer)
        note([{ type: "failure", failure }])
        return failure
      },
    }
  }
}

/** Only Converse answers in bytes that are no text. */
const isText = (wire: WireName): boolean => wire !== "bedrock-converse"

function recorded({ wire, url }: Speaker, request: SimRequest, response: SimResponse): Interaction {
  const pieces = [...response.frames].map((frame) => {
    if (frame.kind !== "bytes") throw new Error("a broken connection cannot be recorded")
    return frame.bytes
  })
  const body = Buffer.concat(pieces)
  return {
    request: {
      method: request.method,
      url: new URL(request.path, url).href,
      headers: keepHeaders(request.headers),
      body: Buffer.from(request.body).toString("utf8"),
    },
    response: {
      status: response.status,
      headers: keepHeaders(response.headers),
      ...(isText(wire)
        ? { body: body.toString("utf8") }
        : { body: body.toString("base64"), bodyEncoding: "base64" as const }),
    },
  }
}
