/**
 * Whether somebody answers at an address. Any answer of HTTP counts: without a key a provider
 * refuses, and that shows that it is there. No key is sent.
 *
 * It asks with node:http as turns do: fetch refuses some ports whatever listens there.
 */
import { request as requestHttp } from "node:http"
import { request as requestHttps } from "node:https"
import type { Reach } from "./diagnosis.ts"

const reachMsMax = 3_000

export function reach(url: string, timeoutMs = reachMsMax): Promise<Reach> {
  const started = performance.now()
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(timeoutMs)
    const ask = url.startsWith("https:") ? requestHttps : requestHttp
    ask(url, { method: "HEAD", agent: false, signal }, (response) => {
      response.destroy()
      resolve({ kind: "answers", ms: Math.round(performance.now() - started) })
    })
      .on("error", (failure: NodeJS.ErrnoException) => {
        const late = `no answer within ${timeoutMs} ms`
        resolve({ kind: "silent", problem: signal.aborted ? late : problemOf(failure) })
      })
      .end()
  })
}

/** Several addresses of one name fail together, each with a cause of its own. */
function problemOf(failure: NodeJS.ErrnoException): string {
  const [first] = failure instanceof AggregateError ? (failure.errors as NodeJS.ErrnoException[]) : [failure]
  return meanings[first?.code ?? ""] ?? first?.message ?? failure.message
}

const meanings: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection is refused",
  ENOTFOUND: "the name is unknown",
  EAI_AGAIN: "the name cannot be looked up",
  EHOSTUNREACH: "there is no way to the host",
  ENETUNREACH: "there is no network",
  ECONNRESET: "the connection was cut",
}
