/**
 * The arithmetic bound of the read share: what a cache could have read at most in a window of this size.
 *
 * What is new in a request was never there to be read. Once the window is full something has to go, and
 * behind the place where it goes nothing can be read. So the same additions are put into a window that is
 * cut only when it is full, each time to what the cuts of this replay left of what was there, and what they
 * repeated can be read. More cuts than these, or prefixes that break otherwise, keep a replay below its bound.
 */
import type { RequestParts } from "./oracle.ts"

/** One request: what matters of it here. */
export interface BoundedRequest extends RequestParts {
  readonly tokens: number
  /** `cut` made room in the window; `other` shares nothing with the request before. */
  readonly begins: "hold" | "cut" | "other"
  /** Within five minutes of the one before: only these are counted. */
  readonly warm: boolean
}

/** Of one Session, in order: tokens that could have been read and all that would have been sent. */
export function readBound(requests: readonly BoundedRequest[]): {
  readonly read: number
  readonly sent: number
} {
  const cuts = requests.filter(({ begins, warm }) => begins === "cut" && warm)
  const full = Math.max(0, ...requests.map(({ tokens }) => tokens))
  const left = mean(cuts.map(({ tokens, addedTokens }) => tokens - addedTokens))
  const repeated = mean(cuts.map(({ repeatedTokens }) => repeatedTokens))
  let size = 0
  let [read, sent] = [0, 0]
  requests.forEach((one, at) => {
    const before = requests[at - 1]
    // What is cut while the cache is cold costs no read.
    const fresh = before === undefined || one.begins === "other" || (one.begins === "cut" && !one.warm)
    const added = one.begins === "hold" ? Math.max(0, one.tokens - (before?.tokens ?? 0)) : one.addedTokens
    const isFull = !fresh && size + added > full
    const readable = fresh ? 0 : isFull ? repeated : size
    size = fresh ? one.tokens : isFull ? left + added : size + added
    if (!one.warm) return
    read += Math.min(readable, size)
    sent += size
  })
  return { read, sent }
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
