/**
 * Faults: everything that can go wrong at a provider, as data.
 *
 * Some faults replace the whole response; the others change the stream of a good answer. A count
 * `afterDeltas` is a number of deltas that still arrive; a stream with fewer of them breaks right
 * before its end. What each fault looks like is up to the wire.
 */
import { textFrame } from "./exchange.ts"
import type { SimFrame, SimResponse } from "./exchange.ts"
import type { Reply, ViewImage } from "./model.ts"
import type { FaultForms, FaultScene, RefusedFault } from "./sim-wire.ts"
import type { StreamEvent } from "./stream.ts"

/** Kinds of error in the words of Anthropic; the other wires translate them. */
export const apiErrorTypes = [
  "invalid_request_error",
  "authentication_error",
  "permission_error",
  "not_found_error",
  "request_too_large",
  "rate_limit_error",
  "api_error",
  "overloaded_error",
] as const

export type ApiErrorType = (typeof apiErrorTypes)[number]

export type Fault =
  /** Without a count: headers come, then not one byte. */
  | { readonly kind: "stall"; readonly afterDeltas?: number }
  /** The connection breaks in the middle of an event. */
  | { readonly kind: "cut"; readonly afterDeltas?: number }
  | ({ readonly kind: "rate-limited" } & RateFault)
  /** The account is out of money; waiting does not help. */
  | { readonly kind: "out-of-credit" }
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
  /**
   * 400 as if the provider could not read an image, as long as the request holds it; without it
   * the reply is a good one. An image is named by its hash, or by its place among all images.
   */
  | { readonly kind: "poisoned-image"; readonly image: ImageName }
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
  /**
   * An error in the stream, which then ends. Responses has three forms: the event as it is
   * recorded and then `response.failed` (the default), the flat event of the documentation, and
   * `response.failed` alone.
   */
  | {
      readonly kind: "error-event"
      readonly afterDeltas?: number
      readonly type?: ApiErrorType
      readonly form?: "flat" | "failed"
    }
  /** The stream ends in good order but without its last event. */
  | { readonly kind: "no-stop"; readonly afterDeltas?: number }

export const faultKinds: readonly Fault["kind"][] = [
  ...(["stall", "cut", "rate-limited", "out-of-credit", "overloaded", "server-error"] as const),
  ...(["unauthorized", "overflow", "refused", "poisoned-image", "malformed-json"] as const),
  ...(["wrong-order", "html", "error-not-json", "endless-deltas", "endless-garbage"] as const),
  ...(["error-event", "no-stop"] as const),
]

/** 429; `retryAfter` in seconds, sent as seconds or as an HTTP date. */
export interface RateFault {
  readonly retryAfter?: number
  readonly asDate?: boolean
}

/** The beginning of a hash, or a place among the images of a request, counted from 0. */
export type ImageName = { readonly hash: string } | { readonly index: number }

/** Sent between two parts of an endless stream when the reply names no delay. */
const endlessPauseMs = 10

/** The reply with the fault that is due: a poisoned image does no harm where it is not. */
export function withDueFault(reply: Reply, images: readonly ViewImage[], attempt: number): Reply {
  const { fault, ...good } = reply
  if (attempt >= (reply.faultTries ?? Infinity)) return good
  if (fault?.kind !== "poisoned-image") return reply
  const name = fault.image
  const isThere =
    "index" in name ? name.index < images.length : images.some(({ hash }) => hash.startsWith(name.hash))
  return isThere ? reply : good
}

/** A page instead of JSON, or nothing if the fault is another. */
export function pageResponse(
  fault: Fault,
  scene: FaultScene,
  headers: Readonly<Record<string, string>>,
): SimResponse | undefined {
  if (fault.kind !== "html" && fault.kind !== "error-not-json") return undefined
  const status = fault.kind === "html" ? 200 : (fault.status ?? 502)
  const page = `<!doctype html><html><head><title>${status}</title></head><body><h1>Gateway</h1></body></html>\n`
  return {
    status,
    headers: { ...headers, "content-type": "text/html; charset=utf-8" },
    headersAfterMs: scene.headersAfterMs,
    frames: [textFrame(page)],
  }
}

/** `retry-after` as the fault wants it, or no header. */
export function retryAfter(fault: RateFault, nowMs: number): Readonly<Record<string, string>> {
  if (fault.retryAfter === undefined) return {}
  const date = new Date(nowMs + fault.retryAfter * 1_000).toUTCString()
  return { "retry-after": fault.asDate === true ? date : String(fault.retryAfter) }
}

/** The refusal that replaces an answer, or nothing if the fault leaves the answer alive. */
export function refusedFault(
  fault: Fault,
  scene: FaultScene,
  forms: Omit<FaultForms<never>, "errorEvents">,
): RefusedFault | undefined {
  const { kinds } = forms
  switch (fault.kind) {
    case "rate-limited":
      return forms.rateLimited(fault, scene)
    case "out-of-credit":
      return { refusal: forms.outOfCredit }
    case "overloaded":
      return { refusal: kinds.overloaded_error }
    case "server-error":
      return { refusal: kinds.api_error }
    case "unauthorized":
      return { refusal: forms.unauthorized }
    case "overflow": {
      const tokens = fault.tokens ?? Math.max(scene.tokens, scene.contextTokens + 1)
      return { refusal: forms.overflow(tokens, fault.tokensMax ?? scene.contextTokens) }
    }
    case "poisoned-image":
      return { refusal: forms.imageBroken }
    case "refused":
      return { refusal: { ...kinds[fault.type], status: fault.status, message: fault.message } }
    default:
      return undefined
  }
}

/** The events that still arrive in order, and the frames that follow them. */
export function faultStream<Answer>(
  events: readonly StreamEvent[],
  fault: Fault,
  forms: FaultForms<Answer>,
  occasion: { readonly scene: FaultScene; readonly answer: Answer; readonly delayMs: number | undefined },
): { readonly head: readonly StreamEvent[]; readonly tail: Iterable<SimFrame> } {
  const pauseMs = Math.max(1, occasion.delayMs ?? endlessPauseMs)
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
      return { head: [...events.slice(0, at), forms.broken, ...events.slice(at)], tail: [] }
    }
    case "wrong-order":
      return { head: swapFirstStart(events), tail: [] }
    case "error-event": {
      const head = events.slice(0, breakAt(events, fault.afterDeltas ?? 0))
      const refusal = forms.kinds[fault.type ?? "overloaded_error"]
      const form = fault.form === undefined ? {} : { form: fault.form }
      const last = forms.errorEvents(refusal, { ...occasion, ...form, sent: head.length })
      return { head: [...head, ...last], tail: [] }
    }
    case "no-stop":
      return {
        head:
          fault.afterDeltas === undefined
            ? events.filter((item) => item.part !== "stop")
            : events.slice(0, breakAt(events, fault.afterDeltas)),
        tail: [],
      }
    case "endless-deltas": {
      const { head, more } = forms.endless(events)
      return { head, tail: repeat({ kind: "bytes", afterMs: pauseMs, bytes: more.bytes }) }
    }
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

function breakAt(events: readonly StreamEvent[], deltas: number): number {
  let left = deltas
  for (const [index, item] of events.entries()) {
    if (item.part === "end" || item.part === "stop") return index
    if (item.part !== "delta") continue
    if (left === 0) return index
    left -= 1
  }
  return events.length
}

function halfOf(item: StreamEvent | undefined): SimFrame {
  const bytes = item?.bytes ?? new TextEncoder().encode("event: ")
  return { kind: "bytes", afterMs: item?.afterMs ?? 0, bytes: bytes.slice(0, Math.floor(bytes.length / 2)) }
}

function swapFirstStart(events: readonly StreamEvent[]): readonly StreamEvent[] {
  const start = events.findIndex((item) => item.part === "start")
  const delta = events.findIndex((item) => item.part === "delta")
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
