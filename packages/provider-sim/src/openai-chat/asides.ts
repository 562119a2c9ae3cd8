/** Asides: the list of models, at any prefix of the path, as compatible servers have it (documented). */
import { headerOf, modelAsked, pathOf } from "../exchange.ts"
import type { ListedModel, WireAsides } from "../sim-wire.ts"

export const asides: WireAsides = {
  read(request) {
    // The path is Google's too, and Anthropic's; their clients tell themselves apart.
    const isOther =
      headerOf(request.headers, "x-goog-api-key") !== undefined ||
      headerOf(request.headers, "anthropic-version") !== undefined ||
      pathOf(request).startsWith("/v1beta/")
    const asked = isOther ? undefined : modelAsked(request, /^(\/\w+)*\/models(?=\/|$)/)
    return asked === undefined ? undefined : { kind: "models", ...asked }
  },
  list: (models) => ({ object: "list", data: models.map(entry) }),
  tell: entry,
  count: () => ({}),
}

function entry({ name }: ListedModel) {
  return { id: name, object: "model", created: 1_767_225_600, owned_by: "holdfast" } as const
}
