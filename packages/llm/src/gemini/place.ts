/**
 * The body of a Gemini request (LL5): the provider caches prefixes by itself, so nothing is marked.
 */
import { withoutModel } from "../request/model-in-address.ts"
import { makeBodyWriter, placeRequest } from "../request/body.ts"
import type { Target } from "../segments.ts"
import type { Block, Encoded, PlacedRequest } from "../wire.ts"

/** Changes whenever the same Segments would give other bytes (TU1). */
export const encoderVersion = "gemini/1"

export const place = (encoded: Encoded, _target: Target, _previousBlocks: number): PlacedRequest =>
  placeRequest(encoded, { markers: [], ttl: "" }, encoderVersion, (all, placement) =>
    writeBody({ ...all, params: withoutModel(all.params) }, placement),
  )

type List = "tools" | "systemInstruction" | "contents"

const listOf = (block: Block): List =>
  block.role !== null ? "contents" : block.segment === "tools" ? "tools" : "systemInstruction"

const roleOf = ({ role }: Block): string => (role === "assistant" ? "model" : "user")

/** Functions share one entry of the tools; each hosted tool is an entry of its own. */
const isFunction = ({ json }: Block): boolean => json.startsWith('{"name":')

/** How a list begins, up to its first part. */
function opening(list: List, block: Block): string {
  switch (list) {
    case "tools":
      return `,"tools":[${isFunction(block) ? functionsOpen : ""}`
    case "systemInstruction":
      return ',"systemInstruction":{"parts":['
    case "contents":
      return `,"contents":[{"role":"${roleOf(block)}","parts":[`
  }
}

function ending(last: Block): string {
  switch (listOf(last)) {
    case "tools":
      return isFunction(last) ? "]}]" : "]"
    case "systemInstruction":
      return "]}"
    case "contents":
      return "]}]"
  }
}

const functionsOpen = '{"functionDeclarations":['

/** Between two tools. */
function betweenTools(before: Block, block: Block): string {
  if (isFunction(before) === isFunction(block)) return ","
  return isFunction(before) ? "]}," : `,${functionsOpen}`
}

const writeBody = makeBodyWriter({
  separator: (before, block) => {
    const list = listOf(block)
    if (before === null) return opening(list, block)
    if (listOf(before) !== list) return ending(before) + opening(list, block)
    if (list === "tools") return betweenTools(before, block)
    return list === "contents" && before.role !== block.role ? `]},{"role":"${roleOf(block)}","parts":[` : ","
  },
  closing: (last) => `${ending(last)}}`,
  mark: (json) => json,
})
