/** Asides: the list of models and the count of tokens (documented). */
import { headerOf, modelAsked, pathOf } from "../exchange.ts"
import { isObject } from "../json.ts"
import type { ListedModel, WireAsides } from "../sim-wire.ts"
import { readPath } from "./http.ts"

export const asides: WireAsides = {
  read(request) {
    if (readPath(request)?.method === "countTokens") {
      return {
        kind: "count",
        bodyOf({ generateContentRequest: whole, ...body }) {
          const { model: _, ...counted } = isObject(whole) ? whole : body
          return counted
        },
      }
    }
    // Without the header the first version of the path is OpenAI's.
    const isOurs =
      pathOf(request).startsWith("/v1beta/") || headerOf(request.headers, "x-goog-api-key") !== undefined
    const asked = isOurs ? modelAsked(request, /^\/v1(beta)?\/models(?=\/|$)/) : undefined
    return asked === undefined ? undefined : { kind: "models", ...asked }
  },
  list: (models) => ({ models: models.map(entry) }),
  tell: entry,
  count: (tokens) => ({
    totalTokens: tokens,
    promptTokensDetails: [{ modality: "TEXT", tokenCount: tokens }],
  }),
}

function entry({ name, contextTokens, outputMax, model }: ListedModel) {
  return {
    name: `models/${name}`,
    version: "001",
    displayName: name,
    inputTokenLimit: contextTokens,
    outputTokenLimit: outputMax,
    supportedGenerationMethods: ["generateContent", "countTokens"],
    ...(model.thinking === true ? { thinking: true } : {}),
  }
}
