/**
 * The body of a Chat request (LL5).
 *
 * Most servers cache prefixes by themselves. Where a model wants marks, they stand on the content of
 * input messages, which becomes a list for it: in OpenAI's form three beside its own, or in
 * Anthropic's form as a router passes them on, four in the usual order.
 */
import { listNamed } from "../request/body.ts"
import type { MarkerPolicy } from "../request/markers.ts"
import { makePlacing } from "../request/placing.ts"

/** documented: marks that each kind takes. */
export const markerPolicies: Readonly<Record<"openai" | "anthropic", MarkerPolicy>> = {
  openai: { markersMax: 3, blocksBetweenMax: null, tail: false, lifetime: "openai" },
  anthropic: { markersMax: 4, blocksBetweenMax: 15, tail: true },
}

export const placing = makePlacing({
  encoder: "openai-chat/2",
  policyFor: ({ options: { traits } }) => (traits.cacheMarkers ? markerPolicies[traits.cacheMarkers] : null),
  layout: { tools: listNamed("tools"), messages: listNamed("messages"), mark },
})

function mark(json: string, ttl: string): string {
  const message = JSON.parse(json) as { readonly content: string | readonly object[] }
  const { content } = message
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : content
  return JSON.stringify({ ...message, content: [...parts.slice(0, -1), { ...parts.at(-1), ...markOf(ttl) }] })
}

const markOf = (ttl: string) =>
  ttl === "openai"
    ? { prompt_cache_breakpoint: { mode: "explicit" } }
    : { cache_control: ttl === "1h" ? { type: "ephemeral", ttl } : { type: "ephemeral" } }
