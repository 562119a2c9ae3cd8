/**
 * A node:http request in the shape of a web Request, as far as a router reads one.
 *
 * Building a real Request for each call costs about as much as routing it. This one makes its
 * headers, its signal and its body only when they are asked for; whoever wants more than the body
 * stream gets a real Request, made then.
 */
import type { IncomingMessage } from "node:http"
import { Readable } from "node:stream"

/** No caller can ask for this name: without a Host header the front door finds it and refuses. */
const unnamedHost = "http://host.invalid"

export class NodeRequest {
  readonly method: string
  readonly url: string
  readonly #incoming: IncomingMessage
  readonly #abort = new AbortController()
  #headers: Headers | undefined
  #body: ReadableStream<Uint8Array> | null | undefined
  #real: Request | undefined

  constructor(incoming: IncomingMessage) {
    this.#incoming = incoming
    this.method = incoming.method ?? "GET"
    const target = incoming.url ?? "/"
    // The target may be a whole URL or `*`; both become paths that no route has.
    this.url = unnamedHost + (target.startsWith("/") ? target : `/${target}`)
  }

  /** The request as what the router takes it for. */
  asRequest(): Request {
    return this as unknown as Request
  }

  /** The caller is gone. */
  abort(): void {
    this.#abort.abort()
  }

  get headers(): Headers {
    if (this.#headers === undefined) {
      this.#headers = new Headers()
      const raw = this.#incoming.rawHeaders
      for (let i = 0; i + 1 < raw.length; i += 2) this.#headers.append(raw[i] ?? "", raw[i + 1] ?? "")
    }
    return this.#headers
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  get body(): ReadableStream<Uint8Array> | null {
    if (this.#body === undefined) {
      const empty = this.method === "GET" || this.method === "HEAD"
      this.#body = empty ? null : (Readable.toWeb(this.#incoming) as ReadableStream<Uint8Array>)
    }
    return this.#body
  }

  get bodyUsed(): boolean {
    return this.#incoming.readableDidRead
  }

  text(): Promise<string> {
    return this.#full.text()
  }

  json(): Promise<unknown> {
    return this.#full.json()
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return this.#full.arrayBuffer()
  }

  clone(): Request {
    return this.#full.clone()
  }

  get #full(): Request {
    const { method, headers, signal, body } = this
    this.#real ??= new Request(this.url, {
      method,
      headers,
      signal,
      ...(body !== null && { body, duplex: "half" }),
    } as RequestInit)
    return this.#real
  }
}
