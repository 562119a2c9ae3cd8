/**
 * The offline provider: rules in place of a model, on loopback, over the real wire. It makes
 * every command work without network and without credentials.
 */
import type { ProviderSim, SimRecord } from "@holdfast/provider-sim"
import type { ProviderSimOptions } from "@holdfast/provider-sim/sim-wire"
import { everyItem, type HoldfastClient, type ProviderOptions, type ReserveOptions } from "@holdfast/sdk"

export const offlineName = "offline"
const offlineModel = "agent"
/** Beside the one that reasons stands one that does not, as providers have both. */
export const offlineModels = [offlineModel, "agent-plain"]

export interface OfflineProvider {
  readonly provider: ReserveOptions
  readonly close: () => Promise<void>
}

/** Stands for the address of the offline provider, which listens only once it is asked: at this one nobody can. */
const offlineUrl = "http://127.0.0.1:0"

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

const offlineProvider = describeOffline("anthropic-messages", offlineUrl, [offlineModel])

/** For commands that read settings and ask no model: files may name it. */
export const offlineReserve: Readonly<Record<string, ReserveOptions>> = { [offlineName]: offlineProvider }

/** For the runs of this process: the one wire that they need, loaded and started when somebody asks the model. */
export function makeOffline(): OfflineProvider {
  let listening: ReturnType<typeof listenOffline> | undefined
  const start = async () => (await (listening ??= listenOffline())).url
  return { provider: { ...offlineProvider, start }, close: async () => (await listening)?.close() }
}

async function listenOffline() {
  const [{ listen }, { offlineAgent, speakOne }] = await Promise.all([
    import("@holdfast/provider-sim/server"),
    import("./model.ts"),
  ])
  return listen(speakOne({ models: { [offlineModel]: offlineAgent({ limit }) } }), { browsers: false })
}

/** Whether it is this one, and none that a file describes under its name. */
export const isOffline = ({ baseUrl }: { readonly baseUrl: string }): boolean => baseUrl === offlineUrl

/** Whether somebody chose a provider, and it is not this one. */
export async function isConfiguredBeside({ providers }: Pick<HoldfastClient, "providers">): Promise<boolean> {
  for await (const { ambient, baseUrl } of everyItem((page) => providers.list(page)))
    if (!ambient && !isOffline({ baseUrl })) return true
  return false
}

/** For any client: every wire. */
export async function serveEveryWire(
  options: OfflineOptions,
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
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
