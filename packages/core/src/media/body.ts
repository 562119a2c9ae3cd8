/** The bytes of a request whose images are in the store, each proven by its hash (LL7, TU1). */
import { hash } from "node:crypto"
import { Data, Effect } from "effect"
import { fillBody } from "@holdfast/llm/request/media-hole"
import { type PlacedRequest, ProviderFailure } from "@holdfast/llm/wire"
import type { StoreFailure } from "@holdfast/schema/error"
import { handleOf } from "@holdfast/schema/media"
import type { Store } from "@holdfast/store/port"

/** An image of the request is not in the store any more, or not as it was. */
export class MediaLost extends Data.TaggedError("MediaLost")<{ readonly message: string }> {}

export const filledBody = Effect.fnUntraced(function* (
  store: Store,
  placed: Pick<PlacedRequest, "body" | "holes">,
): Effect.fn.Return<readonly Uint8Array[], StoreFailure | MediaLost> {
  if (placed.holes.length === 0) return placed.body
  const images = new Map<string, Uint8Array>()
  for (const { media } of placed.holes) {
    if (images.has(media.hash)) continue
    const bytes = yield* store.blob(media.hash)
    if (bytes === null || hash("sha256", bytes) !== media.hash) {
      const fate = bytes === null ? "is gone from storage" : "is damaged in storage"
      return yield* new MediaLost({ message: `The image ${handleOf(media)} ${fate}.` })
    }
    images.set(media.hash, bytes)
  }
  return fillBody(placed, (wanted) => images.get(wanted) ?? new Uint8Array())
})

/** What keeps a request from being sent at all. */
export const unsendable = (message: string): ProviderFailure =>
  new ProviderFailure({
    code: "invalid_request",
    message,
    retryable: false,
    retryAfterMs: null,
    status: null,
    unsent: true,
  })
