/**
 * A request that was made in this process, in the shape of a web Request as far as a router reads one.
 *
 * A real Request copies its headers, follows its signal and streams its body, which costs more than
 * all that the router does. This one hands over what it was given.
 */
export class MemoryRequest {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly signal: AbortSignal | undefined
  /** Whoever wants it asks for all of it at once. */
  readonly body = null
  readonly bodyUsed = false
  readonly #text: string

  constructor(address: URL, method: string, headers: Headers, text: string, signal: AbortSignal | undefined) {
    this.method = method
    this.url = address.href
    this.headers = headers
    this.signal = signal
    this.#text = text
    if (text !== "") headers.set("content-length", String(Buffer.byteLength(text)))
  }

  /** The request as what the router takes it for. */
  asRequest(): Request {
    return this as unknown as Request
  }

  async text(): Promise<string> {
    return this.#text
  }

  async json(): Promise<unknown> {
    return JSON.parse(this.#text)
  }

  async arrayBuffer(): Promise<Uint8Array> {
    return Buffer.from(this.#text)
  }
}

/** What `fetch` was called with as such a request, or as a real one where it is of another form. */
export function requestInMemory(address: string | URL | Request, init: RequestInit | undefined): Request {
  const { method = "GET", headers, body = "", signal } = init ?? {}
  if (!(address instanceof URL) || !(headers instanceof Headers) || typeof body !== "string")
    return new Request(address, init)
  return new MemoryRequest(address, method, headers, body, signal ?? undefined).asRequest()
}
