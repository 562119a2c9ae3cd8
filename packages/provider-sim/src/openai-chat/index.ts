/** OpenAI Chat Completions: `POST /v1/chat/completions`, whole or as `data:` chunks. */
import { digestOf } from "../answer.ts"
import { pathOf } from "../exchange.ts"
import type { SimRequest } from "../exchange.ts"
import { createPrefixOracle } from "../prefix-cache.ts"
import type { PrefixMeasure } from "../prefix-cache.ts"
import { errorBody, invalid, openaiHeaders } from "../openai/error.ts"
import { facts as shared } from "../openai/facts.ts"
import { readBody } from "../openai/http.ts"
import type { Refusal, SimWire, Validation, WireRules } from "../sim-wire.ts"
import { outputLimitOf } from "./body.ts"
import type { ChatBody } from "./body.ts"
import { buildCompletion, wholeCompletion } from "./completion.ts"
import type { CompletionAnswer } from "./completion.ts"
import { facts } from "./facts.ts"
import { faultForms, overflow } from "./faults.ts"
import { checkLimits } from "./limits.ts"
import { promptOf } from "./measure.ts"
import { checkMessages } from "./messages.ts"
import { checkParams } from "./params.ts"
import { streamEvents } from "./stream.ts"
import { viewRequest } from "./view.ts"

export const openaiChat: SimWire<ChatBody, PrefixMeasure, CompletionAnswer> = {
  name: "openai-chat",
  facts: [shared, facts],
  // Compatible servers put their own prefix before the path.
  claims: (request) => pathOf(request).endsWith("/chat/completions"),
  requestIdOf: (sequence) => `req_${digestOf("chat", sequence).slice(0, 32)}`,
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
  checkWindow({ body, contextTokens, dialect }, tokens) {
    if (tokens > contextTokens) return overflow(tokens, contextTokens, dialect)
    const output = outputLimitOf(body) ?? 0
    if (tokens + output <= contextTokens) return undefined
    const message = facts.overflowWithOutput.value(contextTokens, tokens, output)
    return invalid(message, "messages", "context_length_exceeded")
  },
  build: buildCompletion,
  summarize: (answer) => ({
    text: answer.text,
    calls: answer.calls.map(({ id, name }) => ({ id, name })),
    stopReason: answer.finishReason,
    outputTokens: answer.outputTokens,
  }),
  wantsStream: ({ body }) => body.stream === true,
  whole: wholeCompletion,
  events: streamEvents,
  headers: openaiHeaders,
  errorBody,
  faults: faultForms,
}

function validate(request: SimRequest, rules: WireRules): Validation<ChatBody> {
  const parsed = readBody(request, rules.apiKeys)
  if (parsed.kind === "refused") return parsed
  const refuse = (refusal: Refusal): Validation<ChatBody> => ({
    kind: "refused",
    refusal,
    body: parsed.value,
  })
  const { dialect } = rules
  const params = checkParams(parsed.value, dialect)
  if (params !== undefined) return refuse(params)
  const name = String(parsed.value["model"])
  const model = Object.hasOwn(rules.models, name) ? rules.models[name] : undefined
  if (model === undefined) {
    return refuse({ ...invalid(facts.modelUnknown.value(name), null, "model_not_found"), status: 404 })
  }
  const messages = checkMessages(parsed.value["messages"], dialect)
  if (messages !== undefined) return refuse(messages)
  // Every field that the type names has been checked above.
  const body = parsed.value as unknown as ChatBody
  const sense = checkLimits(body, model, rules.outputMaxOf(model), dialect)
  return sense === undefined ? { kind: "accepted", body, name, model } : refuse(sense)
}
