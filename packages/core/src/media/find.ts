/** Images of a Session by their handles. */
import { Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { SessionId } from "@holdfast/schema/id"
import { hashStartOf, type Media } from "@holdfast/schema/media"
import type { Message } from "@holdfast/schema/message"
import type { Store } from "@holdfast/store/port"
import type { StoredImage } from "./normalise.ts"

const messagesStep = 200

/** What waits in the inbox, then newest first; null if the Session has no image of that name, or its bytes are gone. */
export const findImage = Effect.fnUntraced(function* (
  store: Store,
  session: SessionId,
  handle: string,
): Effect.fn.Return<StoredImage | null, StoreFailure> {
  const start = hashStartOf(handle)
  if (start === null) return null
  const named = (images: readonly Media[]) => images.find(({ hash }) => hash.startsWith(start))
  const waiting = named((yield* store.inbox(session)).flatMap(({ images = [] }) => images))
  if (waiting !== undefined) return yield* stored(store, waiting)
  for (let beforeSeq = Number.MAX_SAFE_INTEGER; ;) {
    const page = { afterSeq: 0, beforeSeq, limit: messagesStep, system: false }
    const messages = yield* store.messages(session, page)
    const media = named(messages.toReversed().flatMap(imagesIn))
    if (media !== undefined) return yield* stored(store, media)
    const [first] = messages
    if (first === undefined) return null
    beforeSeq = first.seq
  }
})

const stored = (store: Store, media: Media): Effect.Effect<StoredImage | null, StoreFailure> =>
  Effect.map(store.blob(media.hash), (bytes) => bytes && { media, bytes })

/** All that a message brought, whether or not a model still reads it. */
const imagesIn = (message: Message): readonly Media[] =>
  message.kind === "user"
    ? (message.images ?? [])
    : message.kind === "assistant"
      ? message.parts.flatMap(({ part }) => (part.type === "call" ? (part.outcome?.images ?? []) : []))
      : []
