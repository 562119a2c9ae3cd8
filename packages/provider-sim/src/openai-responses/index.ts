/** OpenAI Responses: `POST /v1/responses`, whole or as typed server-sent events. */
import { digestOf } from "../answer.ts"
import { pathOf } from "../exchange.ts"
import type { SimRequest } from "../exchange.ts"
import { createPrefixOracle } from "../prefix-cache.ts"
import type { PrefixMeasure } from "../prefix-cache.ts"
import { errorBody, invalid, openaiHeaders } from "../openai/error.ts"
import { facts as shared } from "../openai/facts.ts"
import { readBody } from "../openai/http.ts"
import type { Refusal, SimWire, Validation, WireRules } from "../sim-wire.ts"
import type { ResponsesBody } from "./body.ts"
import { checkConversation } from "./conversation.ts"
import { facts } from "./facts.ts"
import { faultForms, overflow } from "./faults.ts"
import { checkLimits } from "./limits.ts"
import { promptOf } from "./measure.ts"
import { checkParams } from "./params.ts"
import { buildResponse, finalState, responseObject } from "./response.ts"
import type { ResponseAnswer } from "./response.ts"
import { streamEvents } from "./stream.ts"
import { viewRequest } from "./view.ts"

export const openaiResponses: SimWire<ResponsesBody, PrefixMeasure, ResponseAnswer> = {
  name: "openai-responses",
  facts: [shared, facts],
  claims: (request) => pathOf(request) === "/v1/responses",
  requestIdOf: (sequence) => `req_${digestOf("responses", sequence).slice(0, 32)}`,
  validate,
  view: viewRequest,
  createCache() {
    const oracle = createPrefixOracle()
    return {
      measure: (accepted, tokensMin) => oracle.measure(promptOf(accepted, tokensMin)),
      commit: (measure, nowMs, visibleAtMs) => oracle.commit(measure, nowMs, visibleAtMs),
    }
  },
  cacheParts: ({ read, write, input }) => ({ read, write, input }),
  // documented: a prompt that does not fit fails, whatever output is asked for.
  checkWindow: ({ contextTokens }, tokens) => (tokens > contextTokens ? overflow : undefined),
  build: buildResponse,
  summarize: (answer) => ({
    text: answer.output.flatMap((item) => (item.type === "message" ? [item.text] : [])).join("\n"),
    calls: answer.output.flatMap((item) =>
      item.type === "function_call" ? [{ id: item.callId, name: item.name }] : [],
    ),
    stopReason: answer.incomplete ?? "completed",
    outputTokens: answer.outputTokens,
  }),
  wantsStream: ({ body }) => body.stream === true,
  whole: (answer) => responseObject(answer, finalState(answer)),
  events: streamEvents,
  headers: openaiHeaders,
  errorBody,
  faults: faultForms,
}

function validate(request: SimRequest, rules: WireRules): Validation<ResponsesBody> {
  const parsed = readBody(request, rules.apiKeys)
  if (parsed.kind === "refused") return parsed
  const refuse = (refusal: Refusal): Validation<ResponsesBody> => ({
    kind: "refused",
    refusal,
    body: parsed.value,
  })
  const params = checkParams(parsed.value)
  if (params !== undefined) return refuse(params)
  // Every field that the type names has been checked above.
  const body = parsed.value as unknown as ResponsesBody
  const name = body.model
  const model = Object.hasOwn(rules.models, name) ? rules.models[name] : undefined
  if (model === undefined) return refuse(invalid(facts.modelUnknown.value(name), "model", "model_not_found"))
  const sense = checkLimits(body, model, rules.outputMaxOf(model)) ?? checkConversation(body)
  return sense === undefined ? { kind: "accepted", body, name, model } : refuse(sense)
}
