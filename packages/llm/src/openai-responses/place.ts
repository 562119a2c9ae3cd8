/**
 * The body of a Responses request (LL5).
 *
 * Most models cache prefixes by themselves, so there is nothing to mark. Models that match a cache
 * only where it was marked mark the newest message themselves and take three more marks: the ends of
 * the History Delta, of the History Baseline and of the prompts, on messages that are input.
 */
import { listNamed } from "../request/body.ts"
import { makePlacing } from "../request/placing.ts"

/** documented: four writes for each request, of which the provider's own mark takes one. */
export const markersMax = 3

const policy = { markersMax, blocksBetweenMax: null, tail: false, lifetime: "" }

export const placing = makePlacing({
  encoder: "openai-responses/2",
  policyFor: ({ options }) => (options.traits.cacheMarkers === "openai" ? policy : null),
  layout: {
    tools: listNamed("tools"),
    messages: listNamed("input"),
    // A message ends in its one content part, which carries the mark.
    mark: (json) => `${json.slice(0, -3)},"prompt_cache_breakpoint":{"mode":"explicit"}}]}`,
  },
})
