/**
 * Simulated providers behind the transport port, without a socket: with their delays and faults, for
 * virtual time, or without them, for the time of the machine.
 */
import { Clock, Effect } from "effect"
import { ProviderFailure, type Transport, type WireRequest, type WireResponse } from "@holdfast/llm/wire"
import type { ProviderSim, SimFrame, SimResponse } from "@holdfast/provider-sim"

/** Nobody listens, the connection breaks before an answer, or no answer ever comes. */
export type LineTrouble = "refused" | "reset" | "silent"

/** What is waited for on the way. */
interface Waits {
  readonly beforeAnswer?: Effect.Effect<void>
  readonly beforeFrame?: Effect.Effect<void>
}

export function simTransport(
  sim: ProviderSim,
  onSend: (body: Uint8Array) => void = () => {},
  lineTrouble: () => LineTrouble | null = () => null,
): Transport {
  return {
    send: (request) =>
      Effect.gen(function* () {
        const body = Buffer.concat(request.body)
        onSend(body)
        const trouble = lineTrouble()
        if (trouble === "refused") return yield* broken("transport")
        const response = answer(sim, request, body, yield* Clock.currentTimeMillis)
        if (trouble === "silent" || response.headersAfterMs > request.limits.firstByteMs) {
          yield* Effect.sleep(request.limits.firstByteMs)
          return yield* broken("first_byte_timeout")
        }
        yield* Effect.sleep(response.headersAfterMs)
        if (trouble === "reset") return yield* broken("transport")
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

/** The provider of an address is found by its host. */
export function plainTransport(
  providerAt: (host: string) => ProviderSim | undefined,
  { beforeAnswer = Effect.void, beforeFrame = Effect.void }: Waits = {},
): Transport {
  return {
    send: Effect.fnUntraced(function* (request) {
      yield* beforeAnswer
      const provider = providerAt(new URL(request.url).hostname)
      if (provider === undefined) return yield* unscripted
      const body = Buffer.concat(request.body)
      const response = answer(provider, request, body, yield* Clock.currentTimeMillis)
      const frames = response.frames[Symbol.iterator]()
      const readFrame = Effect.gen(function* () {
        yield* beforeFrame
        const next = frames.next()
        if (next.done === true) return null
        return next.value.kind === "bytes" ? next.value.bytes : yield* unscripted
      })
      return { status: response.status, headers: response.headers, read: readFrame, leave: () => {} }
    }),
  }
}

function answer(sim: ProviderSim, request: WireRequest, body: Uint8Array, nowMs: number): SimResponse {
  const { pathname, search } = new URL(request.url)
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
  return sim.respond({ method: "POST", path: pathname + search, headers, body }, nowMs)
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

const broken = (code: "transport" | "first_byte_timeout" | "stream_cut" | "idle_timeout") =>
  new ProviderFailure({
    code,
    message: `simulated ${code}`,
    retryable: true,
    retryAfterMs: null,
    status: null,
  })

const unscripted = new ProviderFailure({
  code: "stream_cut",
  message: "no fault is scripted here",
  retryable: false,
  retryAfterMs: null,
  status: null,
})
