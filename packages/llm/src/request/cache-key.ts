/**
 * The key by which a provider without markers finds its cache again (LL5).
 *
 * Requests with the same key go to the same machine, about fifteen a minute before some are sent
 * elsewhere; a key for each conversation keeps them together. Prompts and the first thing said stay
 * the same as long as an Epoch does, so the key needs nothing from outside the request.
 */
import { hash } from "node:crypto"
import type { Block } from "../wire.ts"
import type { Target } from "../segments.ts"

/** documented: at most 64 characters. */
const keyCharsMax = 64

/** Such a key follows from the request. */
export const derivedKey = /^holdfast-[0-9a-f]{32}$/

export function cacheKeyOf(target: Target, blocks: readonly Block[], historyFrom: number): string {
  const chosen = target.options.model.cacheKey
  if (chosen !== undefined) return chosen.slice(0, keyCharsMax).toWellFormed()
  const hashes = blocks.slice(0, historyFrom + 1).map((block) => block.hash)
  return `holdfast-${hash("sha256", hashes.join("\n")).slice(0, 32)}`
}
