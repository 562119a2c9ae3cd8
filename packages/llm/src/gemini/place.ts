/**
 * The body of a Gemini request (LL5): the provider caches prefixes by itself, so nothing is marked.
 */
import { listNamed, makeBodyWriter, messageOf, noBrackets, placeRequest } from "../request/body.ts"
import type { Target } from "../segments.ts"
import type { Encoded, PlacedRequest } from "../wire.ts"

/** Changes whenever the same Segments would give other bytes (TU1). */
export const encoderVersion = "gemini/1"

export const place = (encoded: Encoded, _target: Target, _previousBlocks: number): PlacedRequest =>
  placeRequest(encoded, { markers: [] }, encoderVersion, (all, placement) =>
    writeBody({ ...all, params: withoutModel(all.params) }, placement),
  )

/** Functions share one entry of the tools; each hosted tool is an entry of its own. */
const functions = { open: '{"functionDeclarations":[', close: "]}" }

const writeBody = makeBodyWriter({
  tools: listNamed("tools"),
  prompts: { open: ',"systemInstruction":{"parts":[', close: "]}" },
  messages: listNamed("contents"),
  groupOf: ({ role, segment, json }) => {
    if (role !== null) return messageOf(role === "assistant" ? "model" : "user", "parts")
    return segment === "tools" && json.startsWith('{"name":') ? functions : noBrackets
  },
})

/** The model stands in the settings for the record, and in the address. */
function withoutModel(params: string): string {
  const { model: _, ...rest } = JSON.parse(params) as Record<string, unknown>
  return JSON.stringify(rest)
}
