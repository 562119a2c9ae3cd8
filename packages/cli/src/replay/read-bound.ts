/**
 * The arithmetic bound of the read share: what a cache reads at most where every cut goes to one depth and requests
 * are as large on average.
 *
 * What is new in a request was never there to be read. Once the window is full something has to go, and
 * behind the place where it goes nothing can be read: only the head. So the same additions are put into a window
 * that is cut only when it is as full as the largest request of the replay, always to the same depth. Of all depths that
 * leave requests as large on average as those of the replay, the one that reads most is the bound. The deeper a cut,
 * the more is read, and the less the model sees: without the average the bound would be that of a window which is emptied.
 *
 * It is no bound of foresight: who knew what comes, and cut at other depths or whenever the cache is cold, could read more.
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

/** Tokens that could have been read, and all that would have been sent. */
export interface ReadBound {
  readonly read: number
  readonly sent: number
}

/** Depths that are tried, in shares of the full window. */
const depths = Array.from({ length: 95 }, (_, n) => (n + 1) / 100)

/** Of one Session, its requests in order. */
export function readBound(requests: readonly BoundedRequest[]): ReadBound {
  const warm = requests.filter((one) => one.warm)
  const cuts = warm.filter(({ begins }) => begins === "cut")
  const full = Math.max(0, ...requests.map(({ tokens }) => tokens))
  const head = mean(cuts.map(({ repeatedTokens }) => repeatedTokens))
  const asSent = mean(warm.map(({ tokens }) => tokens)) * warm.length
  const tried = depths.map((depth) => cutTo(requests, full, head, Math.max(head, depth * full)))
  const large = tried.filter(({ sent }) => sent >= asSent * (1 - averageSlack))
  const asReplayed = mean(cuts.map(({ tokens, addedTokens }) => tokens - addedTokens))
  const first = large[0] ?? cutTo(requests, full, head, asReplayed)
  return large.reduce((best, one) => (shareOf(one) > shareOf(best) ? one : best), first)
}

/** Depths are tried in steps, so that an average is met only about. */
const averageSlack = 0.001

const shareOf = ({ read, sent }: ReadBound): number => (sent === 0 ? 0 : read / sent)

function cutTo(requests: readonly BoundedRequest[], full: number, head: number, left: number): ReadBound {
  let size = 0
  let [read, sent] = [0, 0]
  requests.forEach((one, at) => {
    const before = requests[at - 1]
    // What breaks while the cache is cold costs no read.
    const fresh = before === undefined || (one.begins !== "hold" && !one.warm)
    const added = one.begins === "hold" ? Math.max(0, one.tokens - (before?.tokens ?? 0)) : one.addedTokens
    const isFull = !fresh && size + added > full
    const readable = fresh ? 0 : isFull ? head : size
    size = fresh ? one.tokens : isFull ? left + added : size + added
    if (!one.warm) return
    read += Math.min(readable, size)
    sent += size
  })
  return { read, sent }
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
