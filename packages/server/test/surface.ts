/** A handler on a test runtime, and a short way to call it without a socket. */
import {
  makeHandler,
  type Defect,
  type DirectHandler,
  type HandlerOptions,
  type HostedRuntime,
} from "../src/index.ts"
import { openTestRuntime, type TestRuntime, type TestRuntimeOptions } from "./runtime.ts"

export const token = "token-for-tests"

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // Tests read answers as a foreign client would: without types.
  readonly json: any
}

export interface Call {
  readonly method?: string
  readonly payload?: unknown
  /** Sent as it is, in place of `payload`. */
  readonly raw?: string | Uint8Array<ArrayBuffer>
  /** Null leaves a header out. */
  readonly headers?: Readonly<Record<string, string | null>>
  readonly signal?: AbortSignal
}

export interface Surface extends TestRuntime {
  readonly call: (path: string, call?: Call) => Promise<Answer>
  readonly get: (path: string) => Promise<Answer>
  readonly post: (path: string, payload?: unknown) => Promise<Answer>
  readonly answer: DirectHandler
  readonly handler: (request: Request) => Promise<Response>
  readonly endStreams: () => void
  readonly defects: readonly Defect[]
}

export interface SurfaceOptions extends TestRuntimeOptions {
  readonly handler?: Partial<HandlerOptions>
  /** Puts something else in the runtime's place. */
  readonly host?: (runtime: HostedRuntime) => HostedRuntime
}

export async function openSurface(options: SurfaceOptions = {}): Promise<Surface> {
  const opened = await openTestRuntime(options)
  const defects: Defect[] = []
  const { answer, handler, endStreams, dispose } = makeHandler(
    options.host?.(opened.runtime) ?? opened.runtime,
    {
      token,
      defaultDirectory: opened.directory,
      version: "1.2.3",
      onDefect: (defect) => defects.push(defect),
      ...options.handler,
    },
  )
  const call = async (path: string, request: Call = {}) =>
    readAnswer(await handler(buildRequest("http://localhost:4096", path, request)))
  return {
    ...opened,
    answer,
    handler,
    endStreams,
    defects,
    call,
    get: (path) => call(path),
    post: (path, payload) => call(path, { method: "POST", payload }),
    close: async () => {
      await dispose()
      await opened.close()
    },
  }
}

export function buildRequest(base: string, path: string, call: Call): Request {
  const body = call.raw ?? (call.payload === undefined ? undefined : JSON.stringify(call.payload))
  const given: Record<string, string | null> = {
    authorization: `Bearer ${token}`,
    "content-type": body === undefined ? null : "application/json",
    ...call.headers,
  }
  const headers = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== null)
  return new Request(base + path, {
    method: call.method ?? "GET",
    headers,
    ...(body !== undefined && { body }),
    ...(call.signal && { signal: call.signal }),
  })
}

export async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text()
  const isJson = text !== "" && response.headers.get("content-type")?.startsWith("application/json") === true
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : null }
}
