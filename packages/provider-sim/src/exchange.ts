/**
 * Exchange: one HTTP request and its answer as plain values.
 *
 * The core of the simulated provider maps the first to the second without clock, socket or
 * promise, so a simulation can play the frames on a virtual clock and `listen` can play the same
 * frames on a real socket.
 */

export interface SimRequest {
  readonly method: string
  /** Path with an optional query. */
  readonly path: string
  /** Header names are compared without regard to case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export type SimFrame =
  /** `afterMs` is the pause between the previous frame (or the headers) and these bytes. */
  | { readonly kind: "bytes"; readonly afterMs: number; readonly bytes: Uint8Array }
  /** Nothing more ever comes and the connection stays open. */
  | { readonly kind: "stall" }
  /** The connection breaks here. */
  | { readonly kind: "cut" }

export interface SimResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The pause between the end of the request and the status line. */
  readonly headersAfterMs: number
  /** May be endless; a player that stops early must leave the iterator alone afterwards. */
  readonly frames: Iterable<SimFrame>
}

const encoder = new TextEncoder()

/** Text as bytes in one frame. */
export function textFrame(text: string, afterMs = 0): SimFrame {
  return { kind: "bytes", afterMs, bytes: encoder.encode(text) }
}

/** The value of a header, whatever the case of its name. */
export function headerOf(headers: Readonly<Record<string, string>>, name: string): string | undefined {
  const wanted = name.toLowerCase()
  for (const [key, value] of Object.entries(headers)) if (key.toLowerCase() === wanted) return value
  return undefined
}

/** The path without its query. */
export function pathOf(request: SimRequest): string {
  return request.path.split("?")[0] ?? ""
}

/** What a request for all models or for one of them names; nothing if it is another request. */
export function modelAsked(
  request: SimRequest,
  list: RegExp,
): { readonly name?: string; readonly request: SimRequest } | undefined {
  const path = pathOf(request)
  const found = request.method.toUpperCase() === "GET" ? list.exec(path) : null
  if (found === null) return undefined
  const name = unescaped(path.slice(found[0].length).replace(/^\//, ""))
  const headers = { ...request.headers, "content-type": "application/json" }
  return { ...(name === "" ? {} : { name }), request: { ...request, method: "POST", headers } }
}

/** A piece of a path without its escapes; a broken escape stands for itself. */
export function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // Only a broken escape throws here; as it stands it names nothing.
    return text
  }
}
