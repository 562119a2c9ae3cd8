/** Shape: the checks in the words of the provider's schema library (recorded). */
import { wordOf } from "../../json.ts"
import { shapesOf } from "../../shape.ts"
import type { Check, Kind } from "../../shape.ts"
import { invalid } from "../api-error.ts"
import { facts } from "../facts.ts"

const kinds: Readonly<Record<Kind, string>> = {
  string: "string",
  boolean: "boolean",
  integer: "integer",
  decimal: "number",
  array: "list",
  object: "dictionary",
}

const join = (path: string, key: string | number) => (path === "" ? String(key) : `${path}.${key}`)

const shapes = shapesOf({
  join,
  isAbsent: (value) => value === undefined,
  missing: (path) => invalid(facts.fieldRequired(path)),
  unknown: (path, key) => invalid(facts.extraInput(join(path, key))),
  wrongType(path, kind) {
    const isItem = kind === "object" && /\.\d+$/.test(path)
    return invalid(facts.wrongType(path, isItem ? "dictionary or object" : kinds[kind]))
  },
  wrongValue: (path, _, values) =>
    invalid(facts.notOneOf(path, quoted(values).replace(/, ([^,]*)$/, " or $1"))),
  wrongTag: (path, tag, tags) =>
    invalid(
      tag === undefined
        ? facts.tagMissing(path)
        : facts.unknownTag(path, wordOf(tag), quoted(tags.toSorted())),
    ),
  // recorded: the path names the variant.
  tagged: join,
  belowMin: (path, _, min) => invalid(facts.belowMin(path, min)),
  aboveMax: (path, _, max) => invalid(facts.aboveMax(path, max)),
})

export const { object, loose, list, text, flag, number, oneOf, variants } = shapes

/** A string of this form. */
export const matching = (pattern: RegExp): Check =>
  text((path, value) => (pattern.test(value) ? undefined : invalid(facts.notMatching(path, pattern.source))))

function quoted(values: readonly string[]): string {
  return values.map((value) => `'${value}'`).join(", ")
}
