/**
 * The body of a Chat request (LL5).
 *
 * Most servers cache prefixes by themselves. Where a model wants marks, they stand on the content of
 * input messages, which becomes a list for it: in OpenAI's form three beside its own, or in
 * Anthropic's form as a router passes them on, four in the usual order.
 */
import { type Lifetimes, lifetimesOf } from "../cache-lifetime.ts"
import { listNamed, makeBodyWriter, placeRequest } from "../request/body.ts"
import { chooseMarkers, type MarkerPolicy, withLifetimes } from "../request/markers.ts"
import type { Target } from "../segments.ts"
import type { Encoded, PlacedRequest } from "../wire.ts"

/** Changes whenever the same Segments would give other bytes (TU1). */
export const encoderVersion = "openai-chat/2"

/** documented: marks that each kind takes. */
export const markerPolicies: Readonly<Record<"openai" | "anthropic", MarkerPolicy>> = {
  openai: { markersMax: 3, blocksBetweenMax: null, tail: false },
  anthropic: { markersMax: 4, blocksBetweenMax: 15, tail: true },
}

export function place(
  encoded: Encoded,
  target: Target,
  previousBlocks: number,
  lifetimes: Lifetimes = lifetimesOf(target.options),
): PlacedRequest {
  const kind = target.options.traits.cacheMarkers
  const chosen = kind === undefined ? [] : chooseMarkers(encoded.blocks, previousBlocks, markerPolicies[kind])
  const markers =
    kind === "openai"
      ? chosen.map((block) => ({ block, lifetime: "openai" }))
      : withLifetimes(encoded.blocks, chosen, lifetimes)
  return placeRequest(encoded, { markers }, encoderVersion, writeBody)
}

const writeBody = makeBodyWriter({
  tools: listNamed("tools"),
  messages: listNamed("messages"),
  mark: (json, ttl) => {
    const message = JSON.parse(json) as { readonly content: string | readonly object[] }
    const { content } = message
    const parts = typeof content === "string" ? [{ type: "text", text: content }] : content
    return JSON.stringify({
      ...message,
      content: [...parts.slice(0, -1), { ...parts.at(-1), ...markOf(ttl) }],
    })
  },
})

const markOf = (ttl: string) =>
  ttl === "openai"
    ? { prompt_cache_breakpoint: { mode: "explicit" } }
    : { cache_control: ttl === "1h" ? { type: "ephemeral", ttl } : { type: "ephemeral" } }
