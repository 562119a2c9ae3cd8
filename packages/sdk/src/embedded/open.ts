/** Opens the host of this process and puts Promises before it. */
import { setMaxListeners } from "node:events"
import { resolve } from "node:path"
import { Effect, Exit, Result, Scope } from "effect"
import {
  asReserve,
  decodeUserFile,
  loadUserSettings,
  mergeSettings,
  noSettings,
  type Settings,
} from "@holdfast/core/config/index"
import { type Host, openHost } from "@holdfast/core/host/index"
import { nodeInstructionFiles } from "@holdfast/core/instructions/index"
import type { ConfigurationInvalid } from "@holdfast/schema/error"
import { contractVersion } from "@holdfast/protocol/version"
import { givenModels } from "../ai-sdk/given-models.ts"
import { checkedCalls } from "../checked-calls.ts"
import { configDirectoryOf, dataDirectoryOf } from "../directories.ts"
import type { EmbeddedHoldfast, HoldfastOptions } from "../holdfast.ts"
import { parseModel } from "../model-name.ts"
import { version } from "../version.ts"
import { makeCapabilities } from "./capabilities.ts"
import { subscribeLive } from "./live-events.ts"
import { makeSessions } from "./sessions.ts"

export interface Embedded {
  readonly host: Host
  readonly holdfast: EmbeddedHoldfast
}

export async function openEmbedded(options: HoldfastOptions): Promise<Embedded> {
  const environment = options.environment ?? process.env
  const { settings, fault } = await Effect.runPromise(usableSettings(options))
  const scope = Scope.makeUnsafe()
  const closing = new AbortController()
  // Each open stream listens to it.
  setMaxListeners(Infinity, closing.signal)
  let closed: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing.abort()
    closed ??= Effect.runPromise(Scope.close(scope, Exit.void))
    return closed
  }
  const opening = openHost({
    dataDirectory: dataDirectoryOf(options),
    configDirectory: configDirectoryOf(options),
    settings,
    fault,
    environment,
    allow: options.allow ?? [],
    continues: options.continues ?? true,
    models: await Effect.runPromise(givenModels(options)),
  })
  const host = await Effect.runPromise(Scope.provide(opening, scope)).catch(async (failure: unknown) => {
    await close()
    throw failure
  })
  const defaultDirectory = resolve(options.directory ?? ".")
  const holdfast = checkedCalls({
    sessions: makeSessions(host, { defaultDirectory, closing: closing.signal }),
    events: { subscribe: () => subscribeLive(host.live, closing.signal) },
    models: {
      get: ({ model } = {}) =>
        Effect.runPromise(
          model === undefined ? host.model(null) : Effect.flatMap(parseModel(model), host.model),
        ),
    },
    health: {
      get: async () => {
        const degraded = await Effect.runPromise(host.health())
        return { healthy: degraded.length === 0, version: version(), contract: contractVersion, degraded }
      },
    },
    close,
    [Symbol.asyncDispose]: close,
  })
  return { host, holdfast: { ...holdfast, ...makeCapabilities(host, scope, defaultDirectory) } }
}

/** Where somebody wants to hear of a fault, Holdfast opens in spite of it, without any setting (CF1). */
const usableSettings = Effect.fnUntraced(function* (
  options: HoldfastOptions,
): Effect.fn.Return<
  { readonly settings: Settings; readonly fault: ConfigurationInvalid | null },
  ConfigurationInvalid
> {
  const { onConfigurationFault } = options
  const read = yield* Effect.result(settingsOf(options))
  if (Result.isSuccess(read)) return { settings: read.success, fault: null }
  if (onConfigurationFault === undefined) return yield* read.failure
  onConfigurationFault(read.failure)
  return { settings: noSettings, fault: read.failure }
})

/** Settings of the user's file, with what the caller gave on top, and what it has in reserve below. */
export const settingsOf = Effect.fnUntraced(function* (
  options: HoldfastOptions,
): Effect.fn.Return<Settings, ConfigurationInvalid> {
  const { environment = process.env, providers = {}, reserve = {}, model, fallback, onRestart } = options
  const decode = (given: object) =>
    Effect.fromResult(decodeUserFile("openHoldfast(…)", JSON.stringify(given), environment))
  const user = yield* loadUserSettings(configDirectoryOf(options), environment, nodeInstructionFiles.read)
  const spare = asReserve(yield* decode({ providers: reserve }))
  return mergeSettings(spare, user, yield* decode({ providers, model, fallback, onRestart }))
})
