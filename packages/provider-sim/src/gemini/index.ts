/** Gemini: `POST /v1beta/models/{model}:generateContent`, or `streamGenerateContent?alt=sse`. */
import { counter } from "../answer.ts"
import type { PrefixMeasure, PromptPart } from "../prefix-cache.ts"
import { createPrefixOracle } from "../prefix-cache.ts"
import type { SimWire } from "../sim-wire.ts"
import { buildAnswer, streamEvents, wholeAnswer } from "./answer.ts"
import type { GeminiAnswer } from "./answer.ts"
import type { GeminiBody, GeminiPart } from "./body.ts"
import { errorBody, invalid } from "./error.ts"
import { facts, sources } from "./facts.ts"
import { faultForms } from "./faults.ts"
import { checkHttp, readPath } from "./http.ts"
import { checkImages, wordsOfPart } from "./images.ts"
import { checkShape } from "./shape.ts"
import { checkLimits, checkTurns } from "./turns.ts"
import { viewRequest } from "./view.ts"

export const gemini: SimWire<GeminiBody, PrefixMeasure, GeminiAnswer> = {
  name: "gemini",
  sources: [sources],
  claims: (request) => readPath(request) !== undefined,
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
  build: buildAnswer,
  summarize: (answer) => ({
    text: answer.parts.flatMap((part) => (part.thought === true ? [] : (part.text ?? []))).join("\n"),
    calls: answer.parts.flatMap(({ functionCall: call }) =>
      call === undefined ? [] : [{ id: call.id ?? "", name: call.name }],
    ),
    stopReason: answer.finishReason,
    outputTokens: answer.outputTokens,
  }),
  wantsStream: ({ request }) => readPath(request)?.method === "streamGenerateContent",
  whole: wholeAnswer,
  events: streamEvents,
  headers: (content) => ({
    // recorded: the content type of a stream.
    "content-type": content === "stream" ? "text/event-stream" : "application/json; charset=UTF-8",
  }),
  errorBody,
  faults: faultForms,
}

/** The order in which a prompt is read: instruction, tools, contents (assumed). */
function promptParts(body: GeminiBody): readonly PromptPart[] {
  const said = (role: string, part: GeminiPart) => ({ text: `${role} ${wordsOfPart(part)}` })
  return [
    ...(body.systemInstruction?.parts ?? []).map((part) => said("system", part)),
    ...(body.tools ?? []).map((tool) => said("tools", { text: JSON.stringify(tool) })),
    ...body.contents.flatMap((content) => content.parts.map((part) => said(content.role ?? "user", part))),
  ]
}
