/**
 * Tools that the provider runs itself, as they are declared (LL8, CA2).
 *
 * A declaration is the provider's word and passes as it was given; it stands behind the functions in
 * the segment of the tools, so it is part of the prefix. A wire says what a declaration of its
 * provider looks like, and one without such tools refuses them before anything is sent.
 */
import type { Json, JsonObject } from "@holdfast/schema/json"
import { canonicalJson } from "../canonical.ts"
import type { Fields } from "../json-fields.ts"
import type { RequestOptions } from "../options.ts"
import type { Block } from "../wire.ts"
import type { Report } from "./checked-chain.ts"
import { sizedBlock } from "./sized-block.ts"

/** A declaration's block, made once for as long as the declaration lives. */
export function keepHostedTools(markable: boolean): (options: RequestOptions) => readonly Block[] {
  const known = new WeakMap<JsonObject, Block>()
  const one = (declared: JsonObject): Block => {
    const found = known.get(declared)
    if (found !== undefined) return found
    const json = canonicalJson(declared)
    const block = sizedBlock("tools", null, json, json, "json", markable)
    known.set(declared, block)
    return block
  }
  return ({ model }) => (model.hostedTools ?? []).map(one)
}

interface Named {
  toolNames: ReadonlySet<string>
}

/** LL3: the declaration is one of its provider, and nothing else has its name. */
export function checkHostedTool(
  state: Named,
  value: Fields,
  fault: string | null,
  at: number,
  report: Report,
): void {
  if (fault !== null) return report("tool-hosted", at, `a hosted tool ${fault}`)
  const name = nameOf(value)
  if (state.toolNames.has(name)) return report("tool-unique", at, `the tool ${name} is defined twice`)
  state.toolNames = new Set([...state.toolNames, name])
}

/** One that has no name is told from others by all that it says. */
const nameOf = (value: Fields): string =>
  typeof value["name"] === "string" ? value["name"] : canonicalJson(value as Json)

/** For a wire whose provider runs no tools: what is asked for would be left out in silence. */
export function checkNoHostedTools({ model }: RequestOptions, report: Report): void {
  if ((model.hostedTools ?? []).length > 0) {
    report("tool-hosted", 0, "this wire has no tools that the provider runs: remove hostedTools")
  }
}
