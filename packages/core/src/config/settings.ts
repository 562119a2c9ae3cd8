/**
 * Settings: what a person may configure, before anything is looked up.
 *
 * Settings come in layers (environment, user file, options of the embedding program); a later
 * layer wins, provider by provider. A key is never a plain string here: it is redacted, or the
 * place that holds it, so that no settings value can be printed with a secret in it.
 */
import type { Redacted } from "effect"
import type { CatalogModel, CatalogOverride, WireName } from "@holdfast/llm"
import type { DreamTask } from "@holdfast/schema/memory/dream"
import type { ModelRef, Price } from "@holdfast/schema/model"
import type { RestartPolicy } from "@holdfast/schema/session"
import type { Rule } from "../permission/rule.ts"
import type { AnswerLimits } from "../session/ports.ts"
import type { LifetimeSetting } from "../session/request/lifetimes.ts"
import type { GivenOptions } from "./given-options.ts"

export interface Settings {
  readonly providers: ReadonlyMap<string, ProviderSettings>
  readonly model: ModelRef | null
  /** Models that take a turn when the chosen one cannot, in order; null if nothing is said (CA3). */
  readonly fallback: readonly ModelRef[] | null
  /** What a restart does with unfinished work of Sessions that do not say it themselves (DR5). */
  readonly onRestart: RestartPolicy | null
  /** Of Sessions that are made without one; null if nothing is said (DR9). */
  readonly budget: BudgetSettings | null
  /** How long cached prefixes are to live, and whether they are kept while nothing happens. */
  readonly cache: CacheSettings | null
  /** Above what a request is asked for before it is sent. */
  readonly cost: CostSettings | null
  /** When history leaves the window; null leaves it to the built-in threshold (PS5). */
  readonly recall: RecallSettings | null
  /** How what was said is found again; null leaves it to the model that comes with the program (SE2). */
  readonly search: SearchSettings | null
  readonly timeZone: string | null
  /** How long complete outputs of calls are kept; null if nothing is said (TO7). */
  readonly toolOutputDays: number | null
  /** False hides only secrets that the configuration has read, and nothing by its shape (AU1). */
  readonly maskShapes: boolean | null
  /** What writes titles of Sessions; null leaves the choice to the runtime (SS2). */
  readonly titleModel: ModelRef | null
  /** What writes the history of long Sessions; null leaves it to the historian that needs no model (HI1). */
  readonly historian: HistorianSettings | null
  /** What maintains memory, and when; null leaves it to what needs no model (DM1). */
  readonly dreamer: DreamerSettings | null
  /** What looks things up for prompts that ask for it; null for nobody (NT2). */
  readonly sidekick: SidekickSettings | null
  /** Hosts that webfetch may reach though their addresses are not public; null if nothing is said. */
  readonly webfetchPrivateHosts: readonly string[] | null
  /** Files with instructions beside those that are found by their names; null if nothing is said (IN4). */
  readonly instructions: readonly string[] | null
  /** Where a catalog is fetched on request. */
  readonly catalogUrl: string | null
  /** What is allowed, asked for or denied, in their order (PE1). */
  readonly permissions: readonly Rule[]
}

export interface SearchSettings {
  /** By which model meaning is compared: the built-in one, none, or one of a provider. */
  readonly embedding?: "local" | "off" | ModelRef
  /** Models of providers that a project may choose for itself, beside the one above. */
  readonly projectModels?: readonly ModelRef[]
  /** How long the pieces of a compartment are that are embedded. */
  readonly chunkCharacters?: number
  /** Whether a model is told beside a prompt what was said about it before. */
  readonly hint?: boolean
}

export interface BudgetSettings {
  readonly tokens?: number
  readonly money?: number
}

export interface HistorianSettings {
  readonly model: ModelRef
  /** Asked in order where the model cannot answer (HI8). */
  readonly fallback: readonly ModelRef[]
  /** In place of the built-in instructions; null keeps these (HI10). */
  readonly prompt: string | null
  /** Whether the model looks at each of its drafts once more (HI9). */
  readonly editor: boolean
}

export interface DreamerSettings {
  /** Without one only what needs none is done. */
  readonly model: ModelRef | null
  readonly fallback: readonly ModelRef[]
  /** What the model is asked, in the order of the runtime; the usual ones unless said. */
  readonly tasks: readonly DreamTask[]
  /** When a run may begin by itself, in minutes of the day. */
  readonly schedule: "always" | "never" | { readonly fromMinute: number; readonly toMinute: number }
}

export interface SidekickSettings {
  readonly model: ModelRef
  readonly fallback: readonly ModelRef[]
  /** In place of the built-in instructions; null keeps these. */
  readonly prompt: string | null
  /** How long a turn waits for it. */
  readonly timeoutSeconds: number
}

export interface CacheSettings {
  /** By the rhythm of the Session unless said. */
  readonly lifetime?: LifetimeSetting
  /** Nothing is sent to keep a cache unless said. */
  readonly keepWarm?: KeepWarm
}

/** Bounds of requests that only keep a cache. */
export interface KeepWarm {
  /** In a row, while nothing else happens. */
  readonly max: number
  /** Dollars, of one Session in all. */
  readonly costMax: number
}

export interface CostSettings {
  /** Dollars of input that was paid for before. */
  readonly askAbove?: number
}

export interface RecallSettings {
  /** The share of what may be sent at which waiting changes are made and old messages are summed up. */
  readonly threshold?: number
  /** Documents below the root of the project that stand before the history; none where the list is empty (HB2). */
  readonly docs?: readonly string[]
  /** Whether old answers are told in fewer words where the model cannot drop anything itself (TG5). */
  readonly textCompression?: boolean
}

export interface ProviderSettings {
  readonly wire: WireName
  readonly baseUrl: string
  readonly key: ProviderKey
  /** How a server of the wire openai-chat differs from others. */
  readonly profile?: string
  /** For all its models. */
  readonly options?: GivenOptions
  /** Where its answers may take longer, or less long, than those of others; for all its models. */
  readonly timeouts?: Partial<AnswerLimits>
  readonly models: ReadonlyMap<string, ModelSettings>
  /**
   * Nobody chose it: its keys are there for other programs too, or a program has it in reserve. It
   * answers where it is named, and is the default only where nothing else is configured.
   */
  readonly ambient?: boolean
}

/** Where a key comes from. */
export type ProviderKey =
  | { readonly kind: "value"; readonly value: Redacted.Redacted }
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "file"; readonly path: string }
  /** A program and its arguments, run without a shell; its output is the key. */
  | { readonly kind: "command"; readonly argv: readonly string[] }
  | AwsKey
  /** A server that asks for none, as on loopback. */
  | { readonly kind: "none" }

/** AWS keys that sign each request. */
export interface AwsKey {
  readonly kind: "aws"
  readonly from: AwsSource
  /** Where the signature holds; null if nothing names it. */
  readonly region: string | null
}

export type AwsSource =
  /** The variables that the AWS tools read. */
  | { readonly kind: "environment" }
  /** A section of a credentials file of the AWS tools. */
  | { readonly kind: "profile"; readonly file: string; readonly profile: string }
  /** A program whose output is that of a `credential_process`. */
  | { readonly kind: "command"; readonly argv: readonly string[] }

export interface ModelSettings {
  readonly contextTokens?: number
  readonly outputTokens?: number
  readonly thinkingTokens?: number
  readonly systemRole?: boolean
  readonly price?: Price
  readonly reasoning?: CatalogModel["reasoning"]
  readonly cache?: CatalogModel["cache"]
  readonly tools?: boolean
  readonly images?: boolean
  readonly structuredOutput?: boolean
  readonly options?: GivenOptions
  /** Options over those of the model, by the name of the variant (CA3). */
  readonly variants?: ReadonlyMap<string, GivenOptions>
}

export const noSettings: Settings = {
  providers: new Map(),
  model: null,
  fallback: null,
  onRestart: null,
  budget: null,
  cache: null,
  cost: null,
  recall: null,
  search: null,
  timeZone: null,
  toolOutputDays: null,
  maskShapes: null,
  titleModel: null,
  historian: null,
  dreamer: null,
  sidekick: null,
  webfetchPrivateHosts: null,
  instructions: null,
  catalogUrl: null,
  permissions: [],
}

/** Later layers win; a provider is taken whole from the last layer that names it, rules come behind one another. */
export function mergeSettings(...layers: readonly Settings[]): Settings {
  return layers.reduce(
    (merged, layer) => ({
      providers: new Map([...merged.providers, ...layer.providers]),
      model: layer.model ?? merged.model,
      fallback: layer.fallback ?? merged.fallback,
      onRestart: layer.onRestart ?? merged.onRestart,
      budget: layer.budget ?? merged.budget,
      cache: layer.cache ?? merged.cache,
      cost: layer.cost ?? merged.cost,
      recall: layer.recall ?? merged.recall,
      search: layer.search ?? merged.search,
      timeZone: layer.timeZone ?? merged.timeZone,
      toolOutputDays: layer.toolOutputDays ?? merged.toolOutputDays,
      maskShapes: layer.maskShapes ?? merged.maskShapes,
      titleModel: layer.titleModel ?? merged.titleModel,
      historian: layer.historian ?? merged.historian,
      dreamer: layer.dreamer ?? merged.dreamer,
      sidekick: layer.sidekick ?? merged.sidekick,
      webfetchPrivateHosts: layer.webfetchPrivateHosts ?? merged.webfetchPrivateHosts,
      instructions: layer.instructions ?? merged.instructions,
      catalogUrl: layer.catalogUrl ?? merged.catalogUrl,
      permissions: [...merged.permissions, ...layer.permissions],
    }),
    noSettings,
  )
}

/** Providers that a program has in reserve, under whatever else is configured. */
export const asReserve = (settings: Settings): Settings => ({
  ...settings,
  providers: new Map(
    [...settings.providers].map(([name, provider]) => [name, { ...provider, ambient: true }]),
  ),
})

/** What the user says about a model, as it lies over the catalog (CA1). */
export function overrideOf(model: ModelSettings): CatalogOverride {
  const { contextTokens, outputTokens, systemRole, price } = model
  const { reasoning, cache, tools, images, structuredOutput } = model
  return {
    ...(contextTokens === undefined ? {} : { contextTokensMax: contextTokens }),
    ...(outputTokens === undefined ? {} : { outputTokensMax: outputTokens }),
    ...(systemRole === undefined ? {} : { systemRole }),
    ...(price === undefined ? {} : { price, cacheWriteByTtl: null }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(cache === undefined ? {} : { cache }),
    ...(tools === undefined ? {} : { tools }),
    ...(images === undefined ? {} : { images }),
    ...(structuredOutput === undefined ? {} : { structuredOutput }),
  }
}
