/** Bedrock Converse: `POST /model/{id}/converse`, or `converse-stream` in binary frames. */
import { createCacheOracle } from "../anthropic-messages/cache-oracle.ts"
import type { CacheMeasure } from "../anthropic-messages/marker-cache.ts"
import { digestOf } from "../answer.ts"
import type { SimRequest } from "../exchange.ts"
import { parseJson } from "../json.ts"
import type { Refusal, SimWire, Validation, WireRules } from "../sim-wire.ts"
import { buildAnswer, streamEvents, wholeAnswer } from "./answer.ts"
import type { ConverseAnswer } from "./answer.ts"
import type { ConverseBody } from "./body.ts"
import { cacheBoundsOf, checkCachePoints } from "./cache-points.ts"
import { checkConversation, checkLimits } from "./conversation.ts"
import { errorBody, invalid } from "./error.ts"
import { facts, sources } from "./facts.ts"
import { faultForms, overflow } from "./faults.ts"
import { checkHttp, readPath } from "./http.ts"
import { checkImages } from "./images.ts"
import { messagesOf } from "./measure.ts"
import { checkShape } from "./shape.ts"
import { viewRequest } from "./view.ts"

export const bedrockConverse: SimWire<ConverseBody, CacheMeasure, ConverseAnswer> = {
  name: "bedrock-converse",
  sources: [sources],
  claims: (request) => readPath(request) !== undefined,
  requestIdOf: (sequence) => digestOf("bedrock", sequence).slice(0, 32),
  validate,
  view: viewRequest,
  createCache() {
    const oracle = createCacheOracle()
    return {
      measure: (accepted, tokensMin) =>
        oracle.measure(messagesOf(accepted), accepted.nowMs, tokensMin, cacheBoundsOf(accepted.name)),
      commit: (measure, nowMs, visibleAtMs) => oracle.commit(measure, nowMs, visibleAtMs),
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
  wantsStream: ({ request }) => readPath(request)?.isStream === true,
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

function validate(request: SimRequest, rules: WireRules, nowMs: number): Validation<ConverseBody> {
  const http = checkHttp(request, rules, nowMs)
  if (http !== undefined) return { kind: "refused", refusal: http }
  const parsed = parseJson(request.body)
  if (parsed.kind !== "object") return { kind: "refused", refusal: invalid(facts.bodyNotJson) }
  const refuse = (refusal: Refusal): Validation<ConverseBody> => ({
    kind: "refused",
    refusal,
    body: parsed.value,
  })
  const name = readPath(request)?.model ?? ""
  const model = Object.hasOwn(rules.models, name) ? rules.models[name] : undefined
  if (model === undefined) return refuse(invalid(facts.modelUnknown))
  const shape = checkShape(parsed.value)
  if (shape !== undefined) return refuse(shape)
  // Every field that the type names has been checked above.
  const body = parsed.value as unknown as ConverseBody
  const sense =
    checkLimits(body, rules.outputMaxOf(model)) ??
    checkCachePoints(body, name) ??
    checkConversation(body, name, model) ??
    checkImages(body, name, model)
  return sense === undefined ? { kind: "accepted", body, name, model } : refuse(sense)
}
