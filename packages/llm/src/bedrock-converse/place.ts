/**
 * Cache points and the body of a Converse request (LL5).
 *
 * A cache point is a block of its own behind the block it marks. Four are taken, and a cache is
 * found up to twenty blocks before one.
 */
import { listNamed, messageOf, noBrackets } from "../request/body.ts"
import { makePlacing, withoutModel } from "../request/placing.ts"
import type { Encoded } from "../wire.ts"
import { familyOf } from "./families.ts"

export const markersMax = 4

/** The provider looks back 20 blocks; five are left for what it counts otherwise. */
const policy = { markersMax, blocksBetweenMax: 15, tail: true }

export const placing = makePlacing({
  encoder: "bedrock-converse/2",
  policyFor: (target) => {
    const { markable, takesTtl } = familyOf(target)
    if (markable === "none") return null
    return takesTtl ? policy : { ...policy, lifetime: "5m" }
  },
  settingsOf,
  layout: {
    tools: { open: '"tools":[', close: "]}" },
    prompts: listNamed("system"),
    messages: listNamed("messages"),
    groupOf: ({ role }) => (role === null ? noBrackets : messageOf(role)),
    mark: (json, ttl) => `${json},{"cachePoint":{"type":"default"${ttl === "1h" ? ',"ttl":"1h"' : ""}}}`,
  },
})

/** Without the model, and open where the tools go. */
function settingsOf({ params, blocks }: Encoded): string {
  const { toolConfig, ...rest } = withoutModel(params)
  const settings = JSON.stringify(rest)
  if (blocks[0]?.segment !== "tools") return settings
  const choice = toolConfig === undefined ? "" : `${JSON.stringify(toolConfig).slice(1, -1)},`
  // The writer takes the last brace off, and the list of tools follows.
  return `${settings.slice(0, -1)},"toolConfig":{${choice}}`
}
