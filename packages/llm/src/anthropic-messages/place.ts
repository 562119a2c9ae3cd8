/**
 * Cache markers and the body of a Messages request (LL5).
 *
 * The provider reads a cache only at positions where an earlier request wrote a marker, looks back
 * 20 blocks from each marker, and takes four.
 */
import { listNamed, messageOf, noBrackets } from "../request/body.ts"
import { makePlacing } from "../request/placing.ts"

export const markersMax = 4

/** The provider looks back 20 blocks; five are left for what it counts otherwise. */
export const blocksBetweenMax = 15

export const placing = makePlacing({
  encoder: "anthropic-messages/2",
  policyFor: () => ({ markersMax, blocksBetweenMax, tail: true }),
  layout: {
    tools: listNamed("tools"),
    prompts: listNamed("system"),
    messages: listNamed("messages"),
    groupOf: ({ role }) => (role === null ? noBrackets : messageOf(role)),
    mark: (json, ttl) =>
      `${json.slice(0, -1)},"cache_control":{"type":"ephemeral"${ttl === "1h" ? ',"ttl":"1h"' : ""}}}`,
  },
})
