/**
 * Providers that need no description: their key is enough (CA1).
 *
 * Wire, address and models come from the catalog; here stands what only configuration needs, which
 * variables hold their key and their address. The order is that in which a default model is looked
 * for where several keys are there.
 */
import { catalogModels, findModel, type WireName } from "@holdfast/llm"
import { knownWires } from "@holdfast/llm/known-wires"
import { accessKeyVariable } from "./aws/keys.ts"
import { bedrockUrl, regionIn, regionOfUrl } from "./aws/region.ts"
import type { Environment } from "./directories.ts"
import type { ProviderKey, ProviderSettings } from "./settings.ts"

interface KnownProvider {
  /** The first that is set is taken; none means that the provider asks for no key. */
  readonly keyVariables: readonly string[]
  /** Where none of them is set, the variables of the AWS tools will do. */
  readonly signs?: boolean
  readonly urlVariable?: string
  /** Where the address depends on more than the catalog can know. */
  readonly address?: (environment: Environment) => string
  readonly defaultModel?: string
  /** For hidden work that must cost next to nothing: titles (SS2). */
  readonly smallModel?: string
  /** Serves more models than any list names: every name is taken, with cautious limits. */
  readonly open?: boolean
}

const regionDefault = "us-east-1"

const bedrockAddress = (environment: Environment): string =>
  bedrockUrl(regionIn(environment) ?? regionDefault)

const knownProviders: Readonly<Record<string, KnownProvider>> = {
  anthropic: {
    keyVariables: ["ANTHROPIC_API_KEY"],
    urlVariable: "ANTHROPIC_BASE_URL",
    defaultModel: "claude-sonnet-4-6",
    smallModel: "claude-haiku-4-5",
  },
  openai: {
    keyVariables: ["OPENAI_API_KEY"],
    urlVariable: "OPENAI_BASE_URL",
    defaultModel: "gpt-5.4",
    smallModel: "gpt-5-mini",
  },
  google: {
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    urlVariable: "GEMINI_BASE_URL",
    smallModel: "gemini-2.5-flash-lite",
    open: true,
  },
  deepseek: {
    keyVariables: ["DEEPSEEK_API_KEY"],
    defaultModel: "deepseek-v4-pro",
    smallModel: "deepseek-flash",
  },
  xai: { keyVariables: ["XAI_API_KEY"], defaultModel: "grok-4.7" },
  mistral: { keyVariables: ["MISTRAL_API_KEY"], defaultModel: "mistral-large-4", open: true },
  groq: { keyVariables: ["GROQ_API_KEY"], defaultModel: "openai/gpt-oss-120b", open: true },
  openrouter: { keyVariables: ["OPENROUTER_API_KEY"], open: true },
  together: { keyVariables: ["TOGETHER_API_KEY"], open: true },
  fireworks: { keyVariables: ["FIREWORKS_API_KEY"], open: true },
  bedrock: {
    keyVariables: ["AWS_BEARER_TOKEN_BEDROCK"],
    signs: true,
    address: bedrockAddress,
    open: true,
  },
  ollama: { keyVariables: [], open: true },
  lmstudio: { keyVariables: [], open: true },
  vllm: { keyVariables: [], open: true },
}

export interface ProviderFacts {
  readonly name: string
  readonly wire: WireName
  /** Of the catalog, or what its variable says. */
  readonly baseUrl: string
  readonly urlVariable: string | null
  /** Where the key is, or could be. */
  readonly key: ProviderKey
  readonly keyIsSet: boolean
  readonly defaultModel: string | null
  readonly smallModel: string | null
  readonly open: boolean
}

/** What is known of a provider by its name alone; null if nothing is. */
export function findProvider(name: string, environment: Environment): ProviderFacts | null {
  const known = Object.hasOwn(knownProviders, name) ? knownProviders[name] : undefined
  if (known === undefined) return null
  const { wire, endpoint } = findModel({ provider: name, model: "" })
  const address = known.address?.(environment) ?? endpoint
  if (address === null || !isWireName(wire)) return null
  const { urlVariable = null, defaultModel = null, smallModel = null, open = false } = known
  const baseUrl = (urlVariable === null ? null : setIn(environment, urlVariable)) ?? address
  const found = keyIn(known, baseUrl, environment)
  return {
    name,
    wire,
    baseUrl,
    urlVariable,
    key: found ?? variableKey(known.keyVariables[0]),
    keyIsSet: found !== null,
    defaultModel,
    smallModel,
    open,
  }
}

/** As if it were configured by its name alone; null if nothing is known of it. */
export function findKnown(name: string, environment: Environment): ProviderSettings | null {
  const known = findProvider(name, environment)
  if (known === null) return null
  const { wire, baseUrl, key } = known
  return { wire, baseUrl, key, models: new Map() }
}

function keyIn(
  { keyVariables, signs = false }: KnownProvider,
  baseUrl: string,
  environment: Environment,
): ProviderKey | null {
  const found = keyVariables.find((variable) => setIn(environment, variable) !== null)
  if (found !== undefined) return variableKey(found)
  if (!signs || setIn(environment, accessKeyVariable) === null) return null
  return { kind: "aws", from: { kind: "environment" }, region: regionOfUrl(baseUrl) }
}

const variableKey = (name: string | undefined): ProviderKey =>
  name === undefined ? { kind: "none" } : { kind: "variable", name }

export const knownNames = (): readonly string[] => Object.keys(knownProviders)

/** Variables of which one is enough to begin, for people to read. */
export const keyVariableNames = (): readonly string[] =>
  Object.values(knownProviders).flatMap(({ keyVariables }) => keyVariables.slice(0, 1))

/** Wires that a file can name. Model objects of a program are no servers, so theirs is none of them. */
export const wireNames = (): readonly WireName[] =>
  Object.keys(knownWires).filter((name) => name !== "ai-sdk") as readonly WireName[]

const isWireName = (text: string): text is WireName => Object.hasOwn(knownWires, text)

/** Whether the embedded catalog lists the model; a dated name is a name of its model too. */
export const isListed = (provider: string, model: string): boolean =>
  catalogModels(provider).some(({ model: known }) => model === known || isDated(model, known))

const isDated = (model: string, alias: string): boolean =>
  model.startsWith(`${alias}-`) && /^(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/.test(model.slice(alias.length + 1))

function setIn(environment: Environment, variable: string): string | null {
  const value = environment[variable]?.trim()
  return value === undefined || value === "" ? null : value
}
