/** A Holdfast of this process on a loopback port, for others to connect to. */
import { resolve } from "node:path"
import { Effect } from "effect"
import { rehearsedPrompt } from "@holdfast/core/host/rehearsal"
import { ConfigurationInvalid } from "@holdfast/schema/error"
import { type Defect, serve, type ServedRequest, type ServerEvent } from "@holdfast/server"
import { openEmbedded } from "./embedded/open.ts"
import type { EmbeddedHoldfast, HoldfastOptions } from "./holdfast.ts"
import { checkOptions } from "./known-options.ts"
import { version } from "./version.ts"

export interface ServeOptions extends HoldfastOptions {
  /** Required of every request. */
  readonly token: string
  /** Any free port unless given. */
  readonly port?: number
  /** 127.0.0.1 unless given. */
  readonly host?: string
  /** Names that are answered to beside those of loopback: `host` with any port, `host:port` with that one. */
  readonly allowedHosts?: readonly string[]
  /** Origins whose pages may send requests and read their answers, as `https://app.example`; none unless given. */
  readonly allowedOrigins?: readonly string[]
  /** Told of each answer 500, with the detail that the caller does not get. */
  readonly onDefect?: (defect: Defect) => void
  /** Told of each request that was answered, by the pattern of its path. */
  readonly onRequest?: (request: ServedRequest) => void
  /** Told of what is worth a line in a log: turns, takeovers, what the store could not take. */
  readonly onEvent?: (event: ServerEvent) => void
}

export interface Served {
  readonly url: string
  /** The same instance, from within. */
  readonly holdfast: EmbeddedHoldfast
  /** Once it listens and nobody waits: does what makes the first prompt faster, and never fails. */
  readonly rehearse: () => Promise<void>
  /** Lets nobody new in, ends streams, waits for requests a moment, then closes Holdfast. */
  readonly close: () => Promise<void>
}

/** No Session has this id. */
const nobody = "ses_nobody"

const badToken = () =>
  new ConfigurationInvalid({
    file: "serveHoldfast(…)",
    line: 1,
    message: "The token is empty or holds white space. Give one word that is hard to guess.",
  })

/** The runtime in this process, also on a port. */
export async function serveHoldfast(options: ServeOptions): Promise<Served> {
  checkOptions("serveHoldfast", options)
  const { token, port, host: address, allowedHosts, allowedOrigins, onDefect, onRequest, onEvent } = options
  // Before anything is opened, which nobody would close.
  if (!/^\S+$/.test(token ?? "")) throw badToken()
  const { holdfast, host } = await openEmbedded(options, token)
  const defaultDirectory = resolve(options.directory ?? ".")
  try {
    const listening = await serve(host, {
      token,
      version: version(),
      defaultDirectory,
      environment: options.environment ?? process.env,
      ...(port !== undefined && { port }),
      ...(address !== undefined && { host: address }),
      ...(allowedHosts !== undefined && { allowedHosts }),
      ...(allowedOrigins !== undefined && { allowedOrigins }),
      ...(onDefect !== undefined && { onDefect }),
      ...(onRequest !== undefined && { onRequest }),
      ...(onEvent !== undefined && { onEvent }),
    })
    return {
      url: listening.url,
      holdfast,
      rehearse: async () => {
        const { sessions } = holdfast
        // It is refused where it is admitted, or because this Holdfast was closed meanwhile.
        await sessions.prompt({ sessionID: nobody, text: rehearsedPrompt }).catch(() => {})
        await Effect.runPromise(host.rehearse(defaultDirectory))
      },
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
