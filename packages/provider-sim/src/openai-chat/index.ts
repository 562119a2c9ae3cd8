/** OpenAI Chat Completions: `POST /v1/chat/completions`, whole or as `data:` chunks. */
import { headerOf, pathOf } from "../exchange.ts"
import { invalid } from "../openai/error.ts"
import { openaiWire } from "../openai/wire.ts"
import { asides } from "./asides.ts"
import { outputLimitOf } from "./body.ts"
import type { ChatBody } from "./body.ts"
import { buildCompletion, wholeCompletion } from "./completion.ts"
import type { CompletionAnswer } from "./completion.ts"
import { facts, sources } from "./facts.ts"
import { faultForms, overflow } from "./faults.ts"
import { checkOwnImages } from "./images.ts"
import { checkLimits, doubtsOfReasoning } from "./limits.ts"
import { promptOf } from "./measure.ts"
import { checkMessages } from "./messages.ts"
import { checkParams } from "./params.ts"
import { streamEvents } from "./stream.ts"
import { viewRequest } from "./view.ts"

export const openaiChat = openaiWire<ChatBody, CompletionAnswer>({
  name: "openai-chat",
  sources,
  // Compatible servers put their own prefix before the path.
  claims: (request) => pathOf(request).endsWith("/chat/completions"),
  // Whoever brings a key in this way is taken for a client of OpenAI, but on the paths of others.
  resembles: ({ path, headers }) =>
    /^\/(openai|api|v1)\//.test(path) ||
    (/^Bearer /i.test(headerOf(headers, "authorization") ?? "") && !/^\/(model\/|v1beta)/.test(path)),
  asides,
  checkParams,
  modelUnknown: (name) => ({
    ...invalid(facts.modelUnknown(name), null, "model_not_found"),
    status: 404,
  }),
  checkBody: ({ body, model, outputMax, dialect }) =>
    checkMessages(body.messages, dialect) ??
    checkLimits(body, model, outputMax, dialect) ??
    checkOwnImages(body, model, dialect),
  doubtsOf: ({ body, model, dialect }) => [
    ...(model.thinking === true && dialect === "openai" ? doubtsOfReasoning(body) : []),
    ...body.messages.flatMap(({ role }, index) => (role === "function" ? [facts.functionRole(index)] : [])),
  ],
  view: viewRequest,
  promptOf,
  checkWindow({ body, contextTokens, dialect }, tokens) {
    if (tokens > contextTokens) return overflow(tokens, contextTokens, dialect)
    const output = outputLimitOf(body) ?? 0
    if (tokens + output <= contextTokens) return undefined
    const message = facts.overflowWithOutput(contextTokens, tokens, output)
    return invalid(message, "messages", "context_length_exceeded")
  },
  build: buildCompletion,
  summarize: (answer) => ({
    text: answer.text,
    calls: answer.calls.map(({ id, name }) => ({ id, name })),
    stopReason: answer.finishReason,
    outputTokens: answer.outputTokens,
  }),
  whole: wholeCompletion,
  events: streamEvents,
  faults: faultForms,
})
