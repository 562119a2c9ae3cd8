/**
 * A runtime that speaks one wire on virtual time, and a recording of every exchange it had.
 *
 * Beside each exchange stand the canonical events that the runtime took from it, so that a replay of
 * the recording can be held against what really happened (LL1).
 */
import { Effect, Exit } from "effect"
import type { SendPrompt } from "@holdfast/core/runtime"
import type { DrainEnd } from "@holdfast/core/session/drain"
import type { Tool } from "@holdfast/core/tools/index"
import type { RequestOptions } from "@holdfast/llm/options"
import type { Interaction } from "@holdfast/llm/recording/recording"
import { keepHeaders } from "@holdfast/llm/recording/secrets"
import type { StreamEvent, Wire } from "@holdfast/llm/wire"
import { wires } from "@holdfast/llm/wires"
import { createProviderSim, type ChatDialect, type Reply, type RequestView } from "@holdfast/provider-sim"
import type { ProviderSim, SimRequest, SimResponse } from "@holdfast/provider-sim"
import type { FactOf, FactType } from "@holdfast/schema/event"
import type { SessionId } from "@holdfast/schema/id"
import type { StoredTurn } from "@holdfast/store/port"
import { modelSetup } from "../stage/model.ts"
import { simTransport } from "../stage/transport.ts"
import { type Booted, type Call, projectDirectory, VirtualStage } from "../stage/virtual.ts"
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

const contextTokens = 40_000

export class ExchangeStage extends VirtualStage {
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
  private readonly tools: readonly Tool[]
  private readonly provider: ProviderSim
  private readonly booted: Booted

  constructor(speaker: Speaker, tools: readonly Tool[]) {
    super()
    this.tools = tools
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
    this.booted = this.boot()
    this.session = this.ask((runtime) => runtime.create({ directory: projectDirectory })).id
  }

  /** Sends a prompt and waits for what comes of it. */
  converse(text: string, more: Partial<SendPrompt> = {}): DrainEnd | null {
    this.ask((runtime) => runtime.prompt({ sessionID: this.session, text, ...more }))
    return this.ask((runtime) => runtime.settled(this.session))
  }

  turns = (): readonly StoredTurn[] => this.ask((runtime) => runtime.turns(this.session))

  /** Whether every request is rebuilt from the log. */
  verdicts = (): readonly string[] =>
    this.ask((runtime) => runtime.verify(this.session)).map(({ verdict }) => verdict.kind)

  facts<T extends FactType>(type: T): readonly FactOf<T>[] {
    const { events } = this.ask((_, store) => store.events(this.session, 0, 10_000))
    return events.flatMap(({ fact }) => (fact.type === type ? [fact as FactOf<T>] : []))
  }

  close(): void {
    this.shutDown(this.booted)
    this.disk.remove()
  }

  protected override bind() {
    return {
      transport: simTransport({ log: [], respond: (...call) => this.respond(...call) }),
      // A test may change what the speaker is asked for.
      model: () => Effect.sync(() => this.setup()),
      tools: this.tools,
    }
  }

  private ask<A, E>(call: Call<A, E>): A {
    const exit = this.finish(call, this.booted)
    if (exit !== null && Exit.isSuccess(exit)) return exit.value
    throw new Error(`a call failed: ${String(exit?.cause)}`)
  }

  private setup() {
    const { wire, url, model, options } = this.speaker
    const ref = { provider: wire, model }
    const credential = "sk-never-shown"
    return modelSetup({ ref, wire: this.watched(), url, options, contextTokens, credential })
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
