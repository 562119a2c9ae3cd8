/**
 * Misfit: what does not fit a schema of the contract, in words for whoever sent it (CO3).
 *
 * The first fault is told: which field it is, and what it must be, or the name that may have been meant.
 * Values are never quoted: one may be a secret that stands in the wrong place.
 */
import { SchemaAST, SchemaIssue } from "effect"
import { InvalidRequest } from "@holdfast/schema/error"
import { nearNames } from "@holdfast/schema/names/near-names"

/** The failure of whoever sent something that a schema of the contract does not take. */
export const unfit = (part: InvalidRequest["part"], issue: SchemaIssue.Issue): InvalidRequest =>
  new InvalidRequest({ part, message: messageOf(part, issue) })

/** The failure of whoever gave a field that an operation has no place for at all. */
export const noSuchField = (field: string): InvalidRequest =>
  new InvalidRequest({
    part: "query",
    message: `There is no field ${quoted(field)}. This operation takes no others than those of its path.`,
  })

/** The failure of whoever gave a value that no request can hold, in the words of who was to write it. */
export const unwritable = (part: InvalidRequest["part"], message: string): InvalidRequest =>
  new InvalidRequest({ part, message })

/** The failure of whoever gave a field of a path that is no text, or none. */
export const noPathField = (field: string, given: unknown): InvalidRequest =>
  new InvalidRequest({
    part: "path",
    message: given === undefined ? missing(quoted(field)) : `The field ${quoted(field)} must be a text.`,
  })

export interface UnknownField {
  /** With its way from the top. */
  readonly path: readonly PropertyKey[]
  /** What there is in its place. */
  readonly known: readonly string[]
}

/** The first field that the contract does not know; null if that is not what is wrong. */
export function unknownField(
  issue: SchemaIssue.Issue,
  path: readonly PropertyKey[] = [],
): UnknownField | null {
  switch (issue._tag) {
    case "UnexpectedKey":
      return { path, known: namesIn(issue.ast) }
    case "Pointer":
      return unknownField(issue.issue, [...path, ...issue.path])
    case "Filter":
    case "Encoding":
      return unknownField(issue.issue, path)
    case "Composite":
    case "AnyOf":
      return issue.issues.map((inner) => unknownField(inner, path)).find((found) => found !== null) ?? null
    default:
      return null
  }
}

/** As `images[0].name`. */
export const fieldText = (path: readonly PropertyKey[]): string =>
  path
    .map((key, at) => (typeof key === "number" ? `[${key}]` : `${at === 0 ? "" : "."}${String(key)}`))
    .join("")
    .slice(0, fieldLengthMax)

const fieldLengthMax = 200

const quoted = (field: string): string => `"${field.replaceAll(/\s+/g, " ").slice(0, fieldLengthMax)}"`

const namesIn = (ast: SchemaAST.AST): readonly string[] =>
  SchemaAST.isObjects(ast) ? ast.propertySignatures.map(({ name }) => String(name)) : []

const missing = (field: string): string => `The field ${field} is missing.`

function messageOf(part: InvalidRequest["part"], issue: SchemaIssue.Issue): string {
  const unknown = unknownField(issue)
  if (unknown !== null) return unknownMessage(unknown)
  const [first] = formatted(issue).issues
  const path = first?.path?.map((step) => (typeof step === "object" ? step.key : step)) ?? []
  const words = first?.message ?? ""
  const field = quoted(fieldText(path))
  if (words === missingWords) return missing(field)
  const what = path.length === 0 ? `The ${part}` : `The field ${field}`
  return `${what} must be ${expectation(words)}.`
}

const formatted = SchemaIssue.makeFormatterStandardSchemaV1()
const missingWords = SchemaIssue.defaultLeafHook(new SchemaIssue.MissingKey(undefined))

function unknownMessage({ path, known }: UnknownField): string {
  const name = String(path.at(-1))
  const around = path.slice(0, -1)
  const place = around.length === 0 ? "" : ` in ${quoted(fieldText(around))}`
  const [near] = nearNames(name, known)
  const advice =
    near !== undefined
      ? ` Did you mean ${quoted(near)}?`
      : known.length === 0
        ? ""
        : ` There are ${listed(known, "and")}.`
  return `There is no field ${quoted(name)}${place}.${advice}`
}

/** What a schema calls the types of JSON, as a person does. */
const plainWords: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
  "a valid JSON body": "valid JSON",
}

const expectation = (words: string): string =>
  listed(
    words
      .replace(/^Expected /, "")
      .split(" | ")
      .map((word) => plainWords[word] ?? word),
    "or",
  )

const listed = (words: readonly string[], joint: "and" | "or"): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${joint} ${words.at(-1)}`
