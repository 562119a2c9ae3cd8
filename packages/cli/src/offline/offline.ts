/**
 * The offline provider: rules in place of a model, on loopback, over the real wire. It makes
 * every command work without network and without credentials.
 */
import type { ProviderSim, SimRecord } from "@holdfast/provider-sim"
import type { ProviderSimOptions } from "@holdfast/provider-sim/sim-wire"
import { everyItem, type HoldfastClient, type ProviderOptions } from "@holdfast/sdk"

export const offlineName = "offline"
const offlineModel = "agent"
/** Beside the one that reasons stands one that does not, as providers have both. */
export const offlineModels = [offlineModel, "agent-plain"]

export interface OfflineProvider {
  readonly url: string
  readonly provider: ProviderOptions
  readonly close: () => Promise<void>
}

export interface OfflineOptions {
  readonly models: readonly string[]
  readonly port?: number
  /** Prompts may say what the model answers. */
  readonly directives?: boolean
  readonly onRecord: (record: SimRecord) => void
}

const limit = { context: 200_000, output: 8_192 }
/** Of a model under another name: as much as any known model has, so that it can stand in for it. */
const limitLargest = { context: 1_050_000, output: 384_000 }
const limitOf = (model: string) => (offlineModels.includes(model) ? limit : limitLargest)
const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

/** For the runs of this process: the one wire that they need, loaded when somebody asks the model. */
export async function startOffline(): Promise<OfflineProvider> {
  const { listen } = await import("@holdfast/provider-sim/server")
  const loadModel = async () => {
    const { offlineAgent, speakOne } = await import("./model.ts")
    return speakOne({ models: { [offlineModel]: offlineAgent({ limit }) } })
  }
  const { url, close } = await listen(loadModel, { browsers: false })
  return { url, close, provider: describeOffline("anthropic-messages", url, [offlineModel]) }
}

/** Whether somebody chose a provider, and it is not this one. */
export async function isConfiguredBeside(
  offline: Pick<OfflineProvider, "url"> | null,
  { providers }: Pick<HoldfastClient, "providers">,
): Promise<boolean> {
  for await (const { ambient, baseUrl } of everyItem((page) => providers.list(page)))
    if (!ambient && baseUrl !== offline?.url) return true
  return false
}

/** For any client: every wire. */
export async function serveEveryWire(
  options: OfflineOptions,
): Promise<Pick<OfflineProvider, "url" | "close">> {
  const { createProviderSim, directed, listen, offlineAgent, traitsOf } =
    await import("@holdfast/provider-sim")
  const { models, port, directives, onRecord } = options
  const modelOf = (name: string) => {
    const agent = offlineAgent({ limit: limitOf(name), ...traitsOf(name) })
    return directives === true ? directed(agent) : agent
  }
  const settings: ProviderSimOptions = {
    models: Object.fromEntries(models.map((name) => [name, modelOf(name)])),
    onRecord,
  }
  const sim: ProviderSim = createProviderSim(settings)
  return listen(sim, port === undefined ? {} : { port })
}

export function describeOffline(
  wire: NonNullable<ProviderOptions["wire"]>,
  baseUrl: string,
  models: readonly string[],
): ProviderOptions {
  const facts = wire === "anthropic-messages" ? { systemRole: true } : {}
  return {
    wire,
    baseUrl,
    // On this machine a server of Chat Completions counts as one of the others unless it says so.
    ...(wire === "openai-chat" ? { profile: "openai" } : {}),
    models: Object.fromEntries(
      models.map((name) => [name, { limit: limitOf(name), ...facts, images: true, price: free }]),
    ),
  }
}
