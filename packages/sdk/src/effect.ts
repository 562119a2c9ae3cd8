/**
 * Embedded Holdfast in a scope: the Effect client over the same router in memory (EM1), with what
 * only the same process can do (EM2). Closing the scope releases everything.
 */
import { Effect, type Scope } from "effect"
import { type HoldfastEffectClient, makeEffectClient, overFetch } from "@holdfast/client/effect"
import type { ConfigurationInvalid, StoreFailure } from "@holdfast/schema/error"
import type { EmbeddedCapabilities } from "./embedded/capabilities.ts"
import { embeddedUrl, openEmbedded } from "./embedded/open.ts"
import type { HoldfastOptions } from "./holdfast.ts"
import { checkOptions } from "./known-options.ts"

export interface ScopedHoldfast extends HoldfastEffectClient, EmbeddedCapabilities {}

export const openHoldfast = Effect.fnUntraced(function* (
  options: HoldfastOptions = {},
): Effect.fn.Return<ScopedHoldfast, ConfigurationInvalid | StoreFailure, Scope.Scope> {
  const opening = Effect.tryPromise({
    try: async () => {
      checkOptions("openHoldfast", options)
      return openEmbedded(options)
    },
    catch: (failure) => failure as ConfigurationInvalid | StoreFailure,
  })
  const embedded = yield* Effect.acquireRelease(opening, ({ holdfast }) => Effect.promise(holdfast.close))
  const transport = overFetch(embedded.fetch, embedded.token)
  const client = yield* Effect.provide(makeEffectClient({ baseUrl: embeddedUrl }), transport)
  const { tools, sources } = embedded.holdfast
  return { ...client, tools, sources }
})

export type {
  EmbeddedCapabilities,
  RegisteredCall,
  RegisteredSource,
  RegisteredTool,
  Unregister,
} from "./embedded/capabilities.ts"
export type { HoldfastOptions } from "./holdfast.ts"
