/**
 * Images in the window: the newest are shown, older ones are named (LL7).
 *
 * Providers bound how many images and bytes a request may hold. Over that bound the older ones
 * become a line with their handle, many at once, so that the prefix breaks rarely. Where a history
 * was cut for its size, the prefix broke anyway, and the images before the newest input go with it.
 */
import { encodedBytes, handleOf, type Media } from "@holdfast/schema/media"
import type { Message } from "@holdfast/schema/message"
import { makeFinder } from "@holdfast/schema/state/found-messages"
import type { Frozen } from "@holdfast/schema/state/frozen"

/** What a request may show, below the bounds of every provider; and what is kept when it would be more. */
export const imagesShownMax = 20
export const imageBytesShownMax = 16 * 1_048_576
const shareKept = 0.5

/** What a message may show; nothing once it was taken out. */
export function imagesOf(message: Message): readonly Media[] {
  if (message.kind === "system" || message.quarantined !== undefined) return []
  if (message.kind === "user") return message.images ?? []
  if (message.kind === "notice") return []
  return message.parts.flatMap(({ part }) => (part.type === "call" ? (part.outcome?.images ?? []) : []))
}

/** Whether images of a message are shown at all: else each is named. */
export const showsImages = ({ id, seq }: Message, { imagesBefore, strips }: Frozen): boolean =>
  seq >= imagesBefore && strips.get(id)?.has("images") !== true

const messagesWithImages = makeFinder((message) => {
  if (message.kind !== "assistant") return message.kind === "user" && message.images !== undefined
  for (const { part } of message.parts)
    if (part.type === "call" && part.outcome?.images !== undefined) return true
  return false
})

/** The sequence below which images are to be named only, or null if all of them may be shown. */
export function planImages(messages: readonly Message[], shownFrom: number): number | null {
  const shown = messagesWithImages(messages).filter(({ seq }) => seq >= shownFrom)
  const all = shown.reduce((sum, message) => add(sum, message), nothing)
  if (within(all, 1)) return null
  let kept = nothing
  let before = (messages.at(-1)?.seq ?? 0) + 1
  for (const message of shown.toReversed()) {
    kept = add(kept, message)
    // The newest stay as long as they are within the bound at all.
    if (!within(kept, message === shown.at(-1) ? 1 : shareKept)) break
    before = message.seq
  }
  return before
}

interface Amount {
  readonly count: number
  readonly bytes: number
}
const nothing: Amount = { count: 0, bytes: 0 }

const add = (amount: Amount, message: Message): Amount =>
  imagesOf(message).reduce(
    ({ count, bytes }, image) => ({ count: count + 1, bytes: bytes + encodedBytes(image.bytes) }),
    amount,
  )

const within = ({ count, bytes }: Amount, share: number): boolean =>
  count <= imagesShownMax * share && bytes <= imageBytesShownMax * share

/** What stands for an image that is not shown any more. */
export const imageStub = (image: Media): string =>
  `[image ${image.name === null ? "" : `${JSON.stringify(image.name)} `}(${image.mediaType}, ${image.width} × ${image.height}) no longer shown; its handle is ${handleOf(image)}]`
