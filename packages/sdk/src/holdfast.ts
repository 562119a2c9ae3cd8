/**
 * Embedded Holdfast: the runtime in this process, behind Promises.
 *
 * It is the client of `@holdfast/client` with more abilities, so that a server can take its place.
 * Methods reject with the tagged failures of the contract; tell them apart with `isFailure`.
 */
import type { HoldfastClient } from "@holdfast/client"
import type { Environment } from "@holdfast/core/config/index"
import type { GivenModel } from "@holdfast/core/host/given-models"
import type { ConfigurationInvalid } from "@holdfast/schema/error"
import type { AllowRule, RestartPolicy } from "@holdfast/schema/session"
import type { EmbeddedCapabilities, RegisteredSource, RegisteredTool } from "./embedded/capabilities.ts"
import { openEmbedded } from "./embedded/open.ts"
import { checkOptions } from "./known-options.ts"

export interface HoldfastOptions {
  /** Where Sessions are kept; `HOLDFAST_DATA_DIR` or the XDG data directory unless given. */
  readonly dataDir?: string
  /** Where `holdfast.jsonc` lies; `HOLDFAST_CONFIG_DIR` or the XDG configuration directory unless given. */
  readonly configDir?: string
  /** Where a Session works that names no directory; that of the process unless given (CO3). */
  readonly directory?: string
  /** Providers beside those of the configuration, in the same shape; a name given here wins. */
  readonly providers?: Readonly<Record<string, ProviderOptions>>
  /**
   * Providers in reserve: each answers where it is named, and its only model where nothing else is
   * configured. A name of the configuration wins.
   */
  readonly reserve?: Readonly<Record<string, ReserveOptions>>
  /** Models that are objects of this program, by `provider/model`; see `fromAiSdk`. They win over configured ones. */
  readonly models?: Readonly<Record<string, GivenModel>>
  /** The default model, as `provider/model` or `provider/model:variant`. */
  readonly model?: string
  /** Models that take a turn when the chosen one cannot, in order. */
  readonly fallback?: readonly string[]
  /** What a restart does with unfinished work of Sessions that do not say it themselves. */
  readonly onRestart?: RestartPolicy
  /** What a Session may spend that is made without a budget of its own: tokens, dollars, or both. */
  readonly budget?: { readonly tokens?: number; readonly money?: number }
  /** False for a program that only looks: it begins no turn by itself, whatever a Session's policy. */
  readonly continues?: boolean
  /**
   * Told what is wrong with the user's configuration. Holdfast then opens all the same, to read and
   * to stop: no Session can be made, and no turn starts before it is mended. Without it, opening rejects.
   */
  readonly onConfigurationFault?: (fault: ConfigurationInvalid) => void
  /**
   * Told, a sentence each, of what was left out of the user's configuration, or replaced by its default; and later,
   * when it was edited and cannot be used.
   */
  readonly onConfigurationWarning?: (warning: string) => void
  /** Told, a sentence each, what did not work beside the turns, and that closing waits; on standard error unless given. */
  readonly onWarning?: (warning: string) => void
  /** What every Session may do without asking, as permission rules, beside what it was allowed itself. Nothing unless given. */
  readonly allow?: readonly AllowRule[]
  /**
   * Tools and facts of this program that are there before the unfinished work of an earlier process is settled or goes on. What
   * is registered later, by `tools.register` and `sources.register`, is unknown to it (DR5).
   */
  readonly tools?: readonly RegisteredTool[]
  readonly sources?: readonly RegisteredSource[]
  /** Variables to read; those of this process unless given. */
  readonly environment?: Environment
}

/** A provider in reserve may be a server of this program that is not started unless somebody asks it. */
export interface ReserveOptions extends ProviderOptions {
  /** Called before its first request; gives the address where it listens, in place of `baseUrl`. A repeat gives the same. */
  readonly start?: () => Promise<string>
}

/** A provider as `holdfast.jsonc` describes it. Of one that is known by its name, everything may be left out. */
export interface ProviderOptions {
  readonly wire?: "anthropic-messages" | "openai-responses" | "openai-chat" | "gemini" | "bedrock-converse"
  readonly baseUrl?: string
  /** How a server of the wire `openai-chat` differs from others. */
  readonly profile?: string
  /** At most one of these five. */
  readonly apiKey?: string
  readonly apiKeyEnv?: string
  /** A file of yours that nobody else can read; an absolute path. */
  readonly apiKeyFile?: string
  /** A program and its arguments, run without a shell; what it prints is the key. */
  readonly apiKeyCommand?: readonly string[]
  /** AWS keys that sign each request to Bedrock: of a profile, of a command, else of the variables of AWS. */
  readonly aws?: {
    readonly profile?: string
    /** The shared credentials file unless given; an absolute path. */
    readonly file?: string
    /** A program that writes what a `credential_process` of AWS does. */
    readonly command?: readonly string[]
    /** That of the address or of `AWS_REGION` unless given. */
    readonly region?: string
  }
  /** Options for all its models, in the shape of models.dev or the AI SDK. */
  readonly options?: Readonly<Record<string, unknown>>
  /** How long an answer may take; each that is left out is as for other providers. */
  readonly timeouts?: {
    readonly firstByteSeconds?: number
    readonly idleSeconds?: number
    readonly contentSeconds?: number
    readonly answerSeconds?: number
  }
  readonly models?: Readonly<Record<string, ModelOptions>>
}

export interface ModelOptions {
  /** Required where the catalog does not know the model. */
  readonly limit?: { readonly context?: number; readonly output?: number }
  readonly thinkingTokens?: number
  /** The model takes instructions at their place in time. */
  readonly systemRole?: boolean
  readonly reasoning?: "budget" | "effort" | "adaptive" | "none"
  readonly cache?: "markers" | "breakpoints" | "automatic" | "unknown"
  readonly tools?: boolean
  readonly images?: boolean
  readonly structuredOutput?: boolean
  /** Dollars for a million tokens. */
  readonly price?: {
    readonly input: number
    readonly output: number
    readonly cacheRead: number
    readonly cacheWrite: number
  }
  /** In the shape of models.dev or the AI SDK; `hostedTools` lists tools that the provider runs itself. */
  readonly options?: Readonly<Record<string, unknown>>
  /** Options over these, chosen as `provider/model:variant`. */
  readonly variants?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** Requests of one's own making, answered as a server answers them: by the same routes, checks and failures (EM1). */
export interface EmbeddedRouter {
  /** Paths of the contract begin here; nobody listens there. */
  readonly baseUrl: string
  /** Required of every request for data. It is another each time. */
  readonly token: string
  readonly send: (request: Request) => Promise<Response>
}

/**
 * Holdfast in this process: the client of the contract over the same router that a server has, and
 * what only a program in the same process can do (EM1, EM2).
 */
export interface EmbeddedHoldfast extends HoldfastClient, EmbeddedCapabilities, AsyncDisposable {
  readonly router: EmbeddedRouter
  /** Stops drains and gives everything back. A repeat is safe. */
  readonly close: () => Promise<void>
}

/** The runtime in this process, with one SQLite file. */
export async function openHoldfast(options: HoldfastOptions = {}): Promise<EmbeddedHoldfast> {
  checkOptions("openHoldfast", options)
  return (await openEmbedded(options)).holdfast
}
