/**
 * Marker cache: what a prompt cache with markers would read and write for each request.
 *
 * A prompt is a chain of blocks; each position has the hash of everything up to it (documented).
 * The rules:
 *   - an entry is written only at a marked block, and only if its prefix is long enough;
 *   - a read ends at an entry and is found by looking back from each marker, a bounded distance;
 *   - a life counts from the start of the request that wrote or last read the entry;
 *   - an entry is visible once the answer to its request has begun (documented).
 * What a block says and how large it is comes from the wire.
 */
import { createHash } from "node:crypto"
import { facts } from "./facts.ts"

export type Ttl = "5m" | "1h"

export interface MarkerBlock {
  /** What the block says; the same words at the same place are the same prefix. */
  readonly text: string
  readonly tokens: number
  /** A marker stands on this block, with the life it asks for. */
  readonly ttl?: Ttl
}

/** Where a family of models differs from Anthropic's own service. */
export interface MarkerBounds {
  /** Positions that are tried from a marker, the marked block being the first. */
  readonly lookbackBlocks?: number
  /** No entry is written for a longer prefix. */
  readonly tokensMax?: number
}

export interface MarkerPrompt extends MarkerBounds {
  readonly blocks: readonly MarkerBlock[]
  /** What differs here shares nothing. */
  readonly seed: string
  readonly nowMs: number
  readonly tokensMin: number
}

export interface CacheUsage {
  readonly read: number
  readonly write5m: number
  readonly write1h: number
  /** Tokens after the last marker, paid in full. */
  readonly input: number
}

/** A request measured against the cache, not yet part of it. */
export interface CacheMeasure {
  readonly usage: CacheUsage
  readonly tokens: number
  readonly touched: readonly { readonly hash: string; readonly ttl: Ttl }[]
}

export interface MarkerCache {
  /** Pure look: what this request would read and write now. */
  measure(prompt: MarkerPrompt): CacheMeasure
  /** Makes the writes and refreshes of a measured request real; a repeat changes nothing. */
  commit(measure: CacheMeasure, nowMs: number, visibleAtMs: number): void
}

const ttlMs: Record<Ttl, number> = facts.cacheLifeMs

const entriesMax = 100_000

interface Entry {
  readonly ttl: Ttl
  readonly startMs: number
  readonly visibleAtMs: number
}

interface Position {
  readonly hash: string
  readonly tokens: number
  readonly ttl: Ttl | undefined
}

export function createMarkerCache(): MarkerCache {
  const entries = new Map<string, Entry>()
  const isLive = (entry: Entry | undefined, nowMs: number): entry is Entry =>
    entry !== undefined && nowMs < entry.startMs + ttlMs[entry.ttl]
  const isReadable = (hash: string, nowMs: number) => {
    const entry = entries.get(hash)
    return isLive(entry, nowMs) && nowMs >= entry.visibleAtMs
  }

  return {
    measure(prompt) {
      const { nowMs, tokensMin, tokensMax = Infinity, lookbackBlocks = facts.lookbackBlocks } = prompt
      const chain = chainOf(prompt)
      const marked = chain.flatMap(({ ttl, tokens }, index) =>
        ttl !== undefined && tokens >= tokensMin && tokens <= tokensMax ? [index] : [],
      )
      const hit = longestHit(chain, marked, lookbackBlocks, (hash) => isReadable(hash, nowMs))
      const tokens = chain.at(-1)?.tokens ?? 0
      return { usage: priceOf(chain, marked, hit, tokens), tokens, touched: touchedBy(chain, marked, hit) }
    },

    commit(measure, nowMs, visibleAtMs) {
      for (const { hash, ttl } of measure.touched) {
        const known = entries.get(hash)
        // documented: a read refreshes for free. assumed: it never lengthens the life bought.
        const next = isLive(known, nowMs)
          ? { ...known, startMs: nowMs, visibleAtMs: Math.min(known.visibleAtMs, visibleAtMs) }
          : { ttl, startMs: nowMs, visibleAtMs }
        entries.delete(hash)
        entries.set(hash, next)
      }
      for (const [hash, entry] of entries) {
        if (entries.size <= entriesMax && isLive(entry, nowMs)) break
        entries.delete(hash)
      }
    },
  }
}

function chainOf({ blocks, seed }: MarkerPrompt): readonly Position[] {
  let hash = digest("", seed)
  let tokens = 0
  return blocks.map((block) => {
    hash = digest(hash, block.text)
    tokens += block.tokens
    return { hash, tokens, ttl: block.ttl }
  })
}

function longestHit(
  chain: readonly Position[],
  marked: readonly number[],
  lookbackBlocks: number,
  isReadable: (hash: string) => boolean,
): number | undefined {
  let best: number | undefined
  for (const marker of marked) {
    for (let index = marker; index >= 0 && marker - index < lookbackBlocks; index--) {
      const position = chain[index]
      if (position === undefined || !isReadable(position.hash)) continue
      if (best === undefined || index > best) best = index
      break
    }
  }
  return best
}

/** documented: from the longest hit to the last 1 h marker is a 1 h write, from there on a 5 min one. */
function priceOf(
  chain: readonly Position[],
  marked: readonly number[],
  hit: number | undefined,
  tokens: number,
): CacheUsage {
  const reach = (ttl: Ttl | undefined) =>
    Math.max(
      0,
      ...marked
        .map((index) => chain[index])
        .flatMap((position) =>
          position !== undefined && (ttl === undefined || position.ttl === ttl) ? [position.tokens] : [],
        ),
    )
  const read = hit === undefined ? 0 : (chain[hit]?.tokens ?? 0)
  const long = Math.max(read, reach("1h"))
  const last = Math.max(long, reach(undefined))
  return { read, write1h: long - read, write5m: last - long, input: tokens - last }
}

function touchedBy(chain: readonly Position[], marked: readonly number[], hit: number | undefined) {
  const indexes = hit === undefined || marked.includes(hit) ? marked : [...marked, hit]
  return indexes.flatMap((index) => {
    const position = chain[index]
    return position === undefined ? [] : [{ hash: position.hash, ttl: position.ttl ?? "5m" }]
  })
}

function digest(previous: string, text: string): string {
  return createHash("sha256").update(previous).update("\0").update(text).digest("base64")
}
