/** Gemini: `POST /v1beta/models/{model}:generateContent`, or `streamGenerateContent?alt=sse`. */
import { counter } from "../answer.ts"
import type { SimRequest } from "../exchange.ts"
import { parseJson } from "../json.ts"
import type { PrefixMeasure, PromptPart } from "../prefix-cache.ts"
import { createPrefixOracle } from "../prefix-cache.ts"
import type { Accepted, Refusal, SimWire, Validation, WireRules } from "../sim-wire.ts"
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
  validate,
  view: viewRequest,
  createCache() {
    const oracle = createPrefixOracle()
    const rules = {
      kind: "prefix",
      tokensStep: facts.cacheTokensStep,
      idleMs: facts.cacheIdleMs,
    } as const
    return {
      measure: (accepted, tokensMin) =>
        oracle.measure({
          parts: promptParts(accepted),
          seed: accepted.name,
          rules,
          nowMs: accepted.nowMs,
          tokensMin,
        }),
      commit: (measure, nowMs, visibleAtMs) => oracle.commit(measure, nowMs, visibleAtMs),
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

function validate(request: SimRequest, rules: WireRules): Validation<GeminiBody> {
  const path = readPath(request) ?? { model: "", method: "generateContent" as const }
  const http = checkHttp(request, path, rules.apiKeys)
  if (http !== undefined) return { kind: "refused", refusal: http }
  const parsed = parseJson(request.body)
  if (parsed.kind !== "object") return { kind: "refused", refusal: invalid(facts.bodyNotJson) }
  const refuse = (refusal: Refusal): Validation<GeminiBody> => ({
    kind: "refused",
    refusal,
    body: parsed.value,
  })
  const model = Object.hasOwn(rules.models, path.model) ? rules.models[path.model] : undefined
  if (model === undefined) {
    const message = facts.modelUnknown(path.model, path.method)
    return refuse({ status: 404, type: "NOT_FOUND", message })
  }
  const shape = checkShape(parsed.value)
  if (shape !== undefined) return refuse(shape)
  // Every field that the type names has been checked above.
  const body = parsed.value as unknown as GeminiBody
  const sense =
    checkLimits(body, model, rules.outputMaxOf(model)) ??
    checkTurns(body, path.model, model) ??
    checkImages(body, path.model, model)
  return sense === undefined ? { kind: "accepted", body, name: path.model, model } : refuse(sense)
}

/** The order in which a prompt is read: instruction, tools, contents (assumed). */
function promptParts({ body }: Accepted<GeminiBody>): readonly PromptPart[] {
  const said = (role: string, part: GeminiPart): PromptPart => ({
    text: `${role} ${wordsOfPart(part)}`,
    images: 0,
    endsMessage: false,
    isMarked: false,
  })
  return [
    ...(body.systemInstruction?.parts ?? []).map((part) => said("system", part)),
    ...(body.tools ?? []).map((tool) => said("tools", { text: JSON.stringify(tool) })),
    ...body.contents.flatMap((content) => content.parts.map((part) => said(content.role ?? "user", part))),
  ]
}
