/**
 * The offline provider: rules in place of a model, on loopback, over the real wire. It makes
 * every command work without network and without credentials.
 */
import type { ProviderOptions } from "@holdfast/sdk"

export const offlineName = "offline"
const offlineModel = "agent"

export interface OfflineProvider {
  readonly url: string
  readonly provider: ProviderOptions
  readonly close: () => Promise<void>
}

const limit = { context: 200_000, output: 8_192 }
/** Of a model under another name: as much as any known model has, so that it can stand in for it. */
const limitLargest = { context: 1_050_000, output: 384_000 }
const limitOf = (model: string) => (model === offlineModel ? limit : limitLargest)
const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

/** Speaks the one wire that a run needs, or all of them to serve any client. Loaded when it is started. */
export async function startOffline(
  models: readonly string[] = [offlineModel],
  port?: number,
  wires: "one" | "all" = "one",
): Promise<OfflineProvider> {
  const { listen, offlineAgent, speakOne } = await import("./offline-model.ts")
  const create = wires === "one" ? speakOne : (await import("@holdfast/provider-sim/sim")).createProviderSim
  const sim = create({
    models: Object.fromEntries(models.map((name) => [name, offlineAgent({ limit: limitOf(name) })])),
  })
  const { url, close } = await listen(sim, port === undefined ? {} : { port })
  return { url, close, provider: describeOffline(url, models) }
}

function describeOffline(baseUrl: string, models: readonly string[]): ProviderOptions {
  return {
    wire: "anthropic-messages",
    baseUrl,
    models: Object.fromEntries(
      models.map((name) => [name, { limit: limitOf(name), systemRole: true, images: true, price: free }]),
    ),
  }
}
