/**
 * The account of many sessions: totals, where the money went, each break with its cause and price (IM2).
 *
 * Pure: requests in, figures out. What was paid for input divides without a rest:
 *
 *   paid = sent before, at the read price + new and starts, at list + write premium + what the breaks cost more
 *
 * Requests whose price is not known are in all counts of tokens and in no sum of dollars; they are named.
 */
import type { UsageTokens } from "../record.ts"
import { type Cause, judgeRequest, lifeAfter } from "./breaks.ts"
import { type Account, type Collected, promptTokens, type Request } from "./collect.ts"
import { idealInput } from "./ideal.ts"
import { type Cost, Prices } from "./price.ts"

export interface Report {
  readonly sessions: readonly SessionReport[]
  readonly totals: Totals
  readonly places: Places
  /** Of all sessions, the dearest first; then those without a price, by tokens. */
  readonly breaks: readonly BreakReport[]
  /** Models without a price, by name. */
  readonly unpriced: ReadonlyMap<string, { readonly calls: number; readonly tokens: number }>
  readonly skips: ReadonlyMap<string, number>
}

export interface Totals extends UsageTokens {
  /** Sessions of their own; side chains are counted apart. */
  sessions: number
  sideChains: number
  calls: number
  input: number
  cacheRead: number
  cacheWrite5m: number
  cacheWrite1h: number
  output: number
  /** Dollars, of the requests that have a price: input as if no cache existed, as paid, and output. */
  listDollars: number
  inputDollars: number
  outputDollars: number
  /** Input, had the prefix only grown and lived long enough. */
  idealDollars: number
}

/** Dollars; together they are what was paid for input. */
export interface Places {
  sentBefore: number
  fresh: number
  starts: number
  premium: number
  /** By cause; idle gaps by their length. */
  readonly breaks: Map<string, Lost>
}

export interface Lost {
  readonly count: number
  readonly tokens: number
  /** Of those that have a price; null where none has. */
  readonly dollars: number | null
}

export interface BreakReport {
  readonly account: Account
  readonly at: number | null
  /** The number of the request in its session, from 1. */
  readonly request: number
  readonly cause: Cause
  readonly gapMs: number | null
  /** Sent again though the cache should have held them. */
  readonly tokens: number
  /** What that cost more than reading; null where the price is not known. */
  readonly dollars: number | null
}

export interface SessionReport {
  readonly account: Account
  readonly rows: readonly Row[]
}

/** One request and what is said of it. */
export interface Row {
  readonly request: Request
  readonly number: number
  readonly cost: Cost | null
  readonly cause: Cause | null
  readonly missed: number
  readonly gapMs: number | null
}

export interface Choice {
  /** The beginning of a session's id, or null for all; side chains come with it. */
  readonly session: string | null
  /** Milliseconds since 1970; requests before it, and those without a time, are left out. */
  readonly since: number | null
}

export function report({ accounts, skips }: Collected, choice: Choice): Report {
  const prices = new Prices()
  const sums = new Sums()
  const sessions: SessionReport[] = []
  for (const account of accounts) {
    if (!isChosen(account, choice.session)) continue
    // Also requests that are not asked for: a break is seen against the one before it.
    const rows = judged(account, prices).filter(({ request }) => isSince(request, choice.since))
    if (rows.length === 0 && choice.since !== null) continue
    sums.addSession(account, rows, prices)
    sessions.push({ account, rows })
  }
  const breaks = sums.breaks.toSorted((a, b) => (b.dollars ?? -1) - (a.dollars ?? -1) || b.tokens - a.tokens)
  return { sessions, totals: sums.totals, places: sums.places, breaks, unpriced: sums.unpriced, skips }
}

/** Where a break is counted: by its cause, an idle gap by how long it was. */
export function placeOf(cause: Cause, gapMs: number | null): string {
  if (cause !== "idle" || gapMs === null) return cause
  if (gapMs < 3_600_000) return "idle less than an hour"
  return gapMs < 86_400_000 ? "idle 1 to 24 hours" : "idle more than a day"
}

const isChosen = ({ id, childOf }: Account, session: string | null): boolean =>
  session === null || [id, childOf ?? ""].some((name) => begins(name, session))

/** With the kind before it, as `ses_`, or without. */
const begins = (name: string, beginning: string): boolean =>
  name.startsWith(beginning) || name.replace(/^[a-z]+_+/, "").startsWith(beginning)

const isSince = ({ at }: Request, since: number | null): boolean =>
  since === null || (at !== null && at >= since)

function judged(account: Account, prices: Prices): readonly Row[] {
  let life: string | null = null
  return account.requests.map((request, index) => {
    const facts = prices.factsOf(request.provider, request.model)
    const verdict = judgeRequest(request, facts, life ?? lifeAfter(request.previous ?? request, facts, null))
    life = lifeAfter(request, facts, life)
    const cost = prices.costOf(request.provider, request.model, request.tokens)
    return { request, number: index + 1, cost, ...verdict }
  })
}

class Sums {
  readonly totals: Totals = {
    sessions: 0,
    sideChains: 0,
    calls: 0,
    input: 0,
    cacheRead: 0,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    output: 0,
    listDollars: 0,
    inputDollars: 0,
    outputDollars: 0,
    idealDollars: 0,
  }
  readonly places: Places = { sentBefore: 0, fresh: 0, starts: 0, premium: 0, breaks: new Map() }
  readonly breaks: BreakReport[] = []
  readonly unpriced = new Map<string, { calls: number; tokens: number }>()

  addSession(account: Account, rows: readonly Row[], prices: Prices): void {
    if (account.childOf === null) this.totals.sessions++
    else this.totals.sideChains++
    for (const row of rows) this.#add(account, row)
    const priced = rows.filter(({ cost }) => cost !== null).map(({ request }) => request)
    this.totals.idealDollars += idealInput(priced, prices)
  }

  #add(account: Account, row: Row): void {
    const { request, number, cost, cause, missed, gapMs } = row
    const { tokens, at } = request
    this.totals.calls++
    for (const kind of ["input", "cacheRead", "cacheWrite5m", "cacheWrite1h", "output"] as const) {
      this.totals[kind] += tokens[kind]
    }
    if (cost === null) this.#addUnpriced(request)
    else this.#addCost(row, cost)
    if (cause === null) return
    const dollars = cost === null ? null : missed * (cost.freshRate - cost.readRate)
    this.breaks.push({ account, at, request: number, cause, gapMs, tokens: missed, dollars })
    const place = placeOf(cause, gapMs)
    const known = this.places.breaks.get(place) ?? { count: 0, tokens: 0, dollars: null }
    this.places.breaks.set(place, {
      count: known.count + 1,
      tokens: known.tokens + missed,
      dollars: dollars === null ? known.dollars : (known.dollars ?? 0) + dollars,
    })
  }

  #addCost({ request: { tokens, previous }, missed }: Row, cost: Cost): void {
    this.totals.listDollars += cost.list
    this.totals.inputDollars += cost.input
    this.totals.outputDollars += cost.output
    const added = promptTokens(tokens) - tokens.cacheRead - missed
    this.places.sentBefore += (tokens.cacheRead + missed) * cost.readRate
    this.places[previous === null ? "starts" : "fresh"] += added * cost.listRate
    this.places.premium += added * (cost.freshRate - cost.listRate)
  }

  #addUnpriced({ provider, model, tokens }: Request): void {
    const name = `${provider}/${model}`
    const known = this.unpriced.get(name) ?? { calls: 0, tokens: 0 }
    const { calls, tokens: before } = known
    this.unpriced.set(name, { calls: calls + 1, tokens: before + promptTokens(tokens) + tokens.output })
  }
}
