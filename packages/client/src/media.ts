/** Images of a Session: the bytes that `sessions.image` answers with say in a header what they are. */
import { ClientError } from "./client-error.ts"
import type { Media } from "./record-parts.ts"
import type { Bytes } from "./transport.ts"

const mediaHeader = "holdfast-media"

export function mediaOf({ headers }: Bytes): Media {
  const said = headers[mediaHeader]
  if (said === undefined)
    throw new ClientError({ kind: "malformed" }, "The answer does not say what the image is.")
  return JSON.parse(decodeURIComponent(said)) as Media
}
