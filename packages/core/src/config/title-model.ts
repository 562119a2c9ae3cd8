/** Which model writes titles (SS2): the one that is configured for it, else the small one of the Session's provider. */
import type { ModelRef } from "@holdfast/schema/model"
import { findProvider } from "./known-providers.ts"
import { defaultModel } from "./models.ts"
import type { Settings } from "./settings.ts"

/** Null where the first line has to do. `of` is what the Session speaks to; null is the default. */
export function titleModelFor(settings: Settings, of: ModelRef | null): ModelRef | null {
  if (settings.titleModel !== null) return settings.titleModel
  const spoken = of ?? defaultModel(settings)
  if (spoken === null) return null
  const { provider } = spoken
  const known = findProvider(provider, {})
  // At another address than the usual one nobody knows which models there are.
  const isUsual = known !== null && settings.providers.get(provider)?.baseUrl === known.baseUrl
  const model = isUsual ? known.smallModel : null
  return model === null || model === spoken.model ? null : { provider, model }
}
