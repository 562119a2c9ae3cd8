/**
 * Cache points and the body of a Converse request (LL5).
 *
 * A cache point is a block of its own behind the block it marks. Four are taken, and a cache is
 * found up to twenty blocks before one.
 */
import { type Lifetimes, lifetimesOf, shortLived } from "../cache-lifetime.ts"
import { listNamed, makeBodyWriter, messageOf, noBrackets, placeRequest } from "../request/body.ts"
import { chooseMarkers, withLifetimes } from "../request/markers.ts"
import type { Target } from "../segments.ts"
import type { Encoded, PlacedRequest } from "../wire.ts"
import { familyOf } from "./families.ts"

/** Changes whenever the same Segments would give other bytes (TU1). */
export const encoderVersion = "bedrock-converse/2"

export const markersMax = 4

/** The provider looks back 20 blocks; five are left for what it counts otherwise. */
const blocksBetweenMax = 15

export function place(
  encoded: Encoded,
  target: Target,
  previousBlocks: number,
  lifetimes: Lifetimes = lifetimesOf(target.options),
): PlacedRequest {
  const { markable, takesTtl } = familyOf(target)
  const policy = { markersMax, blocksBetweenMax, tail: true }
  const chosen = markable === "none" ? [] : chooseMarkers(encoded.blocks, previousBlocks, policy)
  const markers = withLifetimes(encoded.blocks, chosen, takesTtl ? lifetimes : shortLived)
  return placeRequest(encoded, { markers }, encoderVersion, (all, placement) =>
    writeBody({ ...all, params: openBody(all) }, placement),
  )
}

/** The settings as the body begins with them: without the model, and open where the tools go. */
function openBody({ params, blocks }: Encoded): string {
  const { model: _, toolConfig, ...rest } = JSON.parse(params) as Record<string, unknown>
  const settings = JSON.stringify(rest)
  if (blocks[0]?.segment !== "tools") return settings
  const choice = toolConfig === undefined ? "" : `${JSON.stringify(toolConfig).slice(1, -1)},`
  // The writer takes the last brace off, and the list of tools follows.
  return `${settings.slice(0, -1)},"toolConfig":{${choice}}`
}

const writeBody = makeBodyWriter({
  tools: { open: '"tools":[', close: "]}" },
  prompts: listNamed("system"),
  messages: listNamed("messages"),
  groupOf: ({ role }) => (role === null ? noBrackets : messageOf(role)),
  mark: (json, ttl) => `${json},{"cachePoint":{"type":"default"${ttl === "1h" ? ',"ttl":"1h"' : ""}}}`,
})
