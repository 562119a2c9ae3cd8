/**
 * Pictures in a simulated Session: which prompts and calls bring one follows from their ids, so that
 * they cost a seed no draw, and stories of before them stay the same.
 */
import { hash } from "node:crypto"
import type { StoredImage } from "@holdfast/core/media/normalise"
import { handleOf } from "@holdfast/schema/media"
import { imagesOf } from "@holdfast/recall"
import type { Message } from "@holdfast/schema/message"
import type { Store } from "@holdfast/store/port"
import type { SessionId } from "@holdfast/schema/id"
import { Effect } from "effect"
import { png, storedAs } from "../stage/png.ts"

/** A number below `many` that belongs to this id. */
export const oneIn = (id: string, many: number): number =>
  Number.parseInt(hash("sha256", id).slice(0, 8), 16) % many

const sidesMax = 40

const picture = (id: string): { readonly bytes: Uint8Array; readonly name: string } => {
  const side = 1 + oneIn(`side ${id}`, sidesMax)
  return { bytes: png(side, 10), name: `${side}.png` }
}

/** Every fifth prompt brings one to four. */
export const picturesOf = (prompt: string) =>
  oneIn(prompt, 5) > 0
    ? {}
    : { images: Array.from({ length: 1 + oneIn(`count ${prompt}`, 4) }, (_, n) => picture(`${prompt} ${n}`)) }

/** Every sixth call shows one. */
export const picturesShown = (call: string): { readonly images?: readonly StoredImage[] } =>
  oneIn(call, 6) > 0 ? {} : { images: [storedAs(picture(call))] }

/** What a message shows is in the store, byte for byte. */
export const checkPictures = Effect.fnUntraced(function* (store: Store, session: SessionId) {
  const problems: string[] = []
  const messages: readonly Message[] = yield* store.messages(session, {
    afterSeq: 0,
    limit: 100_000,
    system: false,
  })
  for (const media of messages.flatMap(imagesOf)) {
    const bytes = yield* store.blob(media.hash)
    if (bytes === null || hash("sha256", bytes) !== media.hash)
      problems.push(`[LL7] ${handleOf(media)} is gone`)
  }
  return problems
})
