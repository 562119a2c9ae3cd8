/**
 * Faults: everything that can go wrong at a provider, as data.
 *
 * Some faults replace the whole response; the others change the stream of a good answer. A count
 * `afterDeltas` is a number of `content_block_delta` events that still arrive; a stream with
 * fewer of them breaks right before `message_delta`.
 */
import { errorBody, errorResponse } from "./api-error.ts"
import type { ApiErrorType } from "./api-error.ts"
import { textFrame } from "./exchange.ts"
import type { SimFrame, SimResponse } from "./exchange.ts"
import { event } from "./stream.ts"
import type { StreamEvent } from "./stream.ts"

export type Fault =
  /** Without a count: headers come, then not one byte. */
  | { readonly kind: "stall"; readonly afterDeltas?: number }
  /** The connection breaks in the middle of an event. */
  | { readonly kind: "cut"; readonly afterDeltas?: number }
  /** 429; `retryAfter` in seconds, sent as seconds or as an HTTP date. */
  | { readonly kind: "rate-limited"; readonly retryAfter?: number; readonly asDate?: boolean }
  | { readonly kind: "overloaded" }
  | { readonly kind: "server-error" }
  | { readonly kind: "unauthorized" }
  /** 400 as if the prompt were too long, whatever its size. */
  | { readonly kind: "overflow"; readonly tokens?: number; readonly tokensMax?: number }
  /** Any other refusal. */
  | {
      readonly kind: "refused"
      readonly status: number
      readonly type: ApiErrorType
      readonly message: string
    }
  /** One event whose data is no JSON; the rest of the stream follows. */
  | { readonly kind: "malformed-json"; readonly afterDeltas?: number }
  /** A delta comes before the start of its block. */
  | { readonly kind: "wrong-order" }
  /** 200 with a page instead of a stream. */
  | { readonly kind: "html" }
  /** An error status whose body is no JSON. */
  | { readonly kind: "error-not-json"; readonly status?: number }
  | { readonly kind: "endless-deltas" }
  /** Bytes without end and without a newline. */
  | { readonly kind: "endless-garbage" }
  /** An `error` event in the stream, which then ends. */
  | { readonly kind: "error-event"; readonly afterDeltas?: number; readonly type?: ApiErrorType }
  /** The stream ends in good order but without `message_stop`. */
  | { readonly kind: "no-stop"; readonly afterDeltas?: number }

export interface FaultScene {
  readonly requestId: string
  readonly nowMs: number
  readonly headersAfterMs: number
  readonly tokens: number
  readonly contextTokens: number
}

/** Sent between two parts of an endless stream when the reply names no delay. */
const endlessPauseMs = 10

/** recorded: the text of an overflow. */
export function overflowMessage(tokens: number, tokensMax: number): string {
  return `prompt is too long: ${tokens} tokens > ${tokensMax} maximum`
}

/** The response that replaces an answer, or nothing if the fault leaves the answer alive. */
export function replacedResponse(fault: Fault, scene: FaultScene): SimResponse | undefined {
  const refuse = (status: number, type: ApiErrorType, message: string, headers = {}) =>
    errorResponse({ status, type, message }, scene.requestId, headers, scene.headersAfterMs)
  switch (fault.kind) {
    case "rate-limited":
      // documented: 429 with `retry-after`. The wording is assumed.
      return refuse(
        429,
        "rate_limit_error",
        "This request would exceed your organization's rate limit. Please try again later.",
        retryAfter(fault, scene.nowMs),
      )
    case "overloaded": // recorded
      return refuse(529, "overloaded_error", "Overloaded")
    case "server-error": // recorded
      return refuse(500, "api_error", "Internal server error")
    case "unauthorized": // recorded
      return refuse(401, "authentication_error", "invalid x-api-key")
    case "overflow":
      return refuse(
        400,
        "invalid_request_error",
        overflowMessage(
          fault.tokens ?? Math.max(scene.tokens, scene.contextTokens + 1),
          fault.tokensMax ?? scene.contextTokens,
        ),
      )
    case "refused":
      return refuse(fault.status, fault.type, fault.message)
    case "html":
      return plainResponse(200, "text/html; charset=utf-8", scene)
    case "error-not-json":
      return plainResponse(fault.status ?? 502, "text/html; charset=utf-8", scene)
    default:
      return undefined
  }
}

/** The events that still arrive in order, and the frames that follow them. */
export function faultStream(
  events: readonly StreamEvent[],
  fault: Fault,
  requestId: string,
  delayMs: number | undefined,
): { readonly head: readonly StreamEvent[]; readonly tail: Iterable<SimFrame> } {
  const pauseMs = Math.max(1, delayMs ?? endlessPauseMs)
  switch (fault.kind) {
    case "stall":
      return {
        head: fault.afterDeltas === undefined ? [] : events.slice(0, breakAt(events, fault.afterDeltas)),
        tail: [{ kind: "stall" }],
      }
    case "cut": {
      const at = breakAt(events, fault.afterDeltas ?? 0)
      return { head: events.slice(0, at), tail: [halfOf(events[at]), { kind: "cut" }] }
    }
    case "malformed-json": {
      const at = breakAt(events, fault.afterDeltas ?? 0)
      return { head: [...events.slice(0, at), brokenEvent, ...events.slice(at)], tail: [] }
    }
    case "wrong-order":
      return { head: swapFirstStart(events), tail: [] }
    case "error-event": {
      // documented: errors can come after the 200, e.g. `overloaded_error`.
      const type = fault.type ?? "overloaded_error"
      const { error } = errorBody(
        { type, message: type === "overloaded_error" ? "Overloaded" : type },
        requestId,
      )
      const head = events.slice(0, breakAt(events, fault.afterDeltas ?? 0))
      return { head: [...head, event("error", { error, request_id: requestId })], tail: [] }
    }
    case "no-stop":
      return {
        head:
          fault.afterDeltas === undefined
            ? events.filter((item) => item.type !== "message_stop")
            : events.slice(0, breakAt(events, fault.afterDeltas)),
        tail: [],
      }
    case "endless-deltas":
      return { head: [...events.slice(0, 1), openText], tail: repeat(textFrame(moreText.text, pauseMs)) }
    case "endless-garbage":
      return { head: events.slice(0, 1), tail: repeat(textFrame("x".repeat(1_024), pauseMs)) }
    default:
      return { head: events, tail: [] }
  }
}

/** The same faults for an answer that is one JSON document. */
export function faultWhole(frame: SimFrame, fault: Fault, delayMs: number | undefined): Iterable<SimFrame> {
  const bytes = frame.kind === "bytes" ? frame.bytes : new Uint8Array()
  const half: SimFrame = { kind: "bytes", afterMs: 0, bytes: bytes.slice(0, Math.floor(bytes.length / 2)) }
  switch (fault.kind) {
    case "stall":
      return fault.afterDeltas === undefined ? [{ kind: "stall" }] : [half, { kind: "stall" }]
    case "cut":
    case "no-stop":
    case "error-event":
      return [half, { kind: "cut" }]
    case "malformed-json":
    case "wrong-order":
      return [{ kind: "bytes", afterMs: 0, bytes: bytes.toReversed() }]
    case "endless-deltas":
    case "endless-garbage":
      return repeat(textFrame("x".repeat(1_024), Math.max(1, delayMs ?? endlessPauseMs)))
    default:
      return [frame]
  }
}

const brokenEvent: StreamEvent = {
  type: "broken",
  afterMs: 0,
  text: 'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_de\n\n',
}

const openText = event("content_block_start", { index: 0, content_block: { type: "text", text: "" } })
const moreText = event("content_block_delta", {
  index: 0,
  delta: { type: "text_delta", text: "and so on, " },
})

function breakAt(events: readonly StreamEvent[], deltas: number): number {
  let left = deltas
  for (const [index, item] of events.entries()) {
    if (item.type === "message_delta") return index
    if (item.type !== "content_block_delta") continue
    if (left === 0) return index
    left -= 1
  }
  return events.length
}

function halfOf(item: StreamEvent | undefined): SimFrame {
  const text = item?.text ?? "event: "
  return textFrame(text.slice(0, Math.floor(text.length / 2)), item?.afterMs ?? 0)
}

function swapFirstStart(events: readonly StreamEvent[]): readonly StreamEvent[] {
  const start = events.findIndex((item) => item.type === "content_block_start")
  const delta = events.findIndex((item) => item.type === "content_block_delta")
  const [from, to] = start >= 0 && delta > start ? [start, delta] : [0, events.length - 1]
  const moved = events[from]
  const rest = events.filter((_, index) => index !== from)
  return moved === undefined ? events : [...rest.slice(0, to), moved, ...rest.slice(to)]
}

function repeat(frame: SimFrame): Iterable<SimFrame> {
  return {
    *[Symbol.iterator]() {
      for (;;) yield frame
    },
  }
}

function retryAfter(
  fault: { readonly retryAfter?: number; readonly asDate?: boolean },
  nowMs: number,
): Readonly<Record<string, string>> {
  if (fault.retryAfter === undefined) return {}
  const date = new Date(nowMs + fault.retryAfter * 1_000).toUTCString()
  return { "retry-after": fault.asDate === true ? date : String(fault.retryAfter) }
}

function plainResponse(status: number, type: string, scene: FaultScene): SimResponse {
  const page = `<!doctype html><html><head><title>${status}</title></head><body><h1>Gateway</h1></body></html>\n`
  return {
    status,
    headers: { "content-type": type, "request-id": scene.requestId },
    headersAfterMs: scene.headersAfterMs,
    frames: [textFrame(page)],
  }
}
