/**
 * Servers of this program that listen from the first request on: until somebody asks, their address is
 * only a name, and nothing of them is loaded.
 */
import { Effect } from "effect"
import { ProviderFailure, type Transport } from "@holdfast/llm/wire"

/** By the address that stands for the server: what starts it, and gives the one where it listens. A repeat gives the same. */
export type StartedServers = ReadonlyMap<string, () => Promise<string>>

export const withStartedServers = (others: Transport, servers: StartedServers = new Map()): Transport => ({
  send: (request) => {
    for (const [address, start] of servers) {
      if (!request.url.startsWith(`${address}/`)) continue
      const path = request.url.slice(address.length)
      return Effect.flatMap(started(start), (url) => others.send({ ...request, url: url + path }))
    }
    return others.send(request)
  },
})

const started = (start: () => Promise<string>): Effect.Effect<string, ProviderFailure> =>
  Effect.tryPromise({
    try: start,
    catch: (cause) =>
      new ProviderFailure({
        code: "transport",
        message: `The server of this program did not start: ${cause instanceof Error ? cause.message : String(cause)}`,
        retryable: false,
        retryAfterMs: null,
        status: null,
        unsent: true,
      }),
  })
