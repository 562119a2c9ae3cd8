/**
 * Tools that the provider runs itself, as they are declared (LL8, CA2).
 *
 * A declaration is the provider's word and passes as it was given; it stands behind the functions in
 * the segment of the tools, so it is part of the prefix. A wire says what a declaration of its
 * provider looks like, and one without such tools refuses them before anything is sent.
 */
import type { JsonObject } from "@holdfast/schema/json"
import { canonicalJson } from "../canonical.ts"
import type { RequestOptions } from "../options.ts"
import type { Block } from "../wire.ts"
import { sizedBlock } from "./sized-block.ts"

/** A declaration's block, made once for as long as the declaration lives. */
export function keepHostedTools(markable: boolean): (options: RequestOptions) => readonly Block[] {
  const known = new WeakMap<JsonObject, Block>()
  const one = (declared: JsonObject): Block => {
    const found = known.get(declared)
    if (found !== undefined) return found
    const block = sizedBlock("tools", null, "tool", canonicalJson(declared), { markable })
    known.set(declared, block)
    return block
  }
  return ({ model }) => (model.hostedTools ?? []).map(one)
}
