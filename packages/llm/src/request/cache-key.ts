/**
 * The key by which a provider without markers finds its cache again (LL5).
 *
 * Requests with the same key go to the same machine, about fifteen a minute before some are sent
 * elsewhere; a key for each conversation keeps them together. Until something leaves the window, the
 * prompts and the first thing said tell one conversation from another. From then on what they told is
 * kept with the history, so that tools and prompts are still found behind a fold.
 */
import { hash } from "node:crypto"
import type { Block } from "../wire.ts"
import type { Target } from "../segments.ts"

/** documented: at most 64 characters. */
const keyCharsMax = 64

/** Such a key follows from the request. */
export const derivedKey = /^holdfast-[0-9a-f]{32}$/

export function cacheKeyOf(target: Target, blocks: readonly Block[], conversation?: string): string {
  const chosen = target.options.model.cacheKey
  if (chosen !== undefined) return chosen.slice(0, keyCharsMax).toWellFormed()
  return `holdfast-${conversation ?? conversationOf(blocks)}`
}

/** What tells a conversation from others, of a request that begins with what was said first. */
export function conversationOf(blocks: readonly Block[]): string {
  const said = blocks.findIndex(({ segment }) => !heads.has(segment))
  const hashes = blocks.slice(0, said === -1 ? blocks.length : said + 1).map((block) => block.hash)
  return hash("sha256", hashes.join("\n")).slice(0, 32)
}

const heads: ReadonlySet<Block["segment"]> = new Set(["tools", "system", "agent"])
