/** Gemini: `POST /v1beta/models/{model}:generateContent`, or `streamGenerateContent`. */
import { counter } from "../answer/answer.ts"
import { headerOf } from "../exchange.ts"
import type { SimRequest } from "../exchange.ts"
import type { PrefixMeasure, PromptPart } from "../prefix-cache.ts"
import { createPrefixOracle } from "../prefix-cache.ts"
import type { SimWire } from "../sim-wire.ts"
import { buildAnswer, streamEvents, wholeAnswer } from "./answer.ts"
import type { GeminiAnswer } from "./answer.ts"
import { asides } from "./asides.ts"
import { readBody } from "./body.ts"
import type { GeminiBody, GeminiPart } from "./body.ts"
import { errorBody, invalid } from "./error.ts"
import { facts, sources } from "./facts.ts"
import { faultForms } from "./faults.ts"
import { checkHttp, notFound, readPath, wantsEvents } from "./http.ts"
import { checkImages, wordsOfPart } from "./images.ts"
import { checkShape } from "./shape.ts"
import { checkLimits, checkTurns } from "./turns.ts"
import { viewRequest } from "./view.ts"

export const gemini: SimWire<GeminiBody, PrefixMeasure, GeminiAnswer> = {
  name: "gemini",
  sources: [sources],
  claims: (request) => readPath(request)?.method.endsWith("enerateContent") === true,
  resembles: ({ path, headers }) =>
    path.startsWith("/v1beta") || headerOf(headers, "x-goog-api-key") !== undefined,
  notFound: () => notFound,
  asides,
  readBody,
  requestIdOf: (sequence) => `gemini-${counter(sequence)}`,
  checkHttp: (request, { apiKeys }) => checkHttp(request, apiKeys),
  notJson: () => invalid(facts.bodyNotJson),
  nameOf: (request) => readPath(request)?.model ?? "",
  modelUnknown: (name, request) => ({
    status: 404,
    type: "NOT_FOUND",
    message: facts.modelUnknown(name, readPath(request)?.method ?? ""),
  }),
  checkShape,
  checkBody: ({ body, name, model, outputMax }) =>
    checkLimits(body, model, outputMax) ?? checkTurns(body, name, model) ?? checkImages(body, name, model),
  doubtsOf: ({ body, name }) =>
    body.generationConfig?.thinkingConfig?.thinkingLevel !== undefined && facts.unsignedModels.test(name)
      ? [facts.levelUnsupported]
      : [],
  view: viewRequest,
  createCache() {
    const oracle = createPrefixOracle()
    const rules = { kind: "prefix", tokensStep: facts.cacheTokensStep, idleMs: facts.cacheIdleMs } as const
    return {
      ...oracle,
      measure: ({ body, name, nowMs }, tokensMin) =>
        oracle.measure({ parts: promptParts(body), seed: name, rules, nowMs, tokensMin }),
    }
  },
  cacheParts: ({ read, write, input }) => ({ read, write, input }),
  checkWindow: ({ contextTokens }, tokens) =>
    tokens > contextTokens ? invalid(facts.overflow(tokens, contextTokens)) : undefined,
  build: (accepted, reply, measure) => ({
    ...buildAnswer(accepted, reply, measure),
    isList: isStreaming(accepted.request),
  }),
  summarize: (answer) => ({
    text: answer.parts.flatMap((part) => (part.thought === true ? [] : (part.text ?? []))).join("\n"),
    calls: answer.parts.flatMap(({ functionCall: call }) =>
      call === undefined ? [] : [{ id: call.id ?? "", name: call.name }],
    ),
    stopReason: answer.finishReason,
    outputTokens: answer.outputTokens,
  }),
  wantsStream: ({ request }) => isStreaming(request) && wantsEvents(request),
  whole: wholeAnswer,
  events: streamEvents,
  headers: (content) => ({
    // recorded: the content type of a stream.
    "content-type": content === "stream" ? "text/event-stream" : "application/json; charset=UTF-8",
  }),
  errorBody,
  faults: faultForms,
}

const isStreaming = (request: SimRequest): boolean => readPath(request)?.method === "streamGenerateContent"

/** The order in which a prompt is read: instruction, tools, contents (assumed). */
function promptParts(body: GeminiBody): readonly PromptPart[] {
  const said = (role: string, part: GeminiPart) => ({ text: `${role} ${wordsOfPart(part)}` })
  return [
    ...(body.systemInstruction?.parts ?? []).map((part) => said("system", part)),
    ...(body.tools ?? []).map((tool) => said("tools", { text: JSON.stringify(tool) })),
    ...body.contents.flatMap((content) => content.parts.map((part) => said(content.role ?? "user", part))),
  ]
}
