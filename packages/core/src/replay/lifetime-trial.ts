/**
 * Trial: the lifetimes that a policy would have given the requests of a recorded session, one after
 * another, and the requests by which it would have kept the cache in between.
 *
 *   5m, 1h      the same for every request; keep-warm requests as long as they are allowed
 *   auto        what the runtime chooses, from what has been
 *   foresight   what would have been best, by the time at which the next request came
 *
 * Pure but for the rhythm that it carries; who counts what is read and written is asked of the caller.
 */
import {
  allLiving,
  type CacheMultipliers,
  isWorthWarming,
  type Lifetime,
  lifetimeMs,
  type Lifetimes,
  warmMarginMs,
} from "@holdfast/llm/cache-lifetime"
import type { Block } from "@holdfast/llm/wire"
import { askedAgain, noRhythm, type Rhythm, warmedOnce } from "@holdfast/schema/state/rhythm"
import type { FactOf } from "@holdfast/schema/event"
import { usageNone } from "@holdfast/schema/model"
import type { Break, RequestRecord } from "@holdfast/schema/turn"
import { nextWarming, planLifetimes } from "../session/request/lifetimes.ts"

export type { CacheMultipliers }

export type LifetimePolicy = Lifetime | "auto" | "foresight"

export interface TriedRequest {
  readonly atMs: number
  readonly blocks: readonly Pick<Block, "tokens" | "segment">[]
  readonly markers: RequestRecord["markers"]
  readonly break: Break | null
  /** When the next one came; null for the last. */
  readonly nextMs: number | null
}

export interface TrialOptions {
  readonly policy: LifetimePolicy
  /** Keep-warm requests in a row; 0 for none. */
  readonly warmMax: number
  readonly multipliers: CacheMultipliers
}

export interface Tried {
  readonly lifetimes: Lifetimes
  /** When the same request is sent again to keep the cache, and for how long it is to live then. */
  readonly warmings: readonly { readonly atMs: number; readonly lifetimes: Lifetimes }[]
}

export class LifetimeTrial {
  readonly #options: TrialOptions
  #rhythm: Rhythm = noRhythm
  #last: RequestRecord | null = null

  constructor(options: TrialOptions) {
    this.#options = options
  }

  next(request: TriedRequest): Tried {
    const { policy, warmMax } = this.#options
    const tokens = tokensOf(request.blocks)
    const ahead = policy === "foresight" ? this.#foresee(request, tokens) : null
    const lifetimes =
      ahead?.lifetimes ?? (policy === "auto" ? this.#choose(request) : allLiving(policy as Lifetime))
    const markers = request.markers.map(({ block }) => ({
      block,
      lifetime: request.blocks[block]?.segment === "tail" ? lifetimes.tail : lifetimes.standing,
    }))
    const record = recordOf(markers, request.blocks.length, tokens)
    this.#rhythm = askedAgain(this.#rhythm, startedWith(record, request.break), request.atMs)
    this.#last = record
    const warmings = warmMax === 0 ? [] : this.#keep(request, tokens, ahead?.warmings ?? null)
    return { lifetimes, warmings }
  }

  #choose({ atMs, blocks, break: found }: TriedRequest): Lifetimes {
    const moment = { rhythm: this.#rhythm, last: this.#last, break: found, blocks, nowMs: atMs }
    return planLifetimes(moment, "auto", this.#options.multipliers)
  }

  /** The life, and how many keep-warm requests, that cost least until the next request. */
  #foresee({ atMs, nextMs }: TriedRequest, tokens: number): Foreseen {
    if (nextMs === null || nextMs - atMs < lifetimeMs["5m"]) return foreseen("5m", 0)
    const { warmMax, multipliers } = this.#options
    const { read, write5m, write1h } = multipliers
    const added = Math.max(0, tokens - (this.#last?.tokensEstimated ?? 0))
    const options = (["5m", "1h"] as const).flatMap((lifetime) => {
      const premium = lifetime === "1h" ? added * (write1h - write5m) : 0
      const warmings = Math.floor((nextMs - atMs) / (lifetimeMs[lifetime] - warmMarginMs))
      const held = nextMs - atMs < lifetimeMs[lifetime] ? 0 : warmings
      return held > warmMax ? [] : [{ cost: premium + held * tokens * read, lifetime, warmings: held }]
    })
    const given = { cost: tokens * (write5m - read), lifetime: "5m" as const, warmings: 0 }
    const best = options.reduce((a, b) => (b.cost < a.cost ? b : a), given)
    return foreseen(best.lifetime, best.warmings)
  }

  #keep({ atMs, nextMs }: TriedRequest, tokens: number, foreseenTimes: number | null) {
    const warmings: { readonly atMs: number; readonly lifetimes: Lifetimes }[] = []
    for (let inRow = 1; inRow <= (foreseenTimes ?? this.#options.warmMax); inRow++) {
      if (this.#last === null) break
      const due = nextWarming(this.#rhythm, this.#last)
      if (due === null || (nextMs !== null && due.atMs >= nextMs)) break
      const { multipliers, policy } = this.#options
      const idleMs = due.atMs - atMs
      const worth = isWorthWarming({
        idleMs,
        lifetime: due.lifetime,
        multipliers,
        writtenShare: due.tokensAgain / tokens,
      })
      if (policy === "auto" && !worth) break
      warmings.push({ atMs: due.atMs, lifetimes: allLiving(due.lifetime) })
      const fact = { type: "cache.warmed", model: unknownModel, inRow, usage: usageNone, cost: 0 } as const
      this.#rhythm = warmedOnce(this.#rhythm, fact, due.atMs)
    }
    return warmings
  }
}

interface Foreseen {
  readonly lifetimes: Lifetimes
  readonly warmings: number
}

const foreseen = (lifetime: Lifetime, warmings: number): Foreseen => ({
  lifetimes: allLiving(lifetime),
  warmings,
})

const unknownModel = { provider: "replayed", model: "replayed" }

const tokensOf = (blocks: TriedRequest["blocks"]): number =>
  blocks.reduce((sum, block) => sum + block.tokens, 0)

const recordOf = (markers: RequestRecord["markers"], blocks: number, tokens: number): RequestRecord => ({
  hash: "",
  prefixHash: "",
  encoder: "",
  blocks,
  bytes: 0,
  tokensEstimated: tokens,
  markers,
  params: "",
})

/** As much of the fact as the rhythm reads. */
const startedWith = (request: RequestRecord, found: Break | null) =>
  ({ request, break: found }) as FactOf<"turn.started">
