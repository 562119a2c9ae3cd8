/**
 * Rhythm: how the requests of a Session follow each other, and what of them a provider's cache may
 * still have. From it follows how long the next cached prefix is to live, and what a request will cost.
 *
 * Only counts and the newest moments are kept, so that it stays small in the row of the Session. What
 * turns say and what keep-warm requests say is folded apart: the two are written by different hands and
 * may be folded in any order. Nothing here needs effect.
 */
import type { FactOf } from "../event.ts"

export interface Rhythm {
  /** When the newest request of a turn was sent; 0 before the first. */
  readonly askedAt: number
  /** Requests that another one followed, and of these the ones that came after five minutes and within an hour. */
  readonly calls: number
  readonly idles: number
  /** The newest end of a request that was written for an hour and is still a part of the prefix. */
  readonly anchor: Anchor | null
  /** The newest request came so late that only an anchor can have held its cache. */
  readonly tried: boolean
  /** How often such an anchor held, and how often it did not. */
  readonly held: number
  readonly lapsed: number
  /** The newest request that only kept the cache: when, and the how manieth since a turn. */
  readonly warmedAt: number
  readonly warmedInRow: number
  /** Dollars of all of them. */
  readonly warmedCost: number
}

export interface Anchor {
  readonly block: number
  /** Estimated, as requests are. */
  readonly tokens: number
  /** When it was written, or read by a turn. */
  readonly at: number
}

export const noRhythm: Rhythm = {
  askedAt: 0,
  calls: 0,
  idles: 0,
  anchor: null,
  tried: false,
  held: 0,
  lapsed: 0,
  warmedAt: 0,
  warmedInRow: 0,
  warmedCost: 0,
}

const shortMs = 5 * 60_000
const longMs = 60 * 60_000

/** Older requests count half from here on: habits change. */
const callsMax = 256

export function askedAgain(rhythm: Rhythm, fact: FactOf<"turn.started">, time: number): Rhythm {
  const { request, break: found } = fact
  const first = rhythm.askedAt === 0
  const gapMs = time - rhythm.askedAt
  const idle = gapMs >= shortMs && gapMs < longMs
  const counted = first ? {} : forgetting({ calls: rhythm.calls + 1, idles: rhythm.idles + (idle ? 1 : 0) })
  const { anchor } = rhythm
  const kept = anchor !== null && found !== null && found.block <= anchor.block ? null : anchor
  const tried = kept !== null && gapMs >= shortMs && time - kept.at < longMs
  const end = request.markers.at(-1)
  const next =
    end?.lifetime === "1h"
      ? { block: end.block, tokens: request.tokensEstimated, at: time }
      : tried
        ? { ...kept, at: time }
        : kept
  return { ...rhythm, ...counted, askedAt: time, anchor: next, tried }
}

const forgetting = ({ calls, idles }: Pick<Rhythm, "calls" | "idles">): Pick<Rhythm, "calls" | "idles"> =>
  calls < callsMax ? { calls, idles } : { calls: Math.round(calls / 2), idles: Math.round(idles / 2) }

/** An anchor that held has been read. */
export function answeredOnce(rhythm: Rhythm, fact: FactOf<"turn.settled">): Rhythm {
  const { anchor, tried } = rhythm
  const usage = fact.ledger.attempts.at(-1)?.usage
  if (!tried || anchor === null || usage === undefined) return rhythm
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite
  if (prompt === 0) return { ...rhythm, tried: false }
  const held = usage.cacheRead * 2 >= Math.min(anchor.tokens, prompt)
  const counted = held ? { held: rhythm.held + 1 } : { lapsed: rhythm.lapsed + 1 }
  return { ...rhythm, ...counted, tried: false }
}

export function warmedOnce(rhythm: Rhythm, { cost, inRow }: FactOf<"cache.warmed">, time: number): Rhythm {
  const newest = time >= rhythm.warmedAt ? { warmedAt: time, warmedInRow: inRow } : {}
  return { ...rhythm, ...newest, warmedCost: rhythm.warmedCost + (cost ?? 0) }
}
