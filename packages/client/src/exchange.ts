/** One request and its answer, as far as the client reads it: by `fetch`, or by a host in this process. */

export interface Asked {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly signal: AbortSignal | undefined
}

/** It is read in one of its forms, once. */
export interface Answer {
  readonly status: number
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: () => Promise<string>
  readonly bytes: () => Promise<Uint8Array>
  /** Null where there is no body. */
  readonly chunks: () => ReadableStream<Uint8Array> | null
  /** Of a stream that comes from this process: its items, without the bytes in between. */
  readonly items?: () => AsyncIterable<unknown>
}

export type Exchange = (address: URL, asked: Asked) => Promise<Answer>

export const fetchExchange =
  (fetch: typeof globalThis.fetch): Exchange =>
  async (address, { method, headers, body, signal }) => {
    const response = await fetch(address, {
      method,
      headers,
      ...(body !== null && { body }),
      ...(signal && { signal }),
    })
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      text: () => response.text(),
      bytes: async () => new Uint8Array(await response.arrayBuffer()),
      chunks: () => response.body,
    }
  }
