/** A body of anybody's, judged by the linter of its wire (LL3). */
import { parseFields, textOf } from "../json-fields.ts"
import { nativeTag } from "../request/lowering.ts"
import type { LintFault, Wire } from "../wire.ts"
import { bodyBlocks } from "./body-blocks.ts"
import { readBack } from "./replay.ts"

export interface LintedBody {
  readonly faults: readonly LintFault[]
  /** False if the wire's own blocks were judged: the request as this project would send it. */
  readonly asWritten: boolean
}

/** Null if the text is no request of this wire. `url` says for whom it is, where that is known. */
export function lintBody(wire: Wire, body: string, url = somewhere(wire)): LintedBody | null {
  const read = readBack(wire, url, body)
  const value = parseFields(body)
  if (read === null || value === null) return null
  const encoded = wire.encode(read.request.segments, read.target)
  const prompt = encoded.blocks.find(({ segment }) => segment === "system" || segment === "agent")
  const promptRole = textOf(parseFields(prompt?.json ?? "")?.["role"]) || "system"
  const blocks = bodyBlocks(wire.name, value, { native: nativeTag(read.target), promptRole })
  return {
    faults: wire.lint(blocks === null ? encoded : { ...encoded, blocks }, read.target),
    asWritten: blocks !== null,
  }
}

/** Where a body goes that came without its address: the wire's own, for a model without a name. */
const somewhere = (wire: Wire): string => wire.address("https://provider.invalid", "unnamed")
