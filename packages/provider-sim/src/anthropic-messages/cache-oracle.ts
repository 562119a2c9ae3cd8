/**
 * Cache oracle: what the provider's prompt cache would read and write for each request.
 *
 * A prompt is a chain of blocks in the order tools, system, messages (documented); how markers on
 * it are written and read is the marker cache's. What invalidates what follows from where a value
 * enters the chain: the model seeds it, tools come first; web search, citations and speed stand
 * between them and the system; tool choice, thinking, effort and the presence of images enter with
 * the first message block (documented; effort pessimistic).
 */
import { wordOf } from "../json.ts"
import { createMarkerCache } from "./marker-cache.ts"
import type { CacheMeasure, MarkerBlock, MarkerBounds } from "./marker-cache.ts"
import { tokensOfText } from "../tokens.ts"
import { spellImages } from "./images.ts"
import { blocksOf, cacheControlOf, systemBlocks } from "./request-body.ts"
import type { ContentBlock, MessagesBody } from "./request-body.ts"

export interface CacheOracle {
  /** Pure look: what this request would read and write now. */
  measure(body: MessagesBody, nowMs: number, tokensMin: number, bounds?: MarkerBounds): CacheMeasure
  /** Makes the writes and refreshes of a measured request real; a repeat changes nothing. */
  commit(measure: CacheMeasure, nowMs: number, visibleAtMs: number): void
}

export function createCacheOracle(): CacheOracle {
  const cache = createMarkerCache()
  return {
    measure: (body, nowMs, tokensMin, bounds = {}) =>
      cache.measure({
        ...bounds,
        blocks: promptBlocks(spellImages(body)),
        seed: body.model,
        nowMs,
        tokensMin,
      }),
    commit: (measure, nowMs, visibleAtMs) => cache.commit(measure, nowMs, visibleAtMs),
  }
}

function promptBlocks(body: MessagesBody): readonly MarkerBlock[] {
  const blocks: MarkerBlock[] = []
  const push = (text: string, tokens: number, bearer: object) => {
    const marker = cacheControlOf(bearer)
    blocks.push(marker === undefined ? { text, tokens } : { text, tokens, ttl: marker.ttl ?? "5m" })
  }
  const tools = body.tools ?? []
  for (const tool of [...tools.filter((one) => !isWebSearch(one)), ...tools.filter(isWebSearch)]) {
    const text = canonical("tool", tool)
    push(text, tokensOfText(text), tool)
  }
  let params = switches(body)
  for (const block of systemBlocks(body)) {
    const text = canonical("system", block)
    push(params + text, tokensOfText(text), block)
    params = ""
  }
  params += `${messageParams(body)}\0`
  for (const message of body.messages) {
    for (const block of blocksOf(message.content)) {
      const text = canonical(message.role, block)
      push(params + text, tokensOfText(text), innerMarker(block) ?? block)
      params = ""
    }
  }
  return markLast(blocks, body)
}

/** documented: a marker on the request stands for one on its last block that can bear it. */
function markLast(chain: readonly MarkerBlock[], body: MessagesBody): readonly MarkerBlock[] {
  const marker = cacheControlOf(body)
  if (marker === undefined) return chain
  const blocks = body.messages.flatMap((message) => blocksOf(message.content))
  const bearer = blocks.findLastIndex((block) => !block.type.endsWith("thinking"))
  const index = chain.length - blocks.length + bearer
  return chain.map((block, place) =>
    place === index ? { ...block, ttl: block.ttl ?? marker.ttl ?? "5m" } : block,
  )
}

/** documented: switched on or off, it loses the system and what follows; other tools stay. */
function isWebSearch(tool: object): boolean {
  return wordOf((tool as { type?: unknown }).type).startsWith("web_search_")
}

/** What enters the chain behind the tools; nothing where everything is as usual. */
function switches(body: MessagesBody): string {
  const isCited = body.messages.some((message) => blocksOf(message.content).some(asksForCitations))
  const isFast = (body.speed ?? "standard") !== "standard"
  return isCited || isFast ? `${JSON.stringify([isCited, isFast])}\0` : ""
}

function asksForCitations(block: object): boolean {
  return (block as { citations?: { enabled?: unknown } }).citations?.enabled === true
}

function messageParams(body: MessagesBody): string {
  const thinking = body.thinking === undefined || body.thinking.type === "disabled" ? null : body.thinking
  return JSON.stringify([body.tool_choice ?? { type: "auto" }, thinking, body.output_config ?? null])
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
