/**
 * Opened: Holdfast as commands use it, with the offline provider beside the configured ones.
 *
 * The offline provider is started where it may be needed: nothing is configured, it is asked for
 * by name, or a Session that exists already may have been started with it.
 */
import { configuredProviders, openHoldfast, type AllowedTool, type Holdfast } from "@holdfast/sdk"
import { offlineModel, offlineName, startOffline } from "./offline.ts"
import type { Terminal } from "./terminal.ts"

export interface OpenOptions {
  readonly dataDir?: string
  readonly model?: string
  readonly allow?: readonly AllowedTool[]
  /** Turns may run: a provider must be there to answer. */
  readonly answers: boolean
  readonly sessionID?: string
}

export interface Opened {
  readonly holdfast: Holdfast
  /** Whether a provider is configured beside the offline one. */
  readonly configured: boolean
  readonly close: () => Promise<void>
}

export async function openForCommand(terminal: Terminal, options: OpenOptions): Promise<Opened> {
  const { environment } = terminal
  const known = await configuredProviders({ environment })
  const configured = known.length > 0
  const named = options.model?.startsWith(`${offlineName}/`) === true || options.sessionID !== undefined
  const taken = known.some((provider) => provider.name === offlineName)
  const offline = options.answers && !taken && (!configured || named) ? await startOffline() : null
  const close = async () => offline?.close()
  try {
    const holdfast = await openHoldfast({
      environment,
      ...(options.dataDir === undefined ? {} : { dataDir: options.dataDir }),
      ...(options.allow === undefined ? {} : { allow: options.allow }),
      ...(offline === null ? {} : { providers: { [offlineName]: offline.provider } }),
      ...(offline === null || configured ? {} : { model: `${offlineName}/${offlineModel}` }),
    })
    return {
      holdfast,
      configured,
      close: async () => {
        await holdfast.close()
        await close()
      },
    }
  } catch (failure) {
    await close()
    throw failure
  }
}
