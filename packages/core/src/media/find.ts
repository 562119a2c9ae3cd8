/** Images of a Session by their handles. */
import { Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { SessionId } from "@holdfast/schema/id"
import { hashStartOf, type Media } from "@holdfast/schema/media"
import type { Message } from "@holdfast/schema/message"
import type { Store } from "@holdfast/store/port"
import type { StoredImage } from "./normalise.ts"

const messagesStep = 200

/** Newest first; null if the Session has no image of that name, or its bytes are gone. */
export const findImage = Effect.fnUntraced(function* (
  store: Store,
  session: SessionId,
  handle: string,
): Effect.fn.Return<StoredImage | null, StoreFailure> {
  const start = hashStartOf(handle)
  if (start === null) return null
  for (let beforeSeq = Number.MAX_SAFE_INTEGER; ;) {
    const page = { afterSeq: 0, beforeSeq, limit: messagesStep, system: false }
    const messages = yield* store.messages(session, page)
    const media = messages
      .toReversed()
      .flatMap(imagesIn)
      .find(({ hash }) => hash.startsWith(start))
    if (media !== undefined) {
      const bytes = yield* store.blob(media.hash)
      return bytes && { media, bytes }
    }
    const [first] = messages
    if (first === undefined) return null
    beforeSeq = first.seq
  }
})

/** All that a message brought, whether or not a model still reads it. */
const imagesIn = (message: Message): readonly Media[] =>
  message.kind === "user"
    ? (message.images ?? [])
    : message.kind === "assistant"
      ? message.parts.flatMap(({ part }) => (part.type === "call" ? (part.outcome?.images ?? []) : []))
      : []
