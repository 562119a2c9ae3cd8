/**
 * Embedded Holdfast: the runtime in this process, behind Promises.
 *
 * A thin layer: it opens the host, turns effects into Promises and closes everything again. Names
 * are those of the contract (`sessions`, `events`), so that a network client can take its place.
 * Methods reject with the tagged failures of the schema; tell them apart with `isFailure`.
 */
import { homedir } from "node:os"
import { resolve } from "node:path"
import { Effect, Exit, Scope } from "effect"
import {
  configDirectory,
  dataDirectory,
  decodeUserFile,
  describeProviders,
  loadUserSettings,
  mergeSettings,
  type Environment,
  type ModelInfo,
  type ProviderInfo,
  type Settings,
} from "@holdfast/core/config/index"
import { openHost, type AllowedTool } from "@holdfast/core/host/index"
import { nodeInstructionFiles } from "@holdfast/core/instructions/index"
import type { LiveEvent } from "@holdfast/core/session/live"
import type { ConfigurationInvalid } from "@holdfast/schema/error"
import { subscribeLive } from "./live-events.ts"
import { parseModel } from "./model-name.ts"
import { makeSessions, type Sessions } from "./sessions.ts"

export interface HoldfastOptions {
  /** Where Sessions are kept; `HOLDFAST_DATA_DIR` or the XDG data directory unless given. */
  readonly dataDir?: string
  /** Where `holdfast.jsonc` lies; `HOLDFAST_CONFIG_DIR` or the XDG configuration directory unless given. */
  readonly configDir?: string
  /** Providers beside those of the configuration, in the same shape; a name given here wins. */
  readonly providers?: Readonly<Record<string, ProviderOptions>>
  /** The default model, as `provider/model`. */
  readonly model?: string
  /** Tools beyond `read`. */
  readonly allow?: readonly AllowedTool[]
  /** Variables to read; those of this process unless given. */
  readonly environment?: Environment
}

/** A provider as `holdfast.jsonc` describes it. */
export interface ProviderOptions {
  readonly wire: "anthropic-messages"
  readonly baseUrl: string
  readonly apiKey?: string
  readonly apiKeyEnv?: string
  readonly models: Readonly<Record<string, ModelOptions>>
}

export interface ModelOptions {
  readonly limit: { readonly context: number; readonly output: number }
  readonly thinkingTokens?: number
  /** The model takes instructions at their place in time. */
  readonly systemRole?: boolean
  /** Dollars for a million tokens. */
  readonly price?: {
    readonly input: number
    readonly output: number
    readonly cacheRead: number
    readonly cacheWrite: number
  }
}

export interface Holdfast {
  readonly sessions: Sessions
  readonly events: {
    /** What happens in this process from the first `next()` on; ends when Holdfast closes. */
    readonly subscribe: () => AsyncIterable<LiveEvent>
  }
  readonly models: {
    /** What a turn would speak to: the named model, or the default. */
    readonly get: (input?: { readonly model?: string }) => Promise<ModelInfo>
  }
  /** Stops drains, gives everything back. A repeat is safe. */
  readonly close: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

export async function openHoldfast(options: HoldfastOptions = {}): Promise<Holdfast> {
  const environment = options.environment ?? process.env
  const settings = await Effect.runPromise(settingsOf(options))
  const scope = Scope.makeUnsafe()
  const closing = new AbortController()
  let closed: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing.abort()
    closed ??= Effect.runPromise(Scope.close(scope, Exit.void))
    return closed
  }
  const opening = openHost({
    dataDirectory: resolve(options.dataDir ?? dataDirectory(environment, homedir())),
    configDirectory: configDirectoryOf(options),
    settings,
    environment,
    allow: options.allow ?? [],
  })
  const host = await Effect.runPromise(Scope.provide(opening, scope)).catch(async (failure: unknown) => {
    await close()
    throw failure
  })
  return {
    sessions: makeSessions(host, closing.signal),
    events: { subscribe: () => subscribeLive(host.live, closing.signal) },
    models: {
      get: ({ model } = {}) =>
        Effect.runPromise(
          model === undefined ? host.model(null) : Effect.flatMap(parseModel(model), host.model),
        ),
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** The providers that configuration and environment describe, without opening anything. */
export async function configuredProviders(
  options: Pick<HoldfastOptions, "configDir" | "environment"> = {},
): Promise<readonly ProviderInfo[]> {
  return describeProviders(await Effect.runPromise(settingsOf(options)))
}

const settingsOf = Effect.fnUntraced(function* (
  options: HoldfastOptions,
): Effect.fn.Return<Settings, ConfigurationInvalid> {
  const { environment = process.env, providers = {}, model } = options
  const user = yield* loadUserSettings(configDirectoryOf(options), environment, nodeInstructionFiles.read)
  const given = JSON.stringify({ providers, ...(model === undefined ? {} : { model }) })
  return mergeSettings(user, yield* Effect.fromResult(decodeUserFile("openHoldfast(…)", given, environment)))
})

const configDirectoryOf = ({ configDir, environment = process.env }: HoldfastOptions): string =>
  configDir === undefined ? configDirectory(environment, homedir()) : resolve(configDir)
