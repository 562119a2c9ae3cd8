/** Bedrock Converse: `POST /model/{id}/converse`, or `converse-stream` in binary frames. */
import { createCacheOracle } from "../anthropic-messages/cache-oracle.ts"
import type { CacheMeasure } from "../anthropic-messages/marker-cache.ts"
import { digestOf } from "../answer/answer.ts"
import { headerOf } from "../exchange.ts"
import type { SimWire } from "../sim-wire.ts"
import { buildAnswer, streamEvents, wholeAnswer } from "./answer.ts"
import type { ConverseAnswer } from "./answer.ts"
import { countedBody, readBody } from "./body.ts"
import type { ConverseBody } from "./body.ts"
import { cacheBoundsOf, checkCachePoints } from "./cache-points.ts"
import { checkConversation, checkLimits } from "./conversation.ts"
import { errorBody, invalid } from "./error.ts"
import { facts, sources } from "./facts.ts"
import { faultForms, overflow } from "./faults.ts"
import { checkHttp, nameIn, notFound, readPath } from "./http.ts"
import { checkImages } from "./images.ts"
import { messagesOf } from "./measure.ts"
import { checkShape } from "./shape.ts"
import { viewRequest } from "./view.ts"

export const bedrockConverse: SimWire<ConverseBody, CacheMeasure, ConverseAnswer> = {
  name: "bedrock-converse",
  sources: [sources],
  claims: (request) => readPath(request)?.operation.startsWith("converse") === true,
  resembles: ({ path, headers }) =>
    path.startsWith("/model/") || headerOf(headers, "authorization")?.startsWith("AWS4-") === true,
  notFound: () => notFound,
  asides: {
    // documented; models are listed by another service.
    read: (request) =>
      readPath(request)?.operation === "count-tokens" ? { kind: "count", bodyOf: countedBody } : undefined,
    list: () => ({}),
    tell: () => ({}),
    count: (tokens) => ({ inputTokens: tokens }),
  },
  readBody,
  requestIdOf: (sequence) => digestOf("bedrock", sequence).slice(0, 32),
  checkHttp,
  notJson: () => invalid(facts.bodyNotJson),
  nameOf: (request) => nameIn(readPath(request)?.model ?? ""),
  modelUnknown: () => invalid(facts.modelUnknown),
  checkShape,
  checkBody: ({ body, name, model, outputMax }) =>
    checkLimits(body, outputMax) ??
    checkCachePoints(body, name) ??
    checkConversation(body, name, model) ??
    checkImages(body, name, model),
  view: viewRequest,
  createCache() {
    const oracle = createCacheOracle()
    return {
      ...oracle,
      measure: (accepted, tokensMin) =>
        oracle.measure(messagesOf(accepted), accepted.nowMs, tokensMin, cacheBoundsOf(accepted.name)),
    }
  },
  cacheParts({ usage: { read, write5m, write1h, input } }) {
    return { read, write: write5m + write1h, input }
  },
  checkWindow: ({ contextTokens }, tokens) => (tokens > contextTokens ? overflow : undefined),
  build: buildAnswer,
  summarize: (answer) => ({
    text: answer.content.flatMap((block) => block.text ?? []).join("\n"),
    calls: answer.content.flatMap(({ toolUse: call }) =>
      call === undefined ? [] : [{ id: call.toolUseId, name: call.name }],
    ),
    stopReason: answer.stopReason,
    outputTokens: answer.outputTokens,
  }),
  wantsStream: ({ request }) => readPath(request)?.operation === "converse-stream",
  whole: wholeAnswer,
  events: streamEvents,
  headers: (content, requestId, refused) => ({
    // recorded: the content type of a stream.
    "content-type": content === "stream" ? "application/vnd.amazon.eventstream" : "application/json",
    "x-amzn-requestid": requestId,
    ...(refused === undefined ? {} : { "x-amzn-errortype": refused.type }),
  }),
  errorBody,
  faults: faultForms,
}
