/**
 * Provider: a stand-in for a model provider, as strict as the real one, on every wire it speaks.
 *
 *   request → wire → validate → measure (cache, window) → model replies → fault or answer → frames
 *
 * It is a state machine over requests: the same requests at the same times give the same bytes.
 * Clock, randomness and sockets stay outside. It owns three pieces of state: the count of
 * requests, the calls of each model and the prompt caches, one for each wire.
 */
import type { SimRequest, SimResponse } from "./exchange.ts"
import { type Fault, withDueFault } from "./faults.ts"
import type { JsonObject } from "./json.ts"
import { imagesIn, type ViewImage } from "./model.ts"
import { jsonResponse, replacedResponse, streamedResponse, wholeResponse } from "./response.ts"
import type { Accepted, AnswerSummary, CacheParts, ProviderSimOptions, Refusal } from "./sim-wire.ts"
import type { SimWire, WireName } from "./sim-wire.ts"
import { validate } from "./validate.ts"

export interface ProviderSim {
  /** Answers one request. Never throws for what a client sends; a throwing model is a defect. */
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

/** A path that no wire knows is answered by the first. */
export function simulate(options: ProviderSimOptions, first: OpenDesk, ...others: OpenDesk[]): ProviderSim {
  const log: SimRecord[] = []
  const logMax = options.logMax ?? 10_000
  const calls = new Map<string, number>()
  let sequence = 0
  const provider: Provider = {
    options,
    record(entry) {
      log.push(entry)
      if (log.length > logMax) log.shift()
    },
    countCall(model) {
      const callIndex = calls.get(model) ?? 0
      calls.set(model, callIndex + 1)
      return callIndex
    },
  }
  const usual = first(provider)
  const desks = [usual, ...others.map((open) => open(provider))]
  return {
    log,
    respond(request, nowMs) {
      sequence += 1
      const desk = desks.find((one) => one.claims(request)) ?? usual
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
}

/** One wire at work for one provider. */
interface Desk {
  claims(request: SimRequest): boolean
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

    const refuse = (refusal: Refusal, nowMs: number, requestId: string, about: Named) => {
      const { status, type, message } = refusal
      provider.record({ wire: wire.name, nowMs, requestId, status, error: { type, message }, ...about })
      const headers = wire.headers("json", requestId, refusal)
      return jsonResponse(status, wire.errorBody(refusal, requestId), headers)
    }

    const answer = (accepted: Accepted<Body>, measure: Measure): SimResponse => {
      const { requestId, nowMs, contextTokens, name: model } = accepted
      const view = wire.view(accepted, provider.countCall(model))
      const images = imagesIn(view.messages)
      const reply = withDueFault(accepted.model.reply({ ...view, images }), images)
      const headersAfterMs = reply.firstByteMs ?? 0
      const built = wire.build(accepted, reply, measure)
      const summary = {
        ...wire.summarize(built),
        ...(reply.fault === undefined ? {} : { fault: reply.fault.kind }),
      }
      const doubts = wire.doubtsOf?.(accepted.body) ?? []
      const facts = {
        wire: wire.name,
        nowMs,
        requestId,
        ...named(accepted.body, model),
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
      provider.record({ ...facts, status: 200, cache: wire.cacheParts(measure), reply: summary })
      return wire.wantsStream(accepted)
        ? streamedResponse(wire, built, reply, scene)
        : wholeResponse(wire, built, reply, scene)
    }

    return {
      claims: (request) => wire.claims(request),
      respond(request, nowMs, sequence) {
        const requestId = wire.requestIdOf(sequence)
        const checked = validate(wire, { request, requestId, sequence, nowMs }, options)
        if (checked.kind === "refused") return refuse(checked.refusal, nowMs, requestId, named(checked.body))
        const { accepted } = checked
        const { body, name, model } = accepted
        const measure = cache.measure(accepted, model.cacheTokensMin ?? options.cacheTokensMin ?? 1_024)
        const overflow = wire.checkWindow(accepted, measure.tokens)
        if (overflow !== undefined) return refuse(overflow, nowMs, requestId, named(body, name))
        return answer(accepted, measure)
      },
    }
  }

/** Whether the answer begins, which is when its cache entries become visible. */
function begins(fault: Fault | undefined): boolean {
  return !(fault?.kind === "stall" && fault.afterDeltas === undefined)
}

interface Named {
  readonly model?: string
  readonly body?: JsonObject
}

function named(value: unknown, name?: string): Named {
  if (value === undefined) return {}
  const body = value as JsonObject
  const model = name ?? body["model"]
  return typeof model === "string" ? { model, body } : { body }
}
