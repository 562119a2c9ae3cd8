/** JSON rules: what the provider says of a body that is no JSON object. */
import { parseJson } from "../../json.ts"
import type { JsonObject } from "../../json.ts"
import type { Refusal } from "../../sim-wire.ts"
import { invalid } from "../api-error.ts"

export type ParsedBody =
  | { readonly kind: "object"; readonly value: JsonObject }
  | { readonly kind: "refused"; readonly refusal: Refusal }

export function parseBody(bytes: Uint8Array): ParsedBody {
  const parsed = parseJson(bytes)
  switch (parsed.kind) {
    case "object":
      return parsed
    case "not-utf8": // assumed: the wording.
      return refused("str is not valid UTF-8: surrogates not allowed")
    case "surrogate": // recorded: three texts, with line, column and character of the escape.
      return refused(`${parsed.problem} in string: ${parsed.at}`)
    case "syntax": // assumed: the position is left out.
      return refused("unexpected character")
    case "not-object": // assumed.
      return { kind: "refused", refusal: invalid("Input should be a valid dictionary or object") }
  }
}

function refused(detail: string): ParsedBody {
  // recorded: the prefix.
  return { kind: "refused", refusal: invalid(`The request body is not valid JSON: ${detail}`) }
}
