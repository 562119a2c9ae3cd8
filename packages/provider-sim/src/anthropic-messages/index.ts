/** Anthropic Messages: `POST /v1/messages`, whole or as server-sent events. */
import { counter } from "../answer/answer.ts"
import { headerOf, pathOf } from "../exchange.ts"
import type { SimWire } from "../sim-wire.ts"
import { errorBody, invalid } from "./api-error.ts"
import { asides } from "./asides.ts"
import { createCacheOracle } from "./cache-oracle.ts"
import type { CacheMeasure } from "./marker-cache.ts"
import { facts, sources } from "./facts.ts"
import { faultForms } from "./faults.ts"
import { buildMessage, wholeMessage } from "./message.ts"
import type { AnswerMessage } from "./message.ts"
import { withoutPastThinking } from "./past-thinking.ts"
import type { MessagesBody } from "./request-body.ts"
import { streamEvents } from "./stream.ts"
import { notFound } from "./validate/http.ts"
import { requestChecks } from "./validate/request.ts"
import { viewRequest } from "./view.ts"

export const anthropicMessages: SimWire<MessagesBody, CacheMeasure, AnswerMessage> = {
  name: "anthropic-messages",
  sources: [sources],
  claims: (request) => pathOf(request) === "/v1/messages",
  resembles: ({ path, headers }) =>
    path.startsWith("/v1/messages") || headerOf(headers, "anthropic-version") !== undefined,
  notFound: () => notFound,
  asides,
  requestIdOf: (sequence) => `req_${counter(sequence)}`,
  ...requestChecks,
  view: ({ body }, callIndex) => viewRequest(body, callIndex),

  createCache() {
    const oracle = createCacheOracle()
    return {
      ...oracle,
      measure({ body, model, nowMs }, tokensMin) {
        const seen = model.dropsThinking === true ? withoutPastThinking(body) : body
        return oracle.measure(seen, nowMs, tokensMin)
      },
    }
  },
  cacheParts({ usage: { read, write5m, write1h, input } }) {
    return { read, write: write5m + write1h, input }
  },

  checkWindow({ body, contextTokens }, tokens) {
    if (tokens > contextTokens) return invalid(facts.overflow(tokens, contextTokens))
    if (tokens + body.max_tokens <= contextTokens) return undefined
    return invalid(facts.overflowWithOutput(tokens, body.max_tokens, contextTokens))
  },

  build: ({ body, sequence }, reply, measure) => buildMessage(body, reply, measure.usage, sequence),
  summarize: (message) => ({
    text: message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n"),
    calls: message.content.flatMap((block) =>
      block.type === "tool_use" ? [{ id: block.id, name: block.name }] : [],
    ),
    stopReason: message.stopReason,
    outputTokens: message.outputTokens,
  }),
  wantsStream: ({ body }) => body.stream === true,
  whole: wholeMessage,
  events: streamEvents,

  headers(content, requestId, refused) {
    // recorded: the content type of a stream.
    if (content === "stream") {
      return {
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-cache",
        "request-id": requestId,
      }
    }
    const common = { "content-type": "application/json", "request-id": requestId }
    if (refused === undefined) return common
    // recorded: the service tells its own clients whether a repeat can help.
    return { ...common, "x-should-retry": String(refused.status === 429 || refused.status >= 500) }
  },
  errorBody,
  faults: faultForms,
}
