/**
 * Cache oracle: what the provider's prompt cache would read and write for each request.
 *
 * A prompt is a chain of blocks in the order tools, system, messages; each position has the hash
 * of everything up to it (documented). The rules:
 *   - an entry is written only at a marked block, and only if its prefix is long enough;
 *   - a read ends at an entry and is found by looking back from each marker, a bounded distance;
 *   - a life counts from the start of the request that wrote or last read the entry;
 *   - an entry is visible once the answer to its request has begun (documented).
 * What invalidates what follows from where a value enters the chain: the model seeds it, tools
 * come first, the system next, and tool choice, thinking, effort and the presence of images enter
 * with the first message block (documented; effort pessimistic).
 */
import { createHash } from "node:crypto"
import { facts } from "./facts.ts"
import { blocksOf, cacheControlOf, systemBlocks } from "./request-body.ts"
import type { ContentBlock, MessagesBody } from "./request-body.ts"
import { tokensOfText, tokensPerImage } from "../tokens.ts"

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

export interface CacheOracle {
  /** Pure look: what this request would read and write now. */
  measure(body: MessagesBody, nowMs: number, tokensMin: number): CacheMeasure
  /** Makes the writes and refreshes of a measured request real; a repeat changes nothing. */
  commit(measure: CacheMeasure, nowMs: number, visibleAtMs: number): void
}

type Ttl = "5m" | "1h"

const ttlMs: Record<Ttl, number> = facts.cacheLifeMs.value
const lookbackBlocks = facts.lookbackBlocks.value

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

export function createCacheOracle(): CacheOracle {
  const entries = new Map<string, Entry>()
  const isLive = (entry: Entry | undefined, nowMs: number): entry is Entry =>
    entry !== undefined && nowMs < entry.startMs + ttlMs[entry.ttl]
  const isReadable = (hash: string, nowMs: number) => {
    const entry = entries.get(hash)
    return isLive(entry, nowMs) && nowMs >= entry.visibleAtMs
  }

  return {
    measure(body, nowMs, tokensMin) {
      const chain = chainOf(body)
      const marked = chain.flatMap((position, index) =>
        position.ttl !== undefined && position.tokens >= tokensMin ? [index] : [],
      )
      const hit = longestHit(chain, marked, (hash) => isReadable(hash, nowMs))
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

function longestHit(
  chain: readonly Position[],
  marked: readonly number[],
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

function chainOf(body: MessagesBody): readonly Position[] {
  const chain: Position[] = []
  let hash = digest("", body.model)
  let tokens = 0
  const push = (text: string, size: number, block: object) => {
    hash = digest(hash, text)
    tokens += size
    const marker = cacheControlOf(block)
    chain.push({ hash, tokens, ttl: marker === undefined ? undefined : (marker.ttl ?? "5m") })
  }
  for (const tool of body.tools ?? []) {
    const text = canonical("tool", tool)
    push(text, tokensOfText(text), tool)
  }
  for (const block of systemBlocks(body)) {
    const text = canonical("system", block)
    push(text, tokensOfText(text), block)
  }
  hash = digest(hash, messageParams(body))
  for (const message of body.messages) {
    for (const block of blocksOf(message.content)) {
      push(canonical(message.role, block), tokensOfBlock(message.role, block), innerMarker(block) ?? block)
    }
  }
  return markLast(chain, body)
}

/** documented: a marker on the request stands for one on its last block that can bear it. */
function markLast(chain: readonly Position[], body: MessagesBody): readonly Position[] {
  const marker = cacheControlOf(body)
  if (marker === undefined) return chain
  const blocks = body.messages.flatMap((message) => blocksOf(message.content))
  const bearer = blocks.findLastIndex((block) => !block.type.endsWith("thinking"))
  const index = chain.length - blocks.length + bearer
  return chain.map((position, place) =>
    place === index ? { ...position, ttl: position.ttl ?? marker.ttl ?? "5m" } : position,
  )
}

function messageParams(body: MessagesBody): string {
  const thinking = body.thinking === undefined || body.thinking.type === "disabled" ? null : body.thinking
  return JSON.stringify([
    body.tool_choice ?? { type: "auto" },
    thinking,
    body.output_config ?? null,
    body.messages.some((message) => blocksOf(message.content).some(holdsImage)),
  ])
}

/**
 * The rendered block: fields in a fixed order and without markers, but values as they were sent.
 * documented: the key order inside an input or a schema is part of the prefix.
 */
function canonical(role: string, block: object): string {
  const fields = Object.entries(block)
    .filter(([key, value]) => key !== "cache_control" && value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => [key, key === "content" && Array.isArray(value) ? value.map(unmarked) : value])
  return `${role} ${JSON.stringify(Object.fromEntries(fields))}`
}

function unmarked(part: object): object {
  const { cache_control: _, ...rest } = part as { cache_control?: unknown }
  return rest
}

/** assumed: a marker inside a result counts as one on the result. */
function innerMarker(block: ContentBlock): object | undefined {
  if (block.type !== "tool_result" || !Array.isArray(block.content)) return undefined
  if (cacheControlOf(block) !== undefined) return undefined
  return block.content.findLast((part) => cacheControlOf(part) !== undefined)
}

function tokensOfBlock(role: string, block: ContentBlock): number {
  if (block.type === "image") return tokensPerImage
  if (block.type !== "tool_result" || !Array.isArray(block.content)) {
    return tokensOfText(canonical(role, block))
  }
  const texts = block.content.filter((part) => part.type === "text")
  const images = block.content.length - texts.length
  return tokensOfText(canonical(role, { ...block, content: texts })) + images * tokensPerImage
}

function holdsImage(block: ContentBlock): boolean {
  if (block.type === "image") return true
  return (
    block.type === "tool_result" &&
    Array.isArray(block.content) &&
    block.content.some((part) => part.type === "image")
  )
}

function digest(previous: string, text: string): string {
  return createHash("sha256").update(previous).update("\0").update(text).digest("base64")
}
