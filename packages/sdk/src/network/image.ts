/** An image read from an answer: its bytes, and what is known of it from a header of the contract. */
import type { Media } from "@holdfast/schema/media"
import type { SessionImage } from "../sessions.ts"
import { readFailure } from "./answer.ts"
import { ClientError } from "./client-error.ts"
import { mediaHeader } from "./routes.ts"

export async function readImage(response: Response): Promise<SessionImage> {
  if (!response.ok) throw await readFailure(response)
  const { status, headers } = response
  const media = mediaOf(headers.get(mediaHeader) ?? "")
  if (media === null) {
    await response.body?.cancel()
    throw new ClientError("malformed-response", "The answer does not say what the image is.", { status })
  }
  const bytes = await response.bytes().catch((cause: unknown) => {
    throw new ClientError("transport", "The answer broke off. Ask again.", { status, cause })
  })
  return { media, bytes }
}

/** Taken at its word, as every answer of the contract is. */
function mediaOf(header: string): Media | null {
  try {
    return JSON.parse(decodeURIComponent(header)) as Media
  } catch {
    // Another program answers there, or none of these versions.
    return null
  }
}
