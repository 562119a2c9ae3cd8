/** OpenAI Responses: `POST /v1/responses`, whole or as typed server-sent events. */
import { pathOf } from "../exchange.ts"
import { invalid } from "../openai/error.ts"
import { doubtOfSampling } from "../openai/params.ts"
import { openaiWire } from "../openai/wire.ts"
import type { ResponsesBody } from "./body.ts"
import { checkConversation } from "./conversation.ts"
import { facts, sources } from "./facts.ts"
import { faultForms, overflow } from "./faults.ts"
import { checkOwnImages } from "./images.ts"
import { checkLimits } from "./limits.ts"
import { promptOf } from "./measure.ts"
import { checkParams } from "./params.ts"
import { buildResponse, finalState, responseObject } from "./response.ts"
import type { ResponseAnswer } from "./response.ts"
import { createStoredResponses } from "./stored-responses.ts"
import { streamEvents } from "./stream.ts"
import { viewRequest } from "./view.ts"

export const openaiResponses = openaiWire<ResponsesBody, ResponseAnswer>({
  name: "openai-responses",
  sources,
  claims: (request) => pathOf(request) === "/v1/responses",
  resembles: (request) => pathOf(request).startsWith("/v1/responses"),
  asides: {
    // documented; the list of models is that of Chat Completions.
    read: (request) =>
      pathOf(request) === "/v1/responses/input_tokens"
        ? { kind: "count", bodyOf: (body) => body }
        : undefined,
    list: () => ({}),
    tell: () => ({}),
    count: (tokens) => ({ object: "response.input_tokens", input_tokens: tokens }),
  },
  createStored: createStoredResponses,
  checkParams,
  modelUnknown: (name) => invalid(facts.modelUnknown(name), "model", "model_not_found"),
  checkBody: ({ body, model, outputMax }) =>
    checkLimits(body, model, outputMax) ?? checkConversation(body) ?? checkOwnImages(body, model),
  doubtsOf: ({ body, name, model }) =>
    model.thinking === true ? doubtOfSampling(name, body.temperature, body.reasoning?.effort) : [],
  view: viewRequest,
  promptOf,
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
  whole: (answer) => responseObject(answer, finalState(answer)),
  events: streamEvents,
  faults: faultForms,
})
