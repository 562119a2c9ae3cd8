/** A runtime on a port: the contract, its listener, and the order in which both end. */
import { type HandlerOptions, makeHandler } from "./handler.ts"
import type { HostedRuntime } from "./hosted-runtime.ts"
import { listen, type Listening, type ListenOptions } from "./listen.ts"

export interface ServeOptions extends HandlerOptions, Omit<ListenOptions, "onClosing" | "upgrade"> {}

/** Closing lets nobody new in, ends streams with `disposed`, waits for requests, then cuts. */
export async function serve(runtime: HostedRuntime, options: ServeOptions): Promise<Listening> {
  const { handler, upgrade, endStreams, dispose } = makeHandler(runtime, options)
  try {
    const { url, close } = await listen(handler, { ...options, upgrade, onClosing: endStreams })
    return {
      url,
      close: async () => {
        await close()
        await dispose()
      },
    }
  } catch (failure) {
    await dispose()
    throw failure
  }
}
