/** The bytes of a request whose images are in the store (LL7). */
import { Data, Effect } from "effect"
import { fillBody } from "@holdfast/llm/request/media-hole"
import type { PlacedRequest } from "@holdfast/llm/wire"
import type { StoreFailure } from "@holdfast/schema/error"
import { handleOf } from "@holdfast/schema/media"
import type { Store } from "@holdfast/store/port"

/** An image of the request is not in the store any more. */
export class MediaLost extends Data.TaggedError("MediaLost")<{ readonly message: string }> {}

export const filledBody = Effect.fnUntraced(function* (
  store: Store,
  placed: Pick<PlacedRequest, "body" | "holes">,
): Effect.fn.Return<readonly Uint8Array[], StoreFailure | MediaLost> {
  if (placed.holes.length === 0) return placed.body
  const images = new Map<string, Uint8Array>()
  for (const { media } of placed.holes) {
    const bytes = images.get(media.hash) ?? (yield* store.blob(media.hash))
    if (bytes === null) {
      const message = `The image ${handleOf(media)} is gone from storage. Quarantine the message that shows it, then resume.`
      return yield* new MediaLost({ message })
    }
    images.set(media.hash, bytes)
  }
  return fillBody(placed, (hash) => images.get(hash) ?? new Uint8Array())
})
