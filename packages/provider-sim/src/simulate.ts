/**
 * Provider: a stand-in for a model provider, as strict as the real one, on every wire it speaks.
 *
 *   request → wire → validate → measure (cache, window) → model replies → fault or answer → frames
 *
 * It is a state machine over requests: the same requests at the same times give the same bytes.
 * Clock, randomness and sockets stay outside. It owns four pieces of state: the count of requests,
 * the calls of each model, how often each request came, and what each wire keeps: its prompt cache,
 * and answers where a provider stores them.
 *
 * Whatever comes in is answered. A defect of a model or of a wire is the provider's own error.
 */
import { digestOf } from "./answer/answer.ts"
import type { SimRequest, SimResponse } from "./exchange.ts"
import { type Fault, withDueFault } from "./faults.ts"
import { withForcedCall } from "./answer/forced-call.ts"
import type { JsonObject } from "./json.ts"
import { imagesIn, type ViewImage } from "./model.ts"
import { jsonResponse, replacedResponse, streamedResponse, wholeResponse } from "./response.ts"
import type { Accepted, AnswerSummary, Aside, CacheParts, ProviderSimOptions, Refusal } from "./sim-wire.ts"
import type { SimWire, WireName } from "./sim-wire.ts"
import { listed, validate } from "./validate.ts"

export interface ProviderSim {
  /** Answers one request. Never throws: a defect is an answer too, and the log tells it. */
  respond(request: SimRequest, nowMs: number): SimResponse
  /** One record per request, in order of arrival. */
  readonly log: readonly SimRecord[]
}

export interface SimRecord {
  readonly wire: WireName
  readonly nowMs: number
  readonly requestId: string
  readonly status: number
  /** `type` is the provider's own word. */
  readonly error?: { readonly type: string; readonly message: string }
  /** What broke in the simulator or in a model of a test, with its stack. */
  readonly defect?: string
  readonly model?: string
  /** The parsed body, as far as it was an object. */
  readonly body?: JsonObject
  /** What was taken although a rule that is only assumed refuses it, in the words of that rule. */
  readonly doubts?: readonly string[]
  /** What the model got to see; absent if it was asked nothing or there are none. */
  readonly images?: readonly ViewImage[]
  /** Tokens; the three add up to the whole prompt. */
  readonly cache?: CacheParts
  readonly reply?: ReplySummary
}

export interface ReplySummary extends AnswerSummary {
  readonly fault?: Fault["kind"]
}

/** Requests whose repetitions are counted; the oldest are forgotten first. */
const attemptsMax = 10_000

/** What no wire claims is answered by the one whose client it seems to be, or else by the first. */
export function simulate(options: ProviderSimOptions, first: OpenDesk, ...others: OpenDesk[]): ProviderSim {
  const log: SimRecord[] = []
  const logMax = options.logMax ?? 10_000
  const calls = new Map<string, number>()
  const attempts = new Map<string, number>()
  let sequence = 0
  const provider: Provider = {
    options,
    record(entry) {
      log.push(entry)
      if (log.length > logMax) log.shift()
      options.onRecord?.(entry)
    },
    countCall(model) {
      const callIndex = calls.get(model) ?? 0
      calls.set(model, callIndex + 1)
      return callIndex
    },
    countAttempt(request) {
      const attempt = attempts.get(request) ?? 0
      attempts.delete(request)
      attempts.set(request, attempt + 1)
      for (const oldest of attempts.keys()) {
        if (attempts.size <= attemptsMax) break
        attempts.delete(oldest)
      }
      return attempt
    },
  }
  const usual = first(provider)
  const desks = [usual, ...others.map((open) => open(provider))]
  return {
    log,
    respond(request, nowMs) {
      sequence += 1
      const claiming = desks.find((one) => one.claims(request))
      const desk = claiming ?? desks.find((one) => one.resembles(request)) ?? usual
      return desk.respond(request, nowMs, sequence)
    },
  }
}

/** What all wires of one provider share. */
interface Provider {
  readonly options: ProviderSimOptions
  record(entry: SimRecord): void
  /** How many calls the model has had before this one. */
  countCall(model: string): number
  /** How often this very request has come before. */
  countAttempt(request: string): number
}

/** One wire at work for one provider. */
interface Desk {
  claims(request: SimRequest): boolean
  resembles(request: SimRequest): boolean
  respond(request: SimRequest, nowMs: number, sequence: number): SimResponse
}

type OpenDesk = (provider: Provider) => Desk

export const speaking =
  <Body, Measure extends { readonly tokens: number }, Answer>(
    wire: SimWire<Body, Measure, Answer>,
  ): OpenDesk =>
  (provider) => {
    const { options } = provider
    const cache = wire.createCache()
    const stored = wire.createStored?.()

    const refuse = (refusal: Refusal, nowMs: number, requestId: string, about: Told) => {
      const { status, type, message } = refusal
      provider.record({ wire: wire.name, nowMs, requestId, status, error: { type, message }, ...about })
      const headers = wire.headers("json", requestId, refusal)
      return jsonResponse(status, wire.errorBody(refusal, requestId), headers)
    }

    const measured = (accepted: Accepted<Body>) =>
      cache.measure(accepted, accepted.model.cacheTokensMin ?? options.cacheTokensMin ?? 1_024)

    const replyTo = (accepted: Accepted<Body>) => {
      const shown = wire.view(accepted, provider.countCall(accepted.name))
      const images = imagesIn(shown.messages)
      const attempt = provider.countAttempt(digestOf(wire.name, accepted.name, accepted.sent))
      const view = { ...shown, images, attempt }
      const reply = withForcedCall(accepted.model.reply(view), view)
      return { images, reply: withDueFault(reply, images, attempt) }
    }

    const answer = (accepted: Accepted<Body>, measure: Measure): SimResponse => {
      const { requestId, nowMs, contextTokens, name: model } = accepted
      const { images, reply } = replyTo(accepted)
      const headersAfterMs = reply.firstByteMs ?? 0
      const built = wire.build(accepted, reply, measure)
      const summary = {
        ...wire.summarize(built),
        ...(reply.fault === undefined ? {} : { fault: reply.fault.kind }),
      }
      const doubts = wire.doubtsOf?.(accepted) ?? []
      const facts = {
        wire: wire.name,
        nowMs,
        requestId,
        model,
        body: accepted.sent,
        ...(doubts.length === 0 ? {} : { doubts }),
        ...(images.length === 0 ? {} : { images }),
      }
      const scene = { requestId, nowMs, headersAfterMs, model, tokens: measure.tokens, contextTokens }
      const replaced = reply.fault && replacedResponse(wire, reply.fault, scene)
      if (replaced !== undefined) {
        provider.record({ ...facts, status: replaced.status, reply: summary })
        return replaced
      }
      if (begins(reply.fault)) cache.commit(measure, nowMs, nowMs + headersAfterMs)
      stored?.keep(accepted, built)
      const response = wire.wantsStream(accepted)
        ? streamedResponse(wire, built, reply, scene)
        : wholeResponse(wire, built, reply, scene)
      provider.record({ ...facts, status: 200, cache: wire.cacheParts(measure), reply: summary })
      return response
    }

    const tell = (value: unknown, nowMs: number, requestId: string) => {
      provider.record({ wire: wire.name, nowMs, requestId, status: 200 })
      return jsonResponse(200, value, wire.headers("json", requestId))
    }

    const listModels = (aside: Extract<Aside, { kind: "models" }>, nowMs: number, requestId: string) => {
      const { name, request } = aside
      const refused = wire.checkHttp(request, options, nowMs)
      if (refused !== undefined) return refuse(refused, nowMs, requestId, {})
      const known = Object.entries(options.models).map(([one, model]) => listed(one, model, options))
      if (name === undefined) return tell(wire.asides?.list(known), nowMs, requestId)
      const found = known.find((one) => one.name === name)
      if (found === undefined) return refuse(wire.modelUnknown(name, request), nowMs, requestId, {})
      return tell(wire.asides?.tell(found), nowMs, requestId)
    }

    const attend = (request: SimRequest, nowMs: number, sequence: number, requestId: string) => {
      const aside = wire.asides?.read(request)
      if (aside?.kind === "models") return listModels(aside, nowMs, requestId)
      if (aside === undefined && !wire.claims(request)) {
        return refuse(wire.notFound(request), nowMs, requestId, {})
      }
      const checked = validate(wire, { request, requestId, sequence, nowMs }, options, (sent) =>
        aside === undefined ? (stored?.complete(sent) ?? { body: sent }) : { body: aside.bodyOf(sent) },
      )
      if (checked.kind === "refused") return refuse(checked.refusal, nowMs, requestId, told(checked.body))
      const { accepted } = checked
      const measure = measured(accepted)
      if (aside !== undefined) return tell(wire.asides?.count(measure.tokens), nowMs, requestId)
      const overflow = wire.checkWindow(accepted, measure.tokens)
      if (overflow !== undefined) {
        return refuse(overflow, nowMs, requestId, { model: accepted.name, body: accepted.sent })
      }
      return answer(accepted, measure)
    }

    return {
      claims: (request) => wire.claims(request) || wire.asides?.read(request) !== undefined,
      resembles: (request) => wire.resembles(request),
      respond(request, nowMs, sequence) {
        const requestId = wire.requestIdOf(sequence)
        try {
          return attend(request, nowMs, sequence, requestId)
        } catch (defect) {
          // Whatever broke, here or in a model that a test wrote, must not end the process that asked.
          const message = `The simulated provider broke: ${defect instanceof Error ? defect.message : String(defect)}`
          const stack = defect instanceof Error ? (defect.stack ?? message) : message
          return refuse({ ...wire.faults.kinds.api_error, message }, nowMs, requestId, { defect: stack })
        }
      },
    }
  }

/** Whether the answer begins, which is when its cache entries become visible. */
function begins(fault: Fault | undefined): boolean {
  return !(fault?.kind === "stall" && fault.afterDeltas === undefined)
}

/** What a record tells besides. */
type Told = Pick<SimRecord, "model" | "body" | "defect">

function told(body: JsonObject | undefined): Told {
  if (body === undefined) return {}
  const { model } = body
  return typeof model === "string" ? { model, body } : { body }
}
