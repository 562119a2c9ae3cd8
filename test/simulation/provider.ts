/** The provider behind the transport port: provider-sim on virtual time, without a socket. */
import { Clock, Effect } from "effect"
import { ProviderFailure, type Transport, type WireRequest, type WireResponse } from "@holdfast/llm/wire"
import type { ProviderSim, SimFrame } from "@holdfast/provider-sim"

export function simTransport(sim: ProviderSim, onSend: (body: Uint8Array) => void): Transport {
  return {
    send: (request) =>
      Effect.gen(function* () {
        const body = Buffer.concat(request.body)
        onSend(body)
        const nowMs = yield* Clock.currentTimeMillis
        const { pathname, search } = new URL(request.url)
        const response = sim.respond(
          { method: "POST", path: pathname + search, headers: lowerCase(request.headers), body },
          nowMs,
        )
        if (response.headersAfterMs > request.limits.firstByteMs) {
          yield* Effect.sleep(request.limits.firstByteMs)
          return yield* broken("first_byte_timeout")
        }
        yield* Effect.sleep(response.headersAfterMs)
        const frames = response.frames[Symbol.iterator]()
        return {
          status: response.status,
          headers: response.headers,
          read: read(frames, request),
          leave: () => {},
        } satisfies WireResponse
      }),
  }
}

const read = (frames: Iterator<SimFrame>, request: WireRequest) =>
  Effect.gen(function* () {
    const next = frames.next()
    if (next.done === true) return null
    const frame = next.value
    if (frame.kind === "cut") return yield* broken("stream_cut")
    if (frame.kind === "stall" || frame.afterMs > request.limits.idleMs) {
      yield* Effect.sleep(request.limits.idleMs)
      return yield* broken("idle_timeout")
    }
    yield* Effect.sleep(frame.afterMs)
    return frame.bytes
  })

const broken = (code: "first_byte_timeout" | "stream_cut" | "idle_timeout") =>
  new ProviderFailure({
    code,
    message: `simulated ${code}`,
    retryable: true,
    retryAfterMs: null,
    status: null,
  })

const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
