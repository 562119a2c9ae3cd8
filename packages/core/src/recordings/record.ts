/**
 * One real exchange, kept as a recording that may be shown to anybody.
 *
 * The request goes out by the transport and the wire that turns use. Only allowed headers are kept,
 * and the finished text is searched for secrets: if it holds one, there is no recording.
 */
import { Clock, Effect, type Scope } from "effect"
import { exchange, readBody } from "@holdfast/llm/exchange"
import type { Interaction, Recording } from "@holdfast/llm/recording/recording"
import { findSecrets, keepHeaders } from "@holdfast/llm/recording/secrets"
import type { Segments } from "@holdfast/llm/segments"
import { ProviderFailure, type StreamEvent, type Transport, type WireResponse } from "@holdfast/llm/wire"
import { makeHttpTransport } from "@holdfast/llm"
import type { ModelNotFound } from "@holdfast/schema/error"
import { formatModelRef, type ModelRef } from "@holdfast/schema/model"
import { requestFor, secretsOf, withoutSecrets } from "../config/credentials/credential.ts"
import { type Environment, loadCatalog, resolveModels, type Settings } from "../config/index.ts"
import { type AnswerLimits, limitsOf, type ModelSetup } from "../session/ports.ts"

export type Recorded =
  | { readonly kind: "recorded"; readonly text: string; readonly status: number }
  /** Kinds of secrets that were found; nothing of them is repeated. */
  | { readonly kind: "secret"; readonly finds: readonly string[] }
  | { readonly kind: "failed"; readonly code: string; readonly message: string }

export interface RecordOptions {
  readonly settings: Settings
  readonly environment: Environment
  readonly dataDirectory: string
}

/** What is asked: a prompt, or the very body of a request, of any scenario that the wire has. */
export type Asked =
  | { readonly kind: "prompt"; readonly text: string }
  | { readonly kind: "body"; readonly bytes: Uint8Array }

/** Of an answer; a longer one is no example. */
const answerBytesMax = 8 * 1024 * 1024

/** Asks a configured model once, over the network. */
export const recordExchange = Effect.fnUntraced(function* (
  { settings, environment, dataDirectory }: RecordOptions,
  model: ModelRef,
  asked: Asked,
): Effect.fn.Return<Recorded, ModelNotFound> {
  const catalog = yield* loadCatalog(dataDirectory)
  const setup = yield* resolveModels(settings, environment, { catalog })(model, "speak")
  const nowMs = yield* Clock.currentTimeMillis
  return yield* Effect.scoped(
    Effect.flatMap(makeHttpTransport, (transport) => ask(transport, setup, asked, nowMs)),
  ).pipe(
    Effect.catchTag("ProviderFailure", ({ code, message }) =>
      Effect.succeed<Recorded>({ kind: "failed", code, message }),
    ),
  )
})

const ask = Effect.fnUntraced(function* (
  transport: Transport,
  setup: ModelSetup,
  asked: Asked,
  nowMs: number,
): Effect.fn.Return<Recorded, ProviderFailure, Scope.Scope> {
  const { wire, target, credential } = setup
  const { body, bytes } = yield* asked.kind === "body" ? bodyAsIs(asked.bytes) : bodyFor(setup, asked.text)
  const sent = Buffer.concat(body).toString("utf8")
  const early = findSecrets([sent], secretsOf(credential))
  if (early.length > 0) return { kind: "secret", finds: early } // before it costs anything
  const limits = limitsOf(setup)
  const request = requestFor(setup, credential, { body, bytes }, limits, nowMs)
  const answers: Answer[] = []
  const said: string[] = []
  // What became of it is no matter: what a provider refuses is worth a recording too.
  yield* exchange({
    transport: keeping(transport, answers, limits),
    wire,
    request,
    limits,
    redact: (text) => withoutSecrets(text, credential),
    take: (events) => Effect.sync(() => (said.push(...wordsIn(events)), null)),
  })
  const [{ status, headers, bytes: answer }] = answers as [Answer]
  const interaction: Interaction = {
    request: { method: "POST", url: request.url, headers: keepHeaders(request.headers), body: sent },
    response: { status, headers: keepHeaders(headers), ...bodyOf(answer, headers["content-type"] ?? "") },
  }
  const name = formatModelRef(setup.ref)
  const recording: Recording = {
    version: 1,
    metadata: {
      name,
      recordedAt: new Date(nowMs).toISOString(),
      tags: [`provider:${target.provider}`, `wire:${wire.name}`],
    },
    interactions: [interaction],
  }
  const text = `${JSON.stringify(recording, null, 2)}\n`
  const finds = findSecrets([text, answer.toString("latin1"), ...said], secretsOf(credential))
  return finds.length > 0 ? { kind: "secret", finds } : { kind: "recorded", text, status }
})

interface Answer extends Pick<WireResponse, "status" | "headers"> {
  readonly bytes: Buffer
}

/** A transport that has the whole of an answer before it hands it on: a reader stops where it knows enough. */
const keeping = (
  transport: Transport,
  answers: Answer[],
  { answerMs }: Pick<AnswerLimits, "answerMs">,
): Transport => ({
  send: Effect.fnUntraced(function* (request) {
    const response = yield* transport.send(request)
    const { bytes, whole } = yield* Effect.timeoutOrElse(readBody(response, answerBytesMax), {
      duration: answerMs,
      orElse: () => Effect.fail(refused("answer_timeout", `The answer did not end within ${answerMs} ms.`)),
    })
    if (!whole) return yield* refused("answer_too_large", `The answer has more than ${answerBytesMax} bytes.`)
    answers.push({ status: response.status, headers: response.headers, bytes })
    const pieces = [bytes]
    return { ...response, read: Effect.sync(() => pieces.shift() ?? null) }
  }),
})

interface Body {
  readonly body: readonly Uint8Array[]
  readonly bytes: number
}

function bodyFor({ wire, target }: ModelSetup, prompt: string): Effect.Effect<Body, ProviderFailure> {
  const encoded = wire.encode(segmentsOf(prompt), target)
  const [fault] = wire.lint(encoded, target)
  return fault === undefined
    ? Effect.succeed(wire.place(encoded, target, 0))
    : Effect.fail(refused("invalid_request", `The request is illegal: ${fault.message}.`))
}

/** Not linted: it is the provider that judges it. */
const bodyAsIs = (bytes: Uint8Array): Effect.Effect<Body> =>
  Effect.succeed({ body: [bytes], bytes: bytes.length })

/** A stream cuts words into pieces, so they are searched as a reader would put them together. */
const wordsIn = (events: readonly StreamEvent[]): readonly string[] =>
  events.flatMap((event) => {
    if (event.type === "text-end" || event.type === "reasoning-end") return [event.text]
    return event.type === "call-end" ? [event.raw] : []
  })

const segmentsOf = (prompt: string): Segments => ({
  tools: [],
  system: "",
  agent: "",
  historyBaseline: [],
  historyDelta: [],
  tail: [{ kind: "user", text: prompt }],
})

/** Text as it is; anything else in base64. */
const bodyOf = (
  answer: Buffer,
  contentType: string,
): Pick<Interaction["response"], "body" | "bodyEncoding"> =>
  /^\s*(?:text\/|application\/(?:[\w.+-]*\+)?json)/i.test(contentType)
    ? { body: answer.toString("utf8") }
    : { body: answer.toString("base64"), bodyEncoding: "base64" }

const refused = (code: ProviderFailure["code"], message: string) =>
  new ProviderFailure({ code, message, retryable: false, retryAfterMs: null, status: null })
