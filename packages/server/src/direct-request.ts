/**
 * A request in the shape of a web Request, as far as the router reads one.
 *
 * Building a real Request costs about as much as routing it: it copies its headers, follows its signal
 * and streams its body. These hand over what they were given, from a socket or from this process.
 */
import { isUtf8 } from "node:buffer"
import type { IncomingMessage } from "node:http"
import type { Peer } from "@holdfast/core/tools/call-tree/peer"
import { InvalidRequest } from "@holdfast/schema/error"
import { bytesMaxOf, tooLarge } from "./body-limit.ts"

const notUtf8 = () =>
  new InvalidRequest({ part: "payload", message: "The payload is not UTF-8. Send JSON in UTF-8." })

export abstract class DirectRequest {
  abstract readonly method: string
  /** Path and query. */
  abstract readonly url: string
  /** By their names in lower case. */
  abstract readonly headers: Readonly<Record<string, string>>
  abstract readonly signal: AbortSignal | undefined
  /** Whoever wants it asks for all of it at once. */
  readonly body = null

  /** Fails where it is longer than it may be, or not UTF-8. */
  abstract arrayBuffer(): Promise<Uint8Array>

  /** The request as what the router takes it for. */
  asRequest(): Request {
    return this as unknown as Request
  }
}

/** Made in this process: it has the length that it says. */
export class HeldRequest extends DirectRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal | undefined
  readonly #body: Buffer

  constructor(
    address: URL,
    method: string,
    headers: Readonly<Record<string, string>>,
    body: string | null,
    signal: AbortSignal | undefined,
  ) {
    super()
    this.method = method
    this.url = address.pathname + address.search
    this.#body = Buffer.from(body ?? "")
    const length = body === null ? {} : { "content-length": String(this.#body.length) }
    this.headers = { host: address.host, ...headers, ...length }
    this.signal = signal
  }

  async arrayBuffer(): Promise<Uint8Array> {
    return this.#body
  }
}

/** Off a socket. Its bytes are counted as they come, whatever length it says. */
export class SocketRequest extends DirectRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly #incoming: IncomingMessage
  readonly #abort = new AbortController()

  constructor(incoming: IncomingMessage) {
    super()
    this.#incoming = incoming
    this.method = incoming.method ?? "GET"
    const target = incoming.url ?? "/"
    // The target may be a whole URL or `*`; both become paths that no route has.
    this.url = target.startsWith("/") ? target : `/${target}`
    this.headers = joined(incoming.rawHeaders)
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** Who is at the other end; null once it is closed. */
  get peer(): Peer | null {
    const { localPort, remotePort, remoteAddress } = this.#incoming.socket
    if (localPort === undefined || remotePort === undefined || remoteAddress === undefined) return null
    return { localPort, remotePort, remoteAddress }
  }

  /** The caller is gone. */
  abort(): void {
    this.#abort.abort()
  }

  async arrayBuffer(): Promise<Uint8Array> {
    const bytesMax = bytesMaxOf(this)
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of this.#incoming.iterator({ destroyOnReturn: false })) {
      bytes += (chunk as Buffer).length
      if (bytes > bytesMax) throw tooLarge(bytesMax)
      chunks.push(chunk as Buffer)
    }
    const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, bytes)
    // Reading on would put other characters in place of what was sent.
    if (!isUtf8(body)) throw notUtf8()
    return body
  }
}

/** What was sent twice stands there twice, so that none of the two is taken for the whole. */
function joined(raw: readonly string[]): Readonly<Record<string, string>> {
  const headers: Record<string, string> = Object.create(null)
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? "").toLowerCase()
    const before = headers[name]
    headers[name] = before === undefined ? (raw[i + 1] ?? "") : `${before}, ${raw[i + 1]}`
  }
  return headers
}
