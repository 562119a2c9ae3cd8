/** Images as a Session keeps them: made fit for every model, from the bytes that somebody has (LL7). */
import { Effect } from "effect"
import { normaliseImage, type StoredImage } from "@holdfast/core/media/normalise"

export type { StoredImage }

/** Null where the bytes are no image that a model can be shown. */
export const fitImage = (bytes: Uint8Array): Promise<StoredImage | null> =>
  Effect.runPromise(
    normaliseImage({ bytes, name: null }).pipe(
      Effect.map(({ media, bytes: stored }): StoredImage | null => ({ media, bytes: stored })),
      Effect.catchTag("ImageRefused", () => Effect.succeed(null)),
    ),
  )
