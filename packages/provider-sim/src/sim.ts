/**
 * Provider: a stand-in for Anthropic Messages, as strict as the real one.
 *
 *   request → validate → measure (cache, window) → model replies → fault or answer → frames
 *
 * It is a state machine over requests: the same requests at the same times give the same bytes.
 * Clock, randomness and sockets stay outside. It owns three pieces of state: the count of
 * requests, the calls of each model and the prompt cache.
 */
import { errorResponse, invalid, jsonResponse } from "./api-error.ts"
import type { ApiErrorType, Refusal } from "./api-error.ts"
import { createCacheOracle } from "./cache-oracle.ts"
import type { CacheMeasure } from "./cache-oracle.ts"
import type { SimRequest, SimResponse } from "./exchange.ts"
import { faultStream, faultWhole, overflowMessage, replacedResponse } from "./faults.ts"
import type { Fault } from "./faults.ts"
import { buildMessage, wholeMessage } from "./message.ts"
import type { AnswerMessage } from "./message.ts"
import type { Reply, SimModel } from "./model.ts"
import type { JsonObject, MessagesBody } from "./request-body.ts"
import { packFrames, streamEvents } from "./stream.ts"
import { validateRequest } from "./validate/request.ts"
import { viewRequest } from "./view.ts"

export interface ProviderSimOptions {
  readonly models: Readonly<Record<string, SimModel>>
  /** Window of models without a limit of their own. Default 200,000. */
  readonly contextTokens?: number
  /** Output limit of models without one of their own. Default 64,000. */
  readonly outputTokens?: number
  /** The shortest prefix that is cached. Default 1,024. */
  readonly cacheTokensMin?: number
  /** Keys that are let in. Default: any. */
  readonly apiKeys?: readonly string[]
  /** Records kept, the oldest go first. Default 10,000. */
  readonly logMax?: number
}

export interface ProviderSim {
  /** Answers one request. Never throws for what a client sends; a throwing model is a defect. */
  respond(request: SimRequest, nowMs: number): SimResponse
  /** One record per request, in order of arrival. */
  readonly log: readonly SimRecord[]
}

export interface SimRecord {
  readonly nowMs: number
  readonly requestId: string
  readonly status: number
  readonly error?: { readonly type: ApiErrorType; readonly message: string }
  readonly model?: string
  /** The parsed body, as far as it was an object. */
  readonly body?: JsonObject
  /** Tokens; the three add up to the whole prompt. */
  readonly cache?: { readonly read: number; readonly write: number; readonly input: number }
  readonly reply?: ReplySummary
}

export interface ReplySummary {
  readonly text: string
  readonly calls: readonly { readonly id: string; readonly name: string }[]
  readonly stopReason: string
  readonly outputTokens: number
  readonly fault?: Fault["kind"]
}

interface Accepted {
  readonly body: MessagesBody
  readonly model: SimModel
  readonly requestId: string
  readonly sequence: number
  readonly nowMs: number
  readonly contextTokens: number
}

export function createProviderSim(options: ProviderSimOptions): ProviderSim {
  const log: SimRecord[] = []
  const logMax = options.logMax ?? 10_000
  const calls = new Map<string, number>()
  const cache = createCacheOracle()
  let sequence = 0

  const record = (entry: SimRecord) => {
    log.push(entry)
    if (log.length > logMax) log.shift()
  }

  const refuse = (refusal: Refusal, nowMs: number, requestId: string, body?: JsonObject) => {
    const { status, type, message } = refusal
    record({ nowMs, requestId, status, error: { type, message }, ...named(body) })
    return errorResponse(refusal, requestId)
  }

  const answer = (accepted: Accepted, measure: CacheMeasure): SimResponse => {
    const { body, model, requestId, nowMs } = accepted
    const callIndex = calls.get(body.model) ?? 0
    calls.set(body.model, callIndex + 1)
    const reply = model.reply(viewRequest(body, callIndex))
    const headersAfterMs = reply.firstByteMs ?? 0
    const facts = { nowMs, requestId, ...named(body as unknown as JsonObject) }

    const replaced =
      reply.fault && replacedResponse(reply.fault, { ...accepted, headersAfterMs, tokens: measure.tokens })
    if (replaced !== undefined) {
      const summary = summarize(buildMessage(body, reply, measure.usage, accepted.sequence), reply.fault)
      record({ ...facts, status: replaced.status, reply: summary })
      return replaced
    }

    const message = buildMessage(body, reply, measure.usage, accepted.sequence)
    if (begins(reply.fault)) cache.commit(measure, nowMs, nowMs + headersAfterMs)
    const { read, write5m, write1h, input } = measure.usage
    record({
      ...facts,
      status: 200,
      cache: { read, write: write5m + write1h, input },
      reply: summarize(message, reply.fault),
    })
    return body.stream === true
      ? streamed(message, reply, requestId, headersAfterMs)
      : whole(message, reply, requestId, headersAfterMs)
  }

  return {
    log,
    respond(request, nowMs) {
      sequence += 1
      const requestId = `req_${String(sequence).padStart(6, "0")}`
      const checked = validateRequest(request, {
        models: options.models,
        ...(options.apiKeys === undefined ? {} : { apiKeys: options.apiKeys }),
        outputMaxOf: (model) => model.limit?.output ?? options.outputTokens ?? 64_000,
      })
      if (checked.kind === "refused") return refuse(checked.refusal, nowMs, requestId, checked.body)
      const { body, model } = checked
      const contextTokens = model.limit?.context ?? options.contextTokens ?? 200_000
      const measure = cache.measure(body, nowMs, model.cacheTokensMin ?? options.cacheTokensMin ?? 1_024)
      const overflow = checkWindow(body, measure.tokens, contextTokens)
      if (overflow !== undefined) {
        return refuse(overflow, nowMs, requestId, body as unknown as JsonObject)
      }
      return answer({ body, model, requestId, sequence, nowMs, contextTokens }, measure)
    },
  }
}

/** recorded: one text if the prompt alone is too long, another if the reserved output is. */
function checkWindow(body: MessagesBody, tokens: number, contextTokens: number): Refusal | undefined {
  if (tokens > contextTokens) return invalid(overflowMessage(tokens, contextTokens))
  if (tokens + body.max_tokens <= contextTokens) return undefined
  return invalid(
    `input length and \`max_tokens\` exceed context limit: ${tokens} + ${body.max_tokens} > ${contextTokens}, decrease input length or \`max_tokens\` and try again`,
  )
}

function streamed(
  message: AnswerMessage,
  reply: Reply,
  requestId: string,
  headersAfterMs: number,
): SimResponse {
  const events = streamEvents(message, reply)
  const { head, tail } = reply.fault
    ? faultStream(events, reply.fault, requestId, reply.delayMs)
    : { head: events, tail: [] }
  const packed = packFrames(head, reply)
  return {
    status: 200,
    // recorded: the content type.
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      "request-id": requestId,
    },
    headersAfterMs,
    frames: Array.isArray(tail) ? [...packed, ...tail] : chain(packed, tail),
  }
}

function whole(message: AnswerMessage, reply: Reply, requestId: string, headersAfterMs: number): SimResponse {
  const response = jsonResponse(200, wholeMessage(message), requestId, {}, headersAfterMs)
  const [frame] = response.frames
  if (reply.fault === undefined || frame === undefined) return response
  // A broken document keeps no promise about its length.
  const { "content-length": _, ...headers } = response.headers
  return { ...response, headers, frames: faultWhole(frame, reply.fault, reply.delayMs) }
}

function chain<T>(first: Iterable<T>, second: Iterable<T>): Iterable<T> {
  return {
    *[Symbol.iterator]() {
      yield* first
      yield* second
    },
  }
}

/** Whether the answer begins, which is when its cache entries become visible. */
function begins(fault: Fault | undefined): boolean {
  return !(fault?.kind === "stall" && fault.afterDeltas === undefined)
}

function named(body: JsonObject | undefined): { readonly model?: string; readonly body?: JsonObject } {
  if (body === undefined) return {}
  return typeof body["model"] === "string" ? { model: body["model"], body } : { body }
}

function summarize(message: AnswerMessage, fault: Fault | undefined): ReplySummary {
  return {
    text: message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n"),
    calls: message.content.flatMap((block) =>
      block.type === "tool_use" ? [{ id: block.id, name: block.name }] : [],
    ),
    stopReason: message.stopReason,
    outputTokens: message.outputTokens,
    ...(fault === undefined ? {} : { fault: fault.kind }),
  }
}
