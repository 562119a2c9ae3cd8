/**
 * Figures of a replay: what the requests would have cost in units of one token at list price, beside
 * what was recorded. Pure; the final record has exactly the fields that `holdfast replay --json` promises.
 */
import type { ReplayedRequest } from "@holdfast/sdk/replay"
import { type Counted, countedTokens } from "./oracle.ts"

export interface ReplayRecord {
  readonly type: "replay"
  readonly requests: number
  /** All that was sent, from a cache or not. */
  readonly inputTokens: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly readShare: number
  /** Of requests that follow the one before within five minutes. */
  readonly readShareWarm: number
  readonly costUnits: number
  readonly recordedCostUnits: number
  /** What a token of input costs, in parts of its list price. */
  readonly price: number
  readonly breaks: number
  /** Breaks without a reason: each would be a defect of ours. */
  readonly unexplained: number
  readonly illegal: number
  readonly largest: number
  readonly averageRequest: number
  readonly recordedAverage: number
}

/** A prefix that was not repeated. */
export interface ReplayBreak {
  readonly type: "break"
  readonly session: string
  readonly request: number
  readonly at: number
  readonly reason: string
  readonly segment: string
  /** Tokens that had to be read anew or written because of it. */
  readonly tokens: number
}

/** What tokens cost in parts of what plain input costs. */
interface Multipliers {
  readonly read: number
  readonly write5m: number
  readonly write1h: number
}

/** By the prices of the model; where none is known, as its kind of cache is charged for everywhere. */
function multipliersOf({ price, cacheWriteByTtl, cache }: ReplayedRequest["facts"]): Multipliers {
  if (price !== null && price.input > 0) {
    const write5m = (cacheWriteByTtl?.["5m"] ?? price.cacheWrite) / price.input
    const write1h = (cacheWriteByTtl?.["1h"] ?? price.cacheWrite) / price.input
    return { read: price.cacheRead / price.input, write5m, write1h }
  }
  return assumed[cache]
}

/** documented: a tenth for what is read; what is written costs a quarter more, for an hour double, where it is asked for. */
const assumed: Readonly<Record<ReplayedRequest["facts"]["cache"], Multipliers>> = {
  markers: { read: 0.1, write5m: 1.25, write1h: 2 },
  breakpoints: { read: 0.1, write5m: 1.25, write1h: 1.25 },
  automatic: { read: 0.1, write5m: 1, write1h: 1 },
  unknown: { read: 1, write5m: 1, write1h: 1 },
}

const unitsOf = (counted: Counted, { read, write5m, write1h }: Multipliers): number =>
  counted.input + counted.cacheRead * read + counted.cacheWrite5m * write5m + counted.cacheWrite1h * write1h

const warmMs = 5 * 60_000
const unexplained = "unexplained"

/** Takes requests in their order, Session by Session. */
export class ReplayFigures {
  readonly breaks: ReplayBreak[] = []
  /** Requests that could not be made to fit. */
  oversized = 0
  #requests = 0
  #counted: Counted = none
  #warm: Counted = none
  #units = 0
  #recorded: Counted = none
  #recordedRequests = 0
  #recordedUnits = 0
  #illegal = 0
  #largest = 0
  #last: { readonly session: string; readonly atMs: number } | null = null

  add(session: string, request: ReplayedRequest, counted: Counted, recorded: Counted | null): void {
    const multipliers = multipliersOf(request.facts)
    const last = this.#last?.session === session ? this.#last : null
    this.#requests += 1
    this.#counted = plus(this.#counted, counted)
    if (last !== null && request.atMs - last.atMs <= warmMs) this.#warm = plus(this.#warm, counted)
    this.#last = { session, atMs: request.atMs }
    this.#units += unitsOf(counted, multipliers)
    this.#illegal += request.faults.length
    this.#largest = Math.max(this.#largest, countedTokens(counted))
    if (request.pass === "stuck") this.oversized += 1
    if (recorded !== null) {
      this.#recorded = plus(this.#recorded, recorded)
      this.#recordedRequests += 1
      this.#recordedUnits += unitsOf(recorded, multipliers)
    }
    if (request.break !== null) this.#break(session, request, counted, request.break)
  }

  get record(): ReplayRecord {
    const inputTokens = countedTokens(this.#counted)
    const { cacheRead, cacheWrite5m, cacheWrite1h } = this.#counted
    return {
      type: "replay",
      requests: this.#requests,
      inputTokens,
      cacheRead,
      cacheWrite: cacheWrite5m + cacheWrite1h,
      readShare: share(cacheRead, inputTokens),
      readShareWarm: share(this.#warm.cacheRead, countedTokens(this.#warm)),
      costUnits: Math.round(this.#units),
      recordedCostUnits: Math.round(this.#recordedUnits),
      price: share(this.#units, inputTokens),
      breaks: this.breaks.length,
      unexplained: this.breaks.filter(({ reason }) => reason === unexplained).length,
      illegal: this.#illegal,
      largest: this.#largest,
      averageRequest: mean(inputTokens, this.#requests),
      recordedAverage: mean(countedTokens(this.#recorded), this.#recordedRequests),
    }
  }

  #break(
    session: string,
    { atMs }: ReplayedRequest,
    counted: Counted,
    { reason, segment }: NonNullable<ReplayedRequest["break"]>,
  ): void {
    const tokens = countedTokens(counted) - counted.cacheRead
    const request = this.#requests
    this.breaks.push({ type: "break", session, request, at: atMs, reason, segment, tokens })
  }
}

const none: Counted = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 }

const plus = (a: Counted, b: Counted): Counted => ({
  input: a.input + b.input,
  cacheRead: a.cacheRead + b.cacheRead,
  cacheWrite5m: a.cacheWrite5m + b.cacheWrite5m,
  cacheWrite1h: a.cacheWrite1h + b.cacheWrite1h,
})

/** To four places; a share of nothing is 0. */
const share = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 10_000

const mean = (sum: number, count: number): number => (count === 0 ? 0 : Math.round(sum / count))
