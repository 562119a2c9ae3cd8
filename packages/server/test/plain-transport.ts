/** Simulated providers behind the transport port, without their delays and faults. */
import { Clock, Effect } from "effect"
import { ProviderFailure, type Transport } from "@holdfast/llm/wire"
import type { ProviderSim } from "@holdfast/provider-sim"

/** What is waited for on the way. */
interface Waits {
  readonly beforeAnswer?: Effect.Effect<void>
  readonly beforeFrame?: Effect.Effect<void>
}

export function plainTransport(
  providerAt: (host: string) => ProviderSim | undefined,
  { beforeAnswer = Effect.void, beforeFrame = Effect.void }: Waits = {},
): Transport {
  return {
    send: Effect.fnUntraced(function* (request) {
      yield* beforeAnswer
      const { hostname, pathname, search } = new URL(request.url)
      const provider = providerAt(hostname)
      if (provider === undefined) return yield* broken
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
      )
      const response = provider.respond(
        { method: "POST", path: pathname + search, headers, body: Buffer.concat(request.body) },
        yield* Clock.currentTimeMillis,
      )
      const frames = response.frames[Symbol.iterator]()
      const read = Effect.gen(function* () {
        yield* beforeFrame
        const next = frames.next()
        if (next.done === true) return null
        return next.value.kind === "bytes" ? next.value.bytes : yield* broken
      })
      return { status: response.status, headers: response.headers, read, leave: () => {} }
    }),
  }
}

const broken = new ProviderFailure({
  code: "stream_cut",
  message: "no fault is scripted here",
  retryable: false,
  retryAfterMs: null,
  status: null,
})
