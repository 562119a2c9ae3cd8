/**
 * The arithmetic bound of the read share: what a cache could have read at most in a window of this size.
 *
 * What is new in a request was never there to be read. Once the window is full something has to go, and
 * behind the place where it goes nothing can be read: only the head. So the same additions are put into
 * a window that is cut only when it is full, each time to the size that the cuts of this replay left. More
 * cuts than these, or prefixes that break otherwise, keep a replay below its bound.
 */

/** One request: what matters of it here. */
export interface BoundedRequest {
  readonly tokens: number
  /** Of tools and prompts. */
  readonly headTokens: number
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
  const cuts = requests.filter(({ begins }) => begins === "cut")
  const full = Math.max(0, ...requests.map(({ tokens }) => tokens))
  const left = cuts.reduce((sum, { tokens }) => sum + tokens, 0) / Math.max(1, cuts.length)
  const additions = requests.flatMap((one, at) => {
    const before = requests[at - 1]
    return before === undefined || one.begins !== "hold" ? [] : [Math.max(0, one.tokens - before.tokens)]
  })
  const usual = additions.reduce((sum, tokens) => sum + tokens, 0) / Math.max(1, additions.length)
  let size = 0
  let [read, sent] = [0, 0]
  requests.forEach((one, at) => {
    const before = requests[at - 1]
    const fresh = before === undefined || one.begins === "other"
    const added = one.begins === "hold" ? Math.max(0, one.tokens - (before?.tokens ?? 0)) : usual
    const isFull = !fresh && size + added > full
    const readable = fresh ? 0 : isFull ? Math.min(one.headTokens, left) : size
    size = fresh ? one.tokens : isFull ? left : size + added
    if (!one.warm) return
    read += Math.min(readable, size)
    sent += size
  })
  return { read, sent }
}
