/**
 * Wire: everything the simulated provider knows about one provider's protocol.
 *
 * The state machine in `sim.ts` is the same for all: it asks the wire to judge the request, to
 * show it to the model, to measure it against the cache, and to give the answer its shape. A wire
 * is pure; the cache it creates is its only state, one for each simulated provider.
 */
import type { SimRequest } from "./exchange.ts"
import type { ApiErrorType, RateFault } from "./faults.ts"
import type { BrokenJson, JsonObject } from "./json.ts"
import type { ChatDialect, Reply, RequestView, SimModel } from "./model.ts"
import type { Sources } from "./sources.ts"
import type { SimRecord } from "./simulate.ts"
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

export interface ProviderSimOptions {
  readonly models: Readonly<Record<string, SimModel>>
  /** Window of models without a limit of their own. Default 200,000. */
  readonly contextTokens?: number
  /** Output limit of models without one of their own. Default 64,000. */
  readonly outputTokens?: number
  /** The shortest prefix that is cached. Default 1,024. */
  readonly cacheTokensMin?: number
  /** Keys that are let in. Default: any, and callers without one: a server that asks for none. */
  readonly apiKeys?: readonly string[]
  /** AWS keys whose signatures are verified. Default: any signature is let in by its shape. */
  readonly awsKeys?: readonly AwsKey[]
  /** Records kept, the oldest go first. Default 10,000. */
  readonly logMax?: number
  /** Whose Chat Completions are simulated. Default `openai`. */
  readonly dialect?: ChatDialect
  /** Called with each record of the log as it is made. */
  readonly onRecord?: (record: SimRecord) => void
}

/** A request as it comes in. */
export interface Arrival {
  readonly request: SimRequest
  readonly requestId: string
  readonly sequence: number
  readonly nowMs: number
}

/** A model under the name that requests give it. */
export interface ListedModel {
  readonly name: string
  readonly model: SimModel
  readonly contextTokens: number
  readonly outputMax: number
}

/** An accepted request, as the later steps need it. */
export interface Accepted<Body> extends Arrival, ListedModel {
  readonly body: Body
  /** The body as it came. */
  readonly sent: JsonObject
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

export interface ErrorOccasion<Answer> {
  readonly scene: FaultScene
  readonly answer: Answer
  /** Events before this one. */
  readonly sent: number
  readonly form?: "flat" | "failed"
}

export interface RefusedFault {
  readonly refusal: Refusal
  readonly headers?: Readonly<Record<string, string>>
}

/** A view before its images are gathered from its messages, and the request from those before. */
export type WireView = Omit<RequestView, "images" | "attempt">

/** What a wire is asked beside answers; the path says which. */
export type Aside =
  /** Of all models, or of the one that is named. `request` is one for an answer by the same caller. */
  | { readonly kind: "models"; readonly name?: string; readonly request: SimRequest }
  /** How many tokens a request would have; it stands in the body. */
  | { readonly kind: "count"; readonly bodyOf: (body: JsonObject) => JsonObject }

export interface WireAsides {
  read(request: SimRequest): Aside | undefined
  list(models: readonly ListedModel[]): unknown
  tell(model: ListedModel): unknown
  count(tokens: number): unknown
}

/** What a provider keeps of its answers, where it does. */
export interface StoredAnswers<Body, Answer> {
  /** The body with what it only names, or the refusal of what is not there. */
  complete(body: JsonObject): { readonly body: JsonObject } | { readonly refusal: Refusal }
  keep(accepted: Accepted<Body>, answer: Answer): void
}

export interface FaultForms<Answer> {
  /** What the provider says for each kind of error, if it says the usual. */
  readonly kinds: Readonly<Record<ApiErrorType, Refusal>>
  readonly outOfCredit: Refusal
  readonly unauthorized: Refusal
  readonly imageBroken: Refusal
  rateLimited(fault: RateFault, scene: FaultScene): RefusedFault
  overflow(tokens: number, tokensMax: number): Refusal
  /** What an error in the middle of a stream looks like; the stream then ends. */
  errorEvents(refusal: Refusal, occasion: ErrorOccasion<Answer>): readonly StreamEvent[]
  /** One event whose data is no JSON. */
  readonly broken: StreamEvent
  /** The beginning of a text that never ends, and what is repeated. */
  endless(events: readonly StreamEvent[]): {
    readonly head: readonly StreamEvent[]
    readonly more: StreamEvent
  }
}

/** The rules of a wire, in the order in which they are asked. */
export interface WireChecks<Body> {
  /** The request line, who asks, and how much comes. */
  checkHttp(request: SimRequest, options: ProviderSimOptions, nowMs: number): Verdict
  notJson(broken: BrokenJson): Refusal
  /** The body in the form that the rules are written for, where a provider reads several. */
  readBody?(body: JsonObject): JsonObject
  /** What is looked at before the model is known. */
  checkParams?(body: JsonObject, dialect: ChatDialect): Verdict
  nameOf(request: SimRequest, body: JsonObject): string
  modelUnknown(name: string, request: SimRequest): Refusal
  checkShape?(body: JsonObject, model: SimModel): Verdict
  checkBody(accepted: Accepted<Body>): Verdict
  /** What would be refused by rules that are only assumed; it is taken, and the log tells. */
  doubtsOf?(accepted: Accepted<Body>): readonly string[]
}

export interface SimWire<Body, Measure extends { readonly tokens: number }, Answer> extends WireChecks<Body> {
  readonly name: WireName
  readonly sources: readonly Sources[]
  /** Whether the request line is this wire's, legal or not. */
  claims(request: SimRequest): boolean
  /** Whether a request that no wire claims comes from a client of this one. */
  resembles(request: SimRequest): boolean
  notFound(request: SimRequest): Refusal
  readonly asides?: WireAsides
  createStored?(): StoredAnswers<Body, Answer>
  requestIdOf(sequence: number): string
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
