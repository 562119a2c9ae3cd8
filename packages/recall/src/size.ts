/**
 * What a message weighs in a window: a sum of the counts that were stored with its records (TG6).
 *
 * No text is counted again. What a pass put in the place of something weighs a constant, and an answer that is told
 * in fewer words weighs what it did. The bytes of a request are sized where they are made (TU6).
 */
import {
  blockOverheadTokens,
  imageTokens,
  inputTokens,
  outcomeTokens,
  partTokens,
  textTokens,
} from "@holdfast/llm/size"
import type { SyntheticPart } from "@holdfast/schema/fact/fact"
import type { Media } from "@holdfast/schema/media"
import type { AssistantMessage, CallPart, IndexedPart, Message } from "@holdfast/schema/message"
import { emptyFrozen, type Frozen, unitKey } from "@holdfast/schema/state/frozen"
import { isBare, isLost } from "./entries.ts"
import { showsImages } from "./images.ts"

/** A line that stands for a message, an output or an image. */
const lineTokens = 10
/** What the input of a skeleton takes at most: a longer one is shortened. */
const skeletonTokensMax = 150

export function messageTokens(message: Message, frozen: Frozen): number {
  if (message.kind === "system") return blockOverheadTokens + (message.tokens ?? textTokens(message.text))
  if (message.kind === "assistant") return answerTokens(message, frozen)
  if (message.quarantined !== undefined || frozen.gone.has(message.id))
    return blockOverheadTokens + lineTokens
  const { images = [] } = message.kind === "user" ? message : {}
  const counted = message.tokens ?? inputTokens(message.text, images)
  return blockOverheadTokens + Math.max(0, counted - hiddenTokens(message, null, images, frozen))
}

/** As it would be sent without any reduction. */
export const rawTokens = (message: Message): number => messageTokens(message, emptyFrozen)

/** Of what the runtime puts beside an input or behind an output, counted when that is recorded. */
export const addedTokens = (added: readonly SyntheticPart[]): number =>
  added.reduce((sum, { text }) => sum + textTokens(text), 0)

function answerTokens(message: AssistantMessage, frozen: Frozen): number {
  const quarantined = message.quarantined !== undefined
  const bare = quarantined || isBare(message, frozen)
  return message.parts.reduce((sum, indexed) => {
    const { part } = indexed
    if (part.type === "call")
      return sum + (quarantined ? goneCallTokens : callTokens(message, indexed, part, frozen))
    if (quarantined || (part.type === "reasoning" && (part.native === null || bare))) return sum
    return sum + blockOverheadTokens + (indexed.tokens ?? partTokens(part))
  }, 0)
}

/**
 * An output is stored as 3.1 bytes to a token, and counts here as prose does, 3.5 bytes: the shares that a cut aims at
 * were measured so. Counted in full, cuts fall earlier, and of the facts that have left the tail a window of 60,000 tokens
 * holds 93.8 % instead of 96.0 % (`npm run eval -- window`, the extractive historian).
 */
const outputShare = 3.1 / 3.5
/** Of the call and of its result. */
const callFrameTokens = 3 * blockOverheadTokens
const goneCallTokens = callFrameTokens + lineTokens

function callTokens(message: AssistantMessage, indexed: IndexedPart, part: CallPart, frozen: Frozen): number {
  if (isLost(message, part, frozen)) return 0
  const asked = indexed.tokens ?? partTokens(part)
  if (frozen.skeletons.has(part.call)) return goneCallTokens + Math.min(asked, skeletonTokensMax)
  const { images = [] } = part.outcome ?? {}
  const counted = part.tokens ?? asked + (part.outcome === null ? 0 : outcomeTokens(part.outcome))
  const shown = Math.max(asked, counted - hiddenTokens(message, part.call, images, frozen))
  return callFrameTokens + asked + Math.ceil((shown - asked) * outputShare)
}

/** Of images that are named or dropped, less the lines that stand for them. */
function hiddenTokens(
  message: Message,
  call: CallPart["call"] | null,
  images: readonly Media[],
  frozen: Frozen,
): number {
  const shown = showsImages(message, frozen)
  return images.reduce((sum, media, at) => {
    const gone = !shown || frozen.gone.has(unitKey({ message: message.id, call, image: at + 1 }))
    return sum + (gone ? imageTokens(media) - lineTokens : 0)
  }, 0)
}
