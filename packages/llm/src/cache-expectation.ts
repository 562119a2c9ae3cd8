/**
 * What a request should read from the provider's cache, estimated before it is sent (TU7).
 *
 * A cache is read only at a position where an earlier request wrote a marker, within a bounded
 * look-back from a marker of the new request, and only as far as both requests are the same. Where
 * neither request has a marker, the provider caches by itself and the whole common prefix counts.
 * Some providers take markers and mark the newest message by themselves as well: these look back
 * over any number of blocks, and bound the number of markers that they try instead.
 */
import type { RequestRecord } from "@holdfast/schema/turn"
import type { Block } from "./wire.ts"

export interface CacheQuestion {
  /** Null for the first request of a Session, or when the cache of the previous one has lapsed. */
  readonly previous: Pick<RequestRecord, "markers"> | null
  /** Blocks, counted from the start, that both requests share. */
  readonly commonBlocks: number
  readonly blocks: readonly Block[]
  readonly markers: RequestRecord["markers"]
  /** The last block of the previous request, where the provider marks it by itself. */
  readonly newestMarked?: number
  /** Whether settings that are part of the cache's key are unchanged (model, thinking). */
  readonly sameSettings: boolean
  /** A shorter prefix is not cached at all. */
  readonly tokensMin: number
}

/** documented: how far the provider looks back from a marker. */
const lookBackBlocks = 20
/** documented: how many markers of a conversation it tries where it marks by itself, the latest first. */
const candidatesMax = 80
/** recorded: what is cached without markers is counted in pieces of this size. */
const automaticTokensStep = 128

export function expectedCacheRead(question: CacheQuestion): number {
  const { previous, commonBlocks, blocks, newestMarked, sameSettings, tokensMin } = question
  if (previous === null || !sameSettings) return 0
  const markers = question.markers.map(({ block }) => block)
  const written = previous.markers.map(({ block }) => block)
  const marksNewest = newestMarked !== undefined
  if (!marksNewest && written.length === 0 && markers.length === 0) return automaticRead(question)
  const tried = marksNewest
    ? latestMarkers([...written, newestMarked], [...markers, blocks.length - 1])
    : written.filter((position) => isNear(position, markers))
  const readable = tried.filter((position) => position < commonBlocks)
  if (readable.length === 0) return 0
  const end = Math.max(...readable)
  let tokens = 0
  for (let i = 0; i <= end; i++) tokens += blocks[i]?.tokens ?? 0
  return tokens >= tokensMin ? tokens : 0
}

const isNear = (position: number, markers: readonly number[]): boolean =>
  markers.some((marker) => marker >= position && marker - position < lookBackBlocks)

/** Positions that were written and that are among the latest markers of the conversation. */
function latestMarkers(written: readonly number[], asked: readonly number[]): readonly number[] {
  const known = [...new Set([...written, ...asked])].sort((a, b) => a - b)
  const oldest = known.at(-candidatesMax) ?? 0
  return written.filter((position) => position >= oldest)
}

function automaticRead({ blocks, commonBlocks, tokensMin }: CacheQuestion): number {
  const tokens = blocks.slice(0, commonBlocks).reduce((sum, block) => sum + block.tokens, 0)
  return tokens < tokensMin ? 0 : Math.floor(tokens / automaticTokensStep) * automaticTokensStep
}
