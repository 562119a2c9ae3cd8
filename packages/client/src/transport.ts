/**
 * What carries an operation: a network, or a host in this process. A client is made over one.
 */

/** An operation as its generated row says it. */
export interface Operation {
  readonly method: string
  /** Parameters stand in it as `:name`. */
  readonly path: string
  /** Where fields of the input go that are not in the path; absent where none are known. */
  readonly rest?: "query" | "payload"
  readonly answer: "empty" | "json" | "bytes" | "byte-stream" | "events"
}

export type Input = Readonly<Record<string, unknown>>

export interface CallOptions {
  readonly signal?: AbortSignal
  /** They win over those of the client. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Bytes, and the headers that speak of them. */
export interface Bytes {
  readonly bytes: Uint8Array
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
}

export interface Transport {
  readonly call: (operation: Operation, input: Input, options: CallOptions) => Promise<unknown>
  /** Lazy: nothing happens before the first item is asked for. */
  readonly stream: (operation: Operation, input: Input, options: CallOptions) => AsyncIterable<unknown>
}
