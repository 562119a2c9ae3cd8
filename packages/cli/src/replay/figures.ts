/**
 * Figures of a replay: what the requests would have cost in units of one token at list price, beside
 * what was recorded. Pure; the final record has exactly the fields that `holdfast replay --json` promises.
 */
import type { ReplayedRequest } from "@holdfast/sdk/replay"
import { type BoundedRequest, readBound } from "./read-bound.ts"
import { addTrials, noTrials, type PolicyName, policyNames, type Trials } from "./lifetimes.ts"
import { type Counted, countedTokens, type RequestParts } from "./oracle.ts"
import { replayMultipliers, costUnits } from "./units.ts"

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
  /** What `readShareWarm` could be at most with requests as large on average, if each cut went to the same depth. */
  readonly readShareBound: number
  /** What a token of input cost then. */
  readonly recordedPrice: number
  /** What the same requests would have cost by other lifetimes of cached prefixes, in parts of the list price. */
  readonly lifetimes: LifetimeFigures
}

/** Each without requests that only keep the cache, and with at most six of them in a row. */
export type LifetimeFigures = Readonly<Record<PolicyName, LifetimePrice>> & {
  readonly keepWarm: Readonly<Record<PolicyName, LifetimePrice & { readonly sent: number }>>
}

export interface LifetimePrice {
  readonly costUnits: number
  readonly price: number
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
  #trials: Trials = noTrials
  readonly #bounded = new Map<string, BoundedRequest[]>()
  #illegal = 0
  #largest = 0
  #last: { readonly session: string; readonly atMs: number } | null = null

  add(
    session: string,
    request: ReplayedRequest,
    counted: Counted,
    recorded: Counted | null,
    parts: RequestParts,
  ): void {
    const multipliers = replayMultipliers(request.facts)
    const last = this.#last?.session === session ? this.#last : null
    this.#requests += 1
    this.#counted = plus(this.#counted, counted)
    const warm = last !== null && request.atMs - last.atMs <= warmMs
    if (warm) this.#warm = plus(this.#warm, counted)
    const bounded = this.#bounded.get(session) ?? []
    bounded.push(boundedOf(request, counted, warm, parts))
    this.#bounded.set(session, bounded)
    this.#last = { session, atMs: request.atMs }
    this.#units += costUnits(counted, multipliers)
    this.#illegal += request.faults.length
    this.#largest = Math.max(this.#largest, countedTokens(counted))
    if (request.pass === "stuck") this.oversized += 1
    if (recorded !== null) {
      this.#recorded = plus(this.#recorded, recorded)
      this.#recordedRequests += 1
      this.#recordedUnits += costUnits(recorded, multipliers)
    }
    if (request.break !== null) this.#break(session, request, counted, request.break)
  }

  /** The requests of one Session, counted again by other lifetimes. */
  tried(trials: Trials): void {
    this.#trials = addTrials(this.#trials, trials)
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
      readShareBound: this.#readShareBound(),
      recordedPrice: share(this.#recordedUnits, countedTokens(this.#recorded)),
      lifetimes: this.#lifetimes(inputTokens),
    }
  }

  #readShareBound(): number {
    const bounds = [...this.#bounded.values()].map(readBound)
    const sum = (of: "read" | "sent") => bounds.reduce((tokens, bound) => tokens + bound[of], 0)
    // What was reached can be reached: cuts of different depths may read more than those of one.
    const reached = share(this.#warm.cacheRead, countedTokens(this.#warm))
    return Math.max(reached, share(sum("read"), sum("sent")))
  }

  #lifetimes(inputTokens: number): LifetimeFigures {
    const priced = (units: number) => ({ costUnits: Math.round(units), price: share(units, inputTokens) })
    const each = <A>(of: (name: PolicyName) => A) =>
      Object.fromEntries(policyNames.map((name) => [name, of(name)])) as Record<PolicyName, A>
    return {
      ...each((name) => priced(this.#trials[name].units)),
      keepWarm: each((name) => {
        const { warmUnits, sent } = this.#trials[name]
        return { ...priced(warmUnits), sent }
      }),
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

const boundedOf = (
  { break: found }: ReplayedRequest,
  counted: Counted,
  warm: boolean,
  parts: RequestParts,
): BoundedRequest => ({
  ...parts,
  tokens: countedTokens(counted),
  begins: found === null ? "hold" : found.reason.startsWith("cut_") ? "cut" : "other",
  warm,
})

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
