/**
 * Cache markers and the body of a Messages request (LL5).
 *
 * The provider reads a cache only at positions where an earlier request wrote a marker, looks back
 * 20 blocks from each marker, and takes four.
 */
import { type Lifetimes, lifetimesOf } from "../cache-lifetime.ts"
import { listNamed, makeBodyWriter, messageOf, noBrackets, placeRequest } from "../request/body.ts"
import { chooseMarkers, withLifetimes } from "../request/markers.ts"
import type { Target } from "../segments.ts"
import type { Block, Encoded, PlacedRequest } from "../wire.ts"

/** Changes whenever the same Segments would give other bytes (TU1). */
export const encoderVersion = "anthropic-messages/2"

export const markersMax = 4

/** The provider looks back 20 blocks; five are left for what it counts otherwise. */
export const blocksBetweenMax = 15

export function place(
  encoded: Encoded,
  target: Target,
  previousBlocks: number,
  lifetimes: Lifetimes = lifetimesOf(target.options),
): PlacedRequest {
  const markers = withLifetimes(encoded.blocks, placeMarkers(encoded.blocks, previousBlocks), lifetimes)
  return placeRequest(encoded, { markers }, encoderVersion, writeBody)
}

/** Positions in ascending order, at most four. */
export const placeMarkers = (blocks: readonly Block[], previousBlocks: number): readonly number[] =>
  chooseMarkers(blocks, previousBlocks, { markersMax, blocksBetweenMax, tail: true })

const writeBody = makeBodyWriter({
  tools: listNamed("tools"),
  prompts: listNamed("system"),
  messages: listNamed("messages"),
  groupOf: ({ role }) => (role === null ? noBrackets : messageOf(role)),
  mark: (json, ttl) =>
    `${json.slice(0, -1)},"cache_control":{"type":"ephemeral"${ttl === "1h" ? ',"ttl":"1h"' : ""}}}`,
})
