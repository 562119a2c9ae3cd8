/**
 * The oracle of a replay: what a provider would have counted, read from its cache and written to it.
 *
 * Sizes are the recorded ones as far as they are known: what a request adds to the one before has the
 * size by which the recorded prompt grew; where that is not told, our estimate at the rate so far. Where
 * the first recorded request read something, somebody else had written the head: it is there then too.
 */
import { createMarkerCache, type MarkerBlock } from "@holdfast/provider-sim/anthropic-messages/marker-cache"
import { cacheRulesOf } from "@holdfast/provider-sim/openai/prompt"
import { type CacheRules, createPrefixOracle, type PromptPart } from "@holdfast/provider-sim/prefix-cache"
import { textReply } from "@holdfast/provider-sim/scripted"
import { bytesPerToken } from "@holdfast/provider-sim/tokens"
import type { ReplayedRequest } from "@holdfast/sdk/replay"

/** Tokens of a request by what is paid for them. */
export interface Counted {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite5m: number
  readonly cacheWrite1h: number
}

export const countedTokens = ({ input, cacheRead, cacheWrite5m, cacheWrite1h }: Counted): number =>
  input + cacheRead + cacheWrite5m + cacheWrite1h

/** A request with the sizes of its blocks, as they are counted. */
export interface SizedRequest {
  readonly request: ReplayedRequest
  readonly tokens: Tokens
  /** Somebody else had written the head right before. */
  readonly headIsThere: boolean
}

export interface Oracle {
  /** `recorded` is what was counted for the request then; null where that is not known. */
  readonly count: (request: ReplayedRequest, recorded: Counted | null) => Counted
  /** All that were counted so far, for whoever counts them again in another way. */
  readonly asked: readonly SizedRequest[]
  /** Of the newest request: what it repeats of the one before, and what was never said before. */
  readonly parts: () => RequestParts
}

export interface RequestParts {
  readonly repeatedTokens: number
  readonly addedTokens: number
}

export function createOracle(): Oracle {
  const sizes = new Sizes()
  const caches = createCaches()
  const asked: SizedRequest[] = []
  let parts: RequestParts = { repeatedTokens: 0, addedTokens: 0 }
  return {
    asked,
    parts: () => parts,
    count(request, recorded) {
      const added = request.blocks.filter(({ hash, segment }) => !isSlot(segment) && !sizes.knows(hash))
      const tokens = sizes.of(request, recorded)
      const sum = (blocks: ReplayedRequest["blocks"]) =>
        blocks.reduce((all, { hash }) => all + (tokens.get(hash) ?? 0), 0)
      parts = {
        repeatedTokens: sum(request.blocks.slice(0, request.break?.block ?? 0)),
        addedTokens: sum(added),
      }
      const headIsThere = asked.length === 0 && recorded !== null && recorded.cacheRead > 0
      const sized = { request, tokens, headIsThere }
      asked.push(sized)
      return caches.ask(sized)
    },
  }
}

const isSlot = (segment: string): boolean => segment.startsWith("history-")

/** The head alone, as another session sent it right before. */
function headOf(request: ReplayedRequest): ReplayedRequest {
  const blocks = request.blocks.filter(({ segment }) => segment === "tools" || segment === "system")
  const last = blocks.length - 1
  return {
    ...request,
    blocks,
    atMs: request.atMs - 1,
    markers: request.markers.filter(({ block }) => block <= last),
  }
}

export type Tokens = ReadonlyMap<string, number>

/** Sizes of blocks by their hashes. */
class Sizes {
  readonly #tokens = new Map<string, number>()
  #last: { readonly prompt: number; readonly model: string } | null = null
  #grown = 0
  #estimated = 0

  knows(hash: string): boolean {
    return this.#tokens.has(hash)
  }

  of({ blocks, model, break: found }: ReplayedRequest, recorded: Counted | null): Tokens {
    const added = blocks.filter(({ hash }) => !this.#tokens.has(hash))
    const estimated = added.reduce((sum, block) => sum + block.tokens, 0)
    const prompt = recorded === null ? 0 : countedTokens(recorded)
    const before = this.#last
    const grown =
      before !== null && before.model === model.model && found === null ? prompt - before.prompt : 0
    const isTold = grown > 0 && estimated > 0
    if (isTold) {
      this.#grown += grown
      this.#estimated += estimated
    }
    const rate = isTold ? grown / estimated : this.#estimated === 0 ? 1 : this.#grown / this.#estimated
    for (const { hash, tokens } of added) this.#tokens.set(hash, Math.round(tokens * rate))
    if (prompt > 0) this.#last = { prompt, model: model.model }
    return this.#tokens
  }
}

export function createCaches() {
  const markers = createMarkerCache()
  const prefixes = createPrefixOracle()
  const parts = new Map<string, PromptPart>()

  function marked(
    { blocks, markers: places, facts, atMs, ...request }: ReplayedRequest,
    tokens: Tokens,
  ): Counted {
    const lives = new Map(
      places.map(({ block, lifetime }) => [block, lifetime === "1h" ? "1h" : "5m"] as const),
    )
    const prompt = {
      blocks: blocks.map(({ hash }, at): MarkerBlock => {
        const ttl = lives.get(at)
        return { text: hash, tokens: tokens.get(hash) ?? 0, ...(ttl && { ttl }) }
      }),
      seed: seedOf(request),
      nowMs: atMs,
      tokensMin: facts.cacheTokensMin,
    }
    const measure = markers.measure(prompt)
    markers.commit(measure, atMs, atMs)
    const { read, write5m, write1h, input } = measure.usage
    return { input, cacheRead: read, cacheWrite5m: write5m, cacheWrite1h: write1h }
  }

  function partOf(hash: string, size: number, more: Omit<PromptPart, "text">): PromptPart {
    const key = `${hash} ${more.isMarked === true} ${more.endsMessage === true}`
    const known = parts.get(key)
    if (known !== undefined) return known
    const bytes = size * bytesPerToken
    const part = { text: hash.padEnd(bytes).slice(0, bytes), ...more }
    parts.set(key, part)
    return part
  }

  function prefixed(request: ReplayedRequest, tokens: Tokens, rules: CacheRules): Counted {
    const { blocks, facts, atMs } = request
    const places = new Set(request.markers.map(({ block }) => block))
    const prompt = {
      parts: blocks.map(({ hash, role }, at) =>
        partOf(hash, tokens.get(hash) ?? 0, {
          ...(places.has(at) ? { isMarked: true } : {}),
          ...(role !== null && blocks[at + 1]?.role !== role ? { endsMessage: true } : {}),
        }),
      ),
      seed: seedOf(request),
      rules,
      nowMs: atMs,
      tokensMin: facts.cacheTokensMin,
    }
    const measure = prefixes.measure(prompt)
    prefixes.commit(measure, atMs, atMs)
    return { input: measure.input, cacheRead: measure.read, cacheWrite5m: measure.write, cacheWrite1h: 0 }
  }

  return {
    ask({ request, tokens, headIsThere }: SizedRequest): Counted {
      const count = (one: ReplayedRequest) =>
        one.facts.cache === "markers" ? marked(one, tokens) : prefixed(one, tokens, rulesOf(one))
      if (headIsThere) count(headOf(request))
      return count(request)
    },
  }
}

/** Another model, or other settings, share nothing. */
const seedOf = ({ model, params }: Pick<ReplayedRequest, "model" | "params">): string =>
  JSON.stringify([model.provider, model.model, params])

function rulesOf({ facts, model }: ReplayedRequest): CacheRules {
  if (facts.cache === "unknown") return { kind: "none" }
  const thinking = facts.reasoning !== "none"
  return cacheRulesOf({}, model.model, {
    thinking,
    cacheBreakpoints: facts.cache === "breakpoints",
    reply: () => textReply(""),
  })
}
