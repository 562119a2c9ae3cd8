/**
 * Cache marker rules: shape of one marker, and number and order of all of them.
 *
 * Order means the order in which the provider renders a prompt: tools, system, messages.
 */
import { always, firstRefusal, orNull } from "../../shape.ts"
import type { Verdict } from "../../sim-wire.ts"
import { invalid } from "../api-error.ts"
import { facts } from "../facts.ts"
import { blocksOf, cacheControlOf, systemBlocks } from "../request-body.ts"
import type { CacheControl, MessagesBody } from "../request-body.ts"
import { object, oneOf } from "./shape.ts"

const breakpointsMax = facts.breakpointsMax

/** documented; null means none. */
export const cacheControl = orNull(object({ type: always(oneOf(["ephemeral"])), ttl: oneOf(["5m", "1h"]) }))

/** Rules over all markers of a request. */
export function checkBreakpoints(body: MessagesBody): Verdict {
  const markers = collectMarkers(body)
  if (markers.length > breakpointsMax) return invalid(facts.markersTooMany(breakpointsMax, markers.length))
  let short = false
  return firstRefusal(markers, ({ path, marker }) => {
    if (marker.ttl !== "1h") {
      short = true
      return undefined
    }
    // recorded; documented: longer lives come first.
    return short ? invalid(facts.markerOrder(path)) : undefined
  })
}

interface PlacedMarker {
  readonly path: string
  readonly marker: CacheControl
}

function collectMarkers(body: MessagesBody): readonly PlacedMarker[] {
  const found: PlacedMarker[] = []
  const take = (path: string, block: object) => {
    const marker = cacheControlOf(block)
    if (marker !== undefined) found.push({ path, marker })
  }
  for (const [index, tool] of (body.tools ?? []).entries()) take(`tools.${index}`, tool)
  for (const [index, block] of systemBlocks(body).entries()) take(`system.${index}`, block)
  for (const [index, message] of body.messages.entries()) {
    for (const [place, block] of blocksOf(message.content).entries()) {
      const path = `messages.${index}.content.${place}`
      if (block.type === "tool_result" && Array.isArray(block.content)) {
        for (const [inner, part] of block.content.entries()) take(`${path}.content.${inner}`, part)
      }
      take(path, block)
    }
  }
  // documented: a marker on the request itself stands for one on its last block.
  take("", body)
  return found
}
