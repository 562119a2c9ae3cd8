/** A Holdfast of this process on a loopback port, for others to connect to. */
import { type Defect, listen } from "@holdfast/server"
import { openEmbedded } from "./embedded/open.ts"
import type { EmbeddedHoldfast, HoldfastOptions } from "./holdfast.ts"

export interface ServeOptions extends HoldfastOptions {
  /** Required of every request. */
  readonly token: string
  /** Any free port unless given. */
  readonly port?: number
  /** 127.0.0.1 unless given. */
  readonly host?: string
  /** Names that are answered to beside those of loopback: `host` with any port, `host:port` with that one. */
  readonly allowedHosts?: readonly string[]
  /** Told of each answer 500, with the detail that the caller does not get. */
  readonly onDefect?: (defect: Defect) => void
}

export interface Served {
  readonly url: string
  /** The same instance, from within. */
  readonly holdfast: EmbeddedHoldfast
  /** Lets nobody new in, ends streams, waits for requests a moment, then closes Holdfast. */
  readonly close: () => Promise<void>
}

/** The runtime in this process, also on a port. */
export async function serveHoldfast(options: ServeOptions): Promise<Served> {
  const { token, port, host, allowedHosts, onDefect } = options
  const { holdfast, router } = await openEmbedded(options, {
    token,
    ...(allowedHosts !== undefined && { allowedHosts }),
    ...(onDefect !== undefined && { onDefect }),
  })
  try {
    const listening = await listen(router.handler, {
      upgrade: router.upgrade,
      onClosing: router.endStreams,
      ...(port !== undefined && { port }),
      ...(host !== undefined && { host }),
    })
    return {
      url: listening.url,
      holdfast,
      close: async () => {
        await listening.close()
        await holdfast.close()
      },
    }
  } catch (failure) {
    await holdfast.close()
    throw failure
  }
}
