/**
 * The body of a Responses request (LL5).
 *
 * Most models cache prefixes by themselves, so there is nothing to mark. Models that match a cache
 * only where it was marked mark the newest message themselves and take three more marks: the ends of
 * the History Delta, of the History Baseline and of the prompts, on messages that are input.
 */
import { listNamed, makeBodyWriter, placeRequest } from "../request/body.ts"
import { chooseMarkers } from "../request/markers.ts"
import type { Target } from "../segments.ts"
import type { Encoded, PlacedRequest } from "../wire.ts"

/** Changes whenever the same Segments would give other bytes (TU1). */
export const encoderVersion = "openai-responses/2"

/** documented: four writes for each request, of which the provider's own mark takes one. */
export const markersMax = 3

export function place(encoded: Encoded, target: Target, previousBlocks: number): PlacedRequest {
  const marked = target.options.traits.cacheMarkers === "openai"
  const policy = { markersMax, blocksBetweenMax: null, tail: false }
  const markers = marked ? chooseMarkers(encoded.blocks, previousBlocks, policy) : []
  const marks = markers.map((block) => ({ block, lifetime: "" }))
  return placeRequest(encoded, { markers: marks }, encoderVersion, writeBody)
}

const writeBody = makeBodyWriter({
  tools: listNamed("tools"),
  messages: listNamed("input"),
  // A message ends in its one content part, which carries the mark.
  mark: (json) => `${json.slice(0, -3)},"prompt_cache_breakpoint":{"mode":"explicit"}}]}`,
})
