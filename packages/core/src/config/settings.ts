/**
 * Settings: what a person may configure, before anything is looked up.
 *
 * Settings come in layers (environment, user file, options of the embedding program); a later
 * layer wins, provider by provider. A key is never a plain string here: it is redacted, or the
 * name of the variable that holds it, so that no settings value can be printed with a secret in it.
 */
import type { Redacted } from "effect"
import type { ModelRef, Price } from "@holdfast/schema/model"

export interface Settings {
  readonly providers: ReadonlyMap<string, ProviderSettings>
  readonly model: ModelRef | null
  readonly timeZone: string | null
}

export interface ProviderSettings {
  readonly wire: WireName
  readonly baseUrl: string
  readonly key: ProviderKey
  readonly models: ReadonlyMap<string, ModelSettings>
}

export type WireName = "anthropic-messages"

export type ProviderKey =
  | { readonly kind: "value"; readonly value: Redacted.Redacted }
  | { readonly kind: "variable"; readonly name: string }
  /** A server that asks for none, as on loopback. */
  | { readonly kind: "none" }

export interface ModelSettings {
  readonly contextTokens?: number
  readonly outputTokens?: number
  readonly thinkingTokens?: number
  readonly systemRole?: boolean
  readonly price?: Price
}

export const noSettings: Settings = { providers: new Map(), model: null, timeZone: null }

/** The provider that needs no file: its key in the environment is enough. */
export const anthropic = {
  name: "anthropic",
  wire: "anthropic-messages",
  baseUrl: "https://api.anthropic.com",
  keyVariable: "ANTHROPIC_API_KEY",
  urlVariable: "ANTHROPIC_BASE_URL",
  defaultModel: "claude-sonnet-4-6",
} as const

/** Later layers win; a provider is taken whole from the last layer that names it. */
export function mergeSettings(...layers: readonly Settings[]): Settings {
  return layers.reduce(
    (merged, layer) => ({
      providers: new Map([...merged.providers, ...layer.providers]),
      model: layer.model ?? merged.model,
      timeZone: layer.timeZone ?? merged.timeZone,
    }),
    noSettings,
  )
}
