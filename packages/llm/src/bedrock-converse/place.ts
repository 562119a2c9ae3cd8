/**
 * Cache points and the body of a Converse request (LL5).
 *
 * A cache point is a block of its own behind the block it marks. Four are taken, and a cache is
 * found up to twenty blocks before one.
 */
import { markerTtl } from "../options.ts"
import { makeBodyWriter, placeRequest } from "../request/body.ts"
import { chooseMarkers } from "../request/markers.ts"
import type { Target } from "../segments.ts"
import type { Block, Encoded, PlacedRequest } from "../wire.ts"
import { familyOf } from "./families.ts"

/** Changes whenever the same Segments would give other bytes (TU1). */
export const encoderVersion = "bedrock-converse/2"

export const markersMax = 4

/** The provider looks back 20 blocks; five are left for what it counts otherwise. */
const blocksBetweenMax = 15

export function place(encoded: Encoded, target: Target, previousBlocks: number): PlacedRequest {
  const { markable, takesTtl } = familyOf(target)
  const policy = { markersMax, blocksBetweenMax, tail: true }
  const markers = markable === "none" ? [] : chooseMarkers(encoded.blocks, previousBlocks, policy)
  const ttl = markers.length === 0 ? "" : takesTtl ? markerTtl(target.options) : "5m"
  return placeRequest(encoded, { markers, ttl }, encoderVersion, (all, placement) =>
    writeBody({ ...all, params: openBody(all) }, placement),
  )
}

/** The settings as the body begins with them: without the model, and open where the tools go. */
function openBody({ params, blocks }: Encoded): string {
  const { model: _, toolConfig, ...rest } = JSON.parse(params) as Record<string, unknown>
  const settings = JSON.stringify(rest)
  if (blocks.length === 0) return settings
  // The writer takes the last brace off, and the first list follows.
  const open = `${settings.slice(0, -1)},`
  if (blocks[0]?.segment !== "tools") return `${open}}`
  const choice = toolConfig === undefined ? "" : `${JSON.stringify(toolConfig).slice(1, -1)},`
  return `${open}"toolConfig":{${choice}}`
}

type List = "tools" | "system" | "messages"

const listOf = (block: Block): List =>
  block.role !== null ? "messages" : block.segment === "tools" ? "tools" : "system"

const opening = (list: List, { role }: Block): string =>
  `"${list}":[${list === "messages" ? `{"role":"${role}","content":[` : ""}`

const endings: Readonly<Record<List, string>> = { tools: "]}", system: "]", messages: "]}]" }

const writeBody = makeBodyWriter({
  separator: (before, block) => {
    const list = listOf(block)
    if (before === null) return opening(list, block)
    if (listOf(before) !== list) return `${endings[listOf(before)]},${opening(list, block)}`
    return list === "messages" && before.role !== block.role ? `]},{"role":"${block.role}","content":[` : ","
  },
  closing: (last) => `${endings[listOf(last)]}}`,
  mark: (json, ttl) => `${json},{"cachePoint":{"type":"default"${ttl === "1h" ? ',"ttl":"1h"' : ""}}}`,
})
