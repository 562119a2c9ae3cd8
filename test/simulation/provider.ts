/**
 * What every simulated runtime gets: the provider behind the transport port, which is provider-sim on
 * virtual time and without a socket, its model, and ports that are the same in every process.
 */
import { Clock, Effect } from "effect"
import type { IdPrefix } from "@holdfast/schema/id"
import { idFromBytes } from "@holdfast/schema/id"
import { type ModelSetup, type RuntimePorts, runtimeLimits } from "@holdfast/core/session/ports"
import { retryLimits } from "@holdfast/core/session/retry"
import { anthropicMessages } from "@holdfast/llm/anthropic-messages/index"
import { plainOptions } from "@holdfast/llm/options"
import { ProviderFailure, type Transport, type WireRequest, type WireResponse } from "@holdfast/llm/wire"
import type { ProviderSim, SimFrame } from "@holdfast/provider-sim"
import { takeImage } from "../session/media/png.ts"
import type { World } from "./scheduler.ts"
import type { LineTrouble } from "./trouble.ts"

/** `lineTrouble` says what becomes of a request on its way. */
export function simTransport(
  sim: ProviderSim,
  onSend: (body: Uint8Array) => void,
  lineTrouble: () => LineTrouble | null = () => null,
): Transport {
  return {
    send: (request) =>
      Effect.gen(function* () {
        const body = Buffer.concat(request.body)
        onSend(body)
        const trouble = lineTrouble()
        if (trouble === "refused") return yield* broken("transport")
        const nowMs = yield* Clock.currentTimeMillis
        const { pathname, search } = new URL(request.url)
        const response = sim.respond(
          { method: "POST", path: pathname + search, headers: lowerCase(request.headers), body },
          nowMs,
        )
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

const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

export const fixedPorts = (world: World) =>
  ({
    limits: { ...runtimeLimits, retry: retryLimits },
    newId: (prefix: IdPrefix) =>
      idFromBytes(
        prefix,
        Uint8Array.from({ length: 20 }, () => world.below(256)),
      ),
    agentPrompt: "You are the agent of a simulation.",
    locationExists: () => Effect.succeed(true),
    normaliseImage: takeImage,
    endCallProcesses: () => Effect.void,
  }) satisfies Partial<RuntimePorts>

const ref = { provider: "sim", model: "script" }

export const scriptModel = (contextTokens: number, systemRole: boolean): ModelSetup => ({
  ref,
  wire: anthropicMessages,
  target: { ...ref, endpoint: "http://sim", options: plainOptions(1_000, { traits: { systemRole } }) },
  contextTokens,
  price: null,
  url: "http://sim",
  credential: "key",
})
