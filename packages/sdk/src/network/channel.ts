/**
 * One end of the network: calls and streams over fetch, with the token in every request.
 *
 * A call is made once; whether it may be made again is for the caller to say, who chose its id.
 */
import type { Fetch } from "./connect.ts"
import type { SessionImage } from "../sessions.ts"
import { readAnswer, readFailure } from "./answer.ts"
import { ClientError } from "./client-error.ts"
import { readImage } from "./image.ts"
import { type RouteName, routes } from "./routes.ts"
import { makeSseParser, type SseFrame } from "./sse.ts"

const channelLimits = {
  /** For a whole answer; the server itself waits less. */
  callMs: 60_000,
  /** Without a byte of a stream, three heartbeats long: then it is lost. */
  silenceMs: 45_000,
} as const

export interface ChannelCall {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly payload?: unknown
}

export interface Channel {
  readonly call: (route: RouteName, call?: ChannelCall) => Promise<unknown>
  /** A call that is answered with an image. */
  readonly image: (route: RouteName, call: ChannelCall) => Promise<SessionImage>
  /** Frames until the server ends the stream; rejects if it breaks off. */
  readonly stream: (route: RouteName, call: ChannelCall, signal: AbortSignal) => AsyncGenerator<SseFrame>
}

export interface ChannelOptions {
  readonly url: string
  readonly token: string
  readonly fetch: Fetch
  readonly closing: AbortSignal
}

export function makeChannel({ url, token, fetch, closing }: ChannelOptions): Channel {
  const send = async (route: RouteName, call: ChannelCall, signal: AbortSignal): Promise<Response> => {
    const [method] = routes[route]
    const body = call.payload === undefined ? undefined : JSON.stringify(call.payload)
    try {
      return await fetch(addressOf(url, route, call), {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body }),
        signal,
      })
    } catch (cause) {
      const message = closing.aborted
        ? "This connection to Holdfast was closed."
        : `Holdfast at ${url} does not answer. Is it running there?`
      throw new ClientError("transport", message, { cause })
    }
  }
  const sendOnce = (route: RouteName, call: ChannelCall) =>
    send(route, call, AbortSignal.any([closing, AbortSignal.timeout(channelLimits.callMs)]))
  return {
    call: async (route, call = {}) => readAnswer(await sendOnce(route, call)),
    image: async (route, call) => readImage(await sendOnce(route, call)),
    stream: async function* (route, call, signal) {
      const silence = new AbortController()
      const watch = setTimeout(() => silence.abort(), channelLimits.silenceMs).unref()
      try {
        const ends = AbortSignal.any([closing, signal, silence.signal])
        const response = await send(route, call, ends)
        if (!response.ok) throw await readFailure(response)
        if (response.body === null) throw new ClientError("malformed-response", "The stream has no body.")
        const parser = makeSseParser()
        for await (const bytes of readBody(response.body, ends)) {
          watch.refresh()
          yield* parser.push(bytes)
        }
      } finally {
        clearTimeout(watch)
      }
    },
  }
}

async function* readBody(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  let ended = false
  // A body that knows nothing of the signal is let go all the same.
  const leave = () => void reader.cancel().catch(() => {})
  signal.addEventListener("abort", leave)
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        ended = true
        throw new ClientError("transport", "The stream broke off.", { cause })
      })
      if (done) {
        ended = true
        if (signal.aborted) throw new ClientError("transport", "The stream was silent, or was left.")
        return
      }
      yield value
    }
  } finally {
    signal.removeEventListener("abort", leave)
    // Whoever leaves early lets go of the connection.
    if (!ended) await reader.cancel().catch(() => {})
  }
}

function addressOf(base: string, route: RouteName, { path = {}, query = {} }: ChannelCall): string {
  const [, pattern] = routes[route]
  // A dot alone would be taken for a step in the path, whatever its spelling.
  const filled = pattern.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(path[name] ?? ""))
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  return `${base.replace(/\/+$/, "")}${filled}${search.size === 0 ? "" : `?${search.toString()}`}`
}
