/** Asides: the list of models and the count of tokens (documented). */
import { headerOf, modelAsked, pathOf } from "../exchange.ts"
import type { ListedModel, WireAsides } from "../sim-wire.ts"

export const asides: WireAsides = {
  read(request) {
    if (pathOf(request) === "/v1/messages/count_tokens") {
      return { kind: "count", bodyOf: (body) => ({ ...body, max_tokens: 0 }) }
    }
    // The path is OpenAI's too; the header tells the two apart.
    if (headerOf(request.headers, "anthropic-version") === undefined) return undefined
    const asked = modelAsked(request, /^\/v1\/models(?=\/|$)/)
    return asked === undefined ? undefined : { kind: "models", ...asked }
  },
  list(models) {
    const data = models.map(entry)
    return { data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null }
  },
  tell: entry,
  count: (tokens) => ({ input_tokens: tokens }),
}

function entry({ name, contextTokens, outputMax }: ListedModel) {
  return {
    type: "model",
    id: name,
    display_name: name,
    created_at: "2026-01-01T00:00:00Z",
    max_input_tokens: contextTokens,
    max_tokens: outputMax,
    capabilities: null,
  } as const
}
