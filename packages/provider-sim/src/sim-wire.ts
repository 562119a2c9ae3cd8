/**
 * Wire: everything the simulated provider knows about one provider's protocol.
 *
 * The state machine in `sim.ts` is the same for all: it asks the wire to judge the request, to
 * show it to the model, to measure it against the cache, and to give the answer its shape. A wire
 * is pure; the cache it creates is its only state, one for each simulated provider.
 */
import type { SimRequest } from "./exchange.ts"
import type { Fault } from "./faults.ts"
import type { JsonObject } from "./json.ts"
import type { ChatDialect, Reply, RequestView, SimModel } from "./model.ts"
import type { Sources } from "./sources.ts"
import type { StreamEvent } from "./stream.ts"

export type WireName =
  | "anthropic-messages"
  | "openai-responses"
  | "openai-chat"
  | "gemini"
  | "bedrock-converse"

/** A refusal as a value; the wire gives it the provider's body. */
export interface Refusal {
  readonly status: number
  /** The provider's own word for the kind of error. */
  readonly type: string
  readonly message: string
  /** The two further fields of OpenAI. */
  readonly code?: string | null
  readonly param?: string | null
  /** The further field of Google. */
  readonly details?: readonly object[]
}

export type Verdict = Refusal | undefined

/** A pair of keys that may sign, with the token that must come with it. */
export interface AwsKey {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
  /** Refused from then on. */
  readonly expiresAtMs?: number
}

export interface WireRules {
  readonly models: Readonly<Record<string, SimModel>>
  readonly apiKeys?: readonly string[]
  readonly awsKeys?: readonly AwsKey[]
  readonly dialect: ChatDialect
  outputMaxOf(model: SimModel): number
  contextTokensOf(model: SimModel): number
}

export type Validation<Body> =
  | { readonly kind: "accepted"; readonly body: Body; readonly name: string; readonly model: SimModel }
  | { readonly kind: "refused"; readonly refusal: Refusal; readonly body?: JsonObject }

/** An accepted request, as the later steps need it. */
export interface Accepted<Body> {
  readonly request: SimRequest
  readonly body: Body
  /** The name of the model in the request. */
  readonly name: string
  readonly model: SimModel
  readonly requestId: string
  readonly sequence: number
  readonly nowMs: number
  readonly contextTokens: number
  readonly outputMax: number
  readonly dialect: ChatDialect
}

/** What every measure of a cache can say; the three parts add up to the whole prompt. */
export interface CacheParts {
  readonly read: number
  readonly write: number
  readonly input: number
}

export interface WireCache<Body, Measure> {
  /** Pure look: what this request would read and write now. */
  measure(accepted: Accepted<Body>, tokensMin: number): Measure
  /** Makes the writes and refreshes of a measured request real; a repeat changes nothing. */
  commit(measure: Measure, nowMs: number, visibleAtMs: number): void
}

export interface AnswerSummary {
  readonly text: string
  readonly calls: readonly { readonly id: string; readonly name: string }[]
  readonly stopReason: string
  readonly outputTokens: number
}

/** What a fault needs to know of the request it befalls. */
export interface FaultScene {
  readonly requestId: string
  readonly nowMs: number
  readonly headersAfterMs: number
  readonly model: string
  readonly tokens: number
  readonly contextTokens: number
}

export interface RefusedFault {
  readonly refusal: Refusal
  readonly headers?: Readonly<Record<string, string>>
}

/** A view before its images are gathered from its messages. */
export type WireView = Omit<RequestView, "images">

export interface FaultForms<Answer> {
  /** The refusal that replaces an answer, or nothing if the fault leaves the answer alive. */
  refusal(fault: Fault, scene: FaultScene): RefusedFault | undefined
  /** What an error in the middle of a stream looks like; the stream then ends. */
  errorEvents(
    fault: Extract<Fault, { kind: "error-event" }>,
    /** `sent` is the number of events before. */
    occasion: { readonly scene: FaultScene; readonly answer: Answer; readonly sent: number },
  ): readonly StreamEvent[]
  /** One event whose data is no JSON. */
  readonly broken: StreamEvent
  /** The beginning of a text that never ends, and what is repeated. */
  endless(events: readonly StreamEvent[]): {
    readonly head: readonly StreamEvent[]
    readonly more: StreamEvent
  }
}

export interface SimWire<Body, Measure extends { readonly tokens: number }, Answer> {
  readonly name: WireName
  readonly sources: readonly Sources[]
  /** Whether the request line is this wire's, legal or not. */
  claims(request: SimRequest): boolean
  requestIdOf(sequence: number): string
  validate(request: SimRequest, rules: WireRules, nowMs: number): Validation<Body>
  view(accepted: Accepted<Body>, callIndex: number): WireView
  createCache(): WireCache<Body, Measure>
  cacheParts(measure: Measure): CacheParts
  /** Whether prompt and reserved output fit. */
  checkWindow(accepted: Accepted<Body>, tokens: number): Verdict
  build(accepted: Accepted<Body>, reply: Reply, measure: Measure): Answer
  summarize(answer: Answer): AnswerSummary
  wantsStream(accepted: Accepted<Body>): boolean
  /** The answer as one JSON document. */
  whole(answer: Answer): unknown
  events(answer: Answer, reply: Reply): readonly StreamEvent[]
  /** Headers of every response, by what follows them. */
  headers(content: "json" | "stream", requestId: string, refusal?: Refusal): Readonly<Record<string, string>>
  errorBody(refusal: Refusal, requestId: string): unknown
  readonly faults: FaultForms<Answer>
}
