/**
 * An image as an answer: its bytes, named by their hash, which never changes (LL7).
 *
 * The type is the one that was found when the image was taken in, and a browser must not look for
 * another. Whoever has the bytes already is told so. Only the caller may keep them, by its token.
 */
import { HttpServerResponse } from "effect/http"
import type { StoredImage } from "@holdfast/core/media/normalise"
import { mediaHeader } from "@holdfast/protocol/groups/sessions"

export function imageAnswer(
  { media, bytes }: StoredImage,
  ifNoneMatch: string | undefined,
): HttpServerResponse.HttpServerResponse {
  const etag = `"${media.hash}"`
  const headers = {
    etag,
    "cache-control": "private, max-age=31536000, immutable",
    vary: "authorization",
    "x-content-type-options": "nosniff",
    [mediaHeader]: encodeURIComponent(JSON.stringify(media)),
  }
  if (isKnown(ifNoneMatch, etag)) return HttpServerResponse.empty({ status: 304, headers })
  return HttpServerResponse.uint8Array(bytes, { contentType: media.mediaType, headers })
}

/** The header lists tags, perhaps marked as weak; a star stands for any. */
const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  ifNoneMatch.split(",").some((tag) => ["*", etag].includes(tag.trim().replace(/^W\//, "")))
