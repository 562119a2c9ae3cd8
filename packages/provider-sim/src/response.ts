/** Response: an answer, or what a fault makes of it, as status, headers and frames. */
import type { SimResponse } from "./exchange.ts"
import { faultStream, faultWhole, pageResponse, refusedFault } from "./faults.ts"
import type { Fault } from "./faults.ts"
import type { Reply } from "./model.ts"
import type { FaultScene, SimWire } from "./sim-wire.ts"
import { packFrames } from "./stream.ts"

/** What a response needs of its wire. */
type WireShape<Answer> = Pick<
  SimWire<never, { readonly tokens: number }, Answer>,
  "errorBody" | "events" | "faults" | "headers" | "whole"
>

/** The response that replaces an answer, or nothing if the fault leaves the answer alive. */
export function replacedResponse<Answer>(
  wire: WireShape<Answer>,
  fault: Fault,
  scene: FaultScene,
): SimResponse | undefined {
  const refused = refusedFault(fault, scene, wire.faults)
  if (refused === undefined) {
    const { "content-type": _, ...headers } = wire.headers("json", scene.requestId)
    return pageResponse(fault, scene, headers)
  }
  const { refusal } = refused
  const headers = { ...wire.headers("json", scene.requestId, refusal), ...refused.headers }
  return jsonResponse(refusal.status, wire.errorBody(refusal, scene.requestId), headers, scene.headersAfterMs)
}

export function streamedResponse<Answer>(
  wire: WireShape<Answer>,
  answer: Answer,
  reply: Reply,
  scene: FaultScene,
): SimResponse {
  const events = wire.events(answer, reply)
  const { head, tail } = reply.fault
    ? faultStream(events, reply.fault, wire.faults, { scene, answer, delayMs: reply.delayMs })
    : { head: events, tail: [] }
  const packed = packFrames(head, reply)
  return {
    status: 200,
    headers: wire.headers("stream", scene.requestId),
    headersAfterMs: scene.headersAfterMs,
    frames: Array.isArray(tail) ? [...packed, ...tail] : chain(packed, tail),
  }
}

export function wholeResponse<Answer>(
  wire: WireShape<Answer>,
  answer: Answer,
  reply: Reply,
  scene: FaultScene,
): SimResponse {
  const headers = wire.headers("json", scene.requestId)
  const response = jsonResponse(200, wire.whole(answer), headers, scene.headersAfterMs)
  const [frame] = response.frames
  if (reply.fault === undefined || frame === undefined) return response
  // A broken document keeps no promise about its length.
  const { "content-length": _, ...rest } = response.headers
  return { ...response, headers: rest, frames: faultWhole(frame, reply.fault, reply.delayMs) }
}

/** A whole JSON document as a response. */
export function jsonResponse(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>>,
  headersAfterMs = 0,
): SimResponse {
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  return {
    status,
    headers: { ...headers, "content-length": String(bytes.length) },
    headersAfterMs,
    frames: [{ kind: "bytes", afterMs: 0, bytes }],
  }
}

function chain<T>(first: Iterable<T>, second: Iterable<T>): Iterable<T> {
  return {
    *[Symbol.iterator]() {
      yield* first
      yield* second
    },
  }
}
