/**
 * Which model a name means. A name is `provider/model`, or `provider/model:variant` (CA3).
 *
 * Names of models hold colons themselves, so a name is first taken as it stands; only where no such
 * model is known, what follows the last colon is looked for among the variants.
 */
import { findModel, type CatalogModel } from "@holdfast/llm"
import { formatModelRef, type ModelRef } from "@holdfast/schema/model"
import type { FetchedCatalog } from "./fetched-catalog.ts"
import type { GivenOptions } from "./given-options.ts"
import { findProvider, isListed } from "./known-providers.ts"
import { type ModelSettings, overrideOf, type ProviderSettings, type Settings } from "./settings.ts"

export interface NamedModel {
  /** As it was asked for, with its variant. */
  readonly ref: ModelRef
  /** What the provider calls it. */
  readonly model: string
  readonly provider: ProviderSettings
  readonly settings: ModelSettings
  readonly variant: GivenOptions | null
  readonly facts: CatalogModel
}

export type Naming =
  | { readonly kind: "named"; readonly named: NamedModel }
  | { readonly kind: "no-provider" }
  | { readonly kind: "no-model" }
  | { readonly kind: "no-variant"; readonly model: string; readonly variants: readonly string[] }

export function findNamed(settings: Settings, catalog: FetchedCatalog, ref: ModelRef): Naming {
  const provider = settings.providers.get(ref.provider)
  if (provider === undefined) return { kind: "no-provider" }
  const named = (model: string, variant: GivenOptions | null): Naming => ({
    kind: "named",
    named: describe(ref, provider, model, variant, catalog),
  })
  if (isKnown(ref.provider, provider, ref.model, catalog)) return named(ref.model, null)
  const colon = ref.model.lastIndexOf(":")
  const base = ref.model.slice(0, Math.max(0, colon))
  if (base !== "" && isKnown(ref.provider, provider, base, catalog)) {
    const variants = provider.models.get(base)?.variants ?? new Map<string, GivenOptions>()
    const variant = variants.get(ref.model.slice(colon + 1))
    if (variant !== undefined) return named(base, variant)
    if (!isOpen(ref.provider)) return { kind: "no-variant", model: base, variants: [...variants.keys()] }
  }
  return isOpen(ref.provider) ? named(ref.model, null) : { kind: "no-model" }
}

/** Facts of a model: what the user says, over what was fetched, over the embedded copy (CA1). */
export function modelFacts(
  provider: string,
  settings: Pick<ProviderSettings, "wire" | "profile" | "models">,
  model: string,
  catalog: FetchedCatalog,
): CatalogModel {
  const ref = { provider, model }
  const known = findProvider(provider, {}) !== null
  return findModel(ref, {
    ...catalog.get(formatModelRef(ref)),
    wire: settings.wire,
    // Of a server that nobody here knows, its address may still tell the profile.
    ...(settings.profile === undefined ? (known ? {} : { profile: null }) : { profile: settings.profile }),
    ...overrideOf(settings.models.get(model) ?? {}),
  })
}

function describe(
  ref: ModelRef,
  provider: ProviderSettings,
  model: string,
  variant: GivenOptions | null,
  catalog: FetchedCatalog,
): NamedModel {
  const settings = provider.models.get(model) ?? {}
  return {
    ref,
    model,
    provider,
    settings,
    variant,
    facts: modelFacts(ref.provider, provider, model, catalog),
  }
}

const isKnown = (name: string, provider: ProviderSettings, model: string, catalog: FetchedCatalog): boolean =>
  provider.models.has(model) ||
  (findProvider(name, {}) !== null && (isListed(name, model) || catalog.has(`${name}/${model}`)))

const isOpen = (provider: string): boolean => findProvider(provider, {})?.open === true
