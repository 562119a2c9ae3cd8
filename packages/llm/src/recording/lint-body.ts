/** A body of anybody's, judged by the linter of its wire (LL3). */
import type { Json } from "@holdfast/schema/json"
import { makeBlock } from "../blocks.ts"
import { canonicalJson } from "../canonical.ts"
import { type Fields, lookUp, parseFields, textOf } from "../json-fields.ts"
import { nativeTag } from "../request/lowering.ts"
import type { Target } from "../segments.ts"
import type { Block, LintFault, Wire } from "../wire.ts"
import { writtenForms } from "../written-forms.ts"
import { readBack } from "./read-back.ts"
import { without, type WrittenForm } from "./written-form.ts"

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
  const form = lookUp(writtenForms, wire.name)
  if (form === undefined) return { faults: wire.lint(encoded, read.target), asWritten: false }
  const blocks = blocksOf(form, value, read.target, promptRole)
  return {
    faults: [...form.faults(value, read.target), ...wire.lint({ ...encoded, blocks }, read.target)],
    asWritten: true,
  }
}

const blocksOf = (form: WrittenForm, body: Fields, target: Target, promptRole: string): readonly Block[] =>
  form.blocks(body, promptRole).map(({ segment, role, content }) =>
    makeBlock({
      segment,
      role,
      kind: "text",
      unit: null,
      json: canonicalJson(without("cache_control", content) as Json),
      tokens: 0,
      markable: false,
      native: role === "assistant" ? nativeTag(target) : null,
    }),
  )

/** Where a body goes that came without its address: the wire's own, for a model without a name. */
const somewhere = (wire: Wire): string => wire.address("https://provider.invalid", "unnamed")
