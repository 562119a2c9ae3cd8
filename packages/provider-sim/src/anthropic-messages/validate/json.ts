/** JSON rules: what the provider says of a body that is no JSON object. */
import { parseJson } from "../../json.ts"
import type { JsonObject } from "../../json.ts"
import type { Refusal } from "../../sim-wire.ts"
import { invalid } from "../api-error.ts"
import { facts } from "../facts.ts"

export type ParsedBody =
  | { readonly kind: "object"; readonly value: JsonObject }
  | { readonly kind: "refused"; readonly refusal: Refusal }

export function parseBody(bytes: Uint8Array): ParsedBody {
  const parsed = parseJson(bytes)
  switch (parsed.kind) {
    case "object":
      return parsed
    case "not-utf8":
      return refused(facts.notUtf8)
    case "surrogate": // recorded: three texts, with line, column and character of the escape.
      return refused(facts.loneSurrogate(parsed.problem, parsed.at))
    case "syntax":
      return refused(facts.notJson)
    case "not-object":
      return { kind: "refused", refusal: invalid(facts.bodyNotObject) }
  }
}

function refused(detail: string): ParsedBody {
  return { kind: "refused", refusal: invalid(facts.bodyInvalid(detail)) }
}
