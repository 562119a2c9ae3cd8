/**
 * Whether everything that one side sends can be read by the other.
 *
 * One comparison serves both ways. Of a request the old client is the sender and the new server the
 * reader; of an answer the new server is the sender and the old client the reader. What differs:
 *
 *   request  the reader refuses fields that it does not know, and values outside of its bounds
 *   answer   the reader passes over fields and kinds of records that it does not know, and relies on
 *            every field and every set of values that it was promised
 */
import { type Document, findUnknownWord, isSpoken, type JsonSchema } from "./document.ts"

export interface Side {
  readonly schema: JsonSchema
  readonly document: Document
}

export interface Comparison {
  readonly way: "request" | "answer"
  readonly sent: Side
  readonly read: Side
}

/** A sentence for each difference that a reader would notice, after the place where it stands. */
export function differences(comparison: Comparison, where: string): readonly string[] {
  return compareNamed(comparison, where, new Map())
}

/** What was found of two named types that were met before; nothing yet where one holds itself. */
type Found = Map<string, readonly string[]>

/** A difference inside of a named type is told of that type, wherever it was met. */
function compareNamed(given: Comparison, where: string, found: Found): readonly string[] {
  const [sent, read] = [nameIn(given.sent.schema), nameIn(given.read.schema)]
  if (sent === null || read === null) return compare(given, where, found)
  const pair = `${sent} ${read}`
  const known = found.get(pair)
  if (known !== undefined) return known
  found.set(pair, [])
  const faults = compare(given, sent === read ? sent : where, found)
  found.set(pair, faults)
  return faults
}

function compare(given: Comparison, where: string, found: Found): readonly string[] {
  const sent = resolved(given.sent)
  const read = resolved(given.read)
  const word = findUnknownWord(sent) ?? findUnknownWord(read)
  if (word !== null) return [`${where}: the comparison does not know what ${word} means`]
  if (isAnything(read) || isNothing(sent)) return []
  if (isAnything(sent)) return [`${where}: it may be anything now`]
  const next: Next = (sentSchema, readSchema, place) =>
    compareNamed(
      {
        way: given.way,
        sent: { ...given.sent, schema: sentSchema },
        read: { ...given.read, schema: readSchema },
      },
      place,
      found,
    )
  if (sent.anyOf !== undefined || read.anyOf !== undefined)
    return compareUnions(given, sent, read, where, next)
  return compareOne(given.way, sent, read, where, next)
}

type Next = (sent: JsonSchema, read: JsonSchema, where: string) => readonly string[]

const refPrefix = "#/components/schemas/"

const nameIn = ({ $ref }: JsonSchema): string | null => $ref?.slice(refPrefix.length) ?? null

const nothing: JsonSchema = { enum: [] }

/** Behind its reference, with the parts of an `allOf` taken together. */
function resolved({ schema, document }: Side): JsonSchema {
  const { $ref: _, ...own } = schema
  const name = nameIn(schema)
  const target =
    name === null ? {} : resolved({ schema: document.components.schemas[name] ?? nothing, document })
  const { allOf = [], ...rest } = { ...target, ...own }
  return allOf.reduce<JsonSchema>(
    (merged, part) => ({ ...merged, ...resolved({ schema: part, document }) }),
    rest,
  )
}

const isNothing = ({ enum: values }: JsonSchema): boolean => values?.length === 0

const isAnything = (schema: JsonSchema): boolean => Object.keys(schema).every(isSpoken)

function compareUnions(
  { way, sent: { document: sender }, read: { document: reader } }: Comparison,
  sent: JsonSchema,
  read: JsonSchema,
  where: string,
  next: Next,
): readonly string[] {
  const senders = membersOf(sent, sender)
  const readers = membersOf(read, reader)
  const isToldApart = readers.every(({ tag }) => tag !== null)
  const unfit = senders.flatMap(({ schema, tag }) => {
    const alike = readers.filter((other) => other.tag === tag)
    const place = tag === null ? where : `${where} (${tag})`
    const found = alike.map((other) => next(schema, other.schema, place))
    if (found.some((faults) => faults.length === 0)) return []
    const [only, ...others] = found
    if (only !== undefined && others.length === 0) return only
    if (alike.length > 0) return [`${where}: ${nameOf(schema)} fits nothing that was there`]
    const isNewKind = way === "answer" && tag !== null && isToldApart
    return isNewKind ? [] : [`${where}: ${nameOf(schema)} is no part of it`]
  })
  const tags = new Set(senders.map(({ tag }) => tag))
  const gone = way === "answer" ? readers.filter(({ tag }) => tag !== null && !tags.has(tag)) : []
  return [...unfit, ...gone.map(({ tag }) => `${where} (${tag}): it is gone`)]
}

interface Member {
  readonly schema: JsonSchema
  readonly tag: string | null
}

/** The members of a union, those of unions inside of it included; a schema that is none is its only member. */
function membersOf(schema: JsonSchema, document: Document): readonly Member[] {
  const { anyOf, ...one } = resolved({ schema, document })
  return anyOf === undefined
    ? [{ schema, tag: tagOf(one) }]
    : anyOf.flatMap((member) => membersOf(member, document))
}

/** What tells records of one union apart: the first field with one value only. */
function tagOf({ type, properties = {}, required = [] }: JsonSchema): string | null {
  if (type !== "object") return null
  const found = tagNames
    .map((name) => [name, properties[name]?.enum] as const)
    .find(([name, values]) => values?.length === 1 && required.includes(name))
  return found === undefined ? null : `${found[0]} ${String(found[1]?.[0])}`
}

const tagNames = ["_tag", "type", "kind", "state", "op"]

const nameOf = (schema: JsonSchema): string =>
  nameIn(schema) ?? schema.enum?.map(String).join(", ") ?? schema.type ?? "a value"

function compareOne(
  way: Comparison["way"],
  sent: JsonSchema,
  read: JsonSchema,
  where: string,
  next: Next,
): readonly string[] {
  if (sent.type !== read.type && !(sent.type === "integer" && read.type === "number"))
    return [`${where}: it is ${sent.type ?? "anything"} where ${read.type ?? "anything"} is read`]
  return [
    ...compareValues(sent, read, where),
    ...compareForms(sent, read, where),
    ...(way === "request" ? compareBounds(sent, read, where) : []),
    ...compareFields(way, sent, read, where, next),
    ...compareItems(sent, read, where, next),
    ...(read.contentSchema === undefined ? [] : next(sent.contentSchema ?? {}, read.contentSchema, where)),
  ]
}

function compareValues(sent: JsonSchema, read: JsonSchema, where: string): readonly string[] {
  if (read.enum === undefined) return []
  if (sent.enum === undefined) return [`${where}: it may have any value now`]
  const strange = sent.enum.filter((value) => read.enum?.includes(value) !== true)
  return strange.map((value) => `${where}: the value ${JSON.stringify(value)} is not one that is read`)
}

const forms = ["format", "contentEncoding", "contentMediaType"] as const

const compareForms = (sent: JsonSchema, read: JsonSchema, where: string): readonly string[] =>
  forms.flatMap((form) =>
    read[form] === undefined || read[form] === sent[form]
      ? []
      : [`${where}: its ${form} is ${sent[form] ?? "not said"} where ${read[form]} is read`],
  )

const least = ["minimum", "exclusiveMinimum", "minLength", "minItems"] as const
const most = ["maximum", "exclusiveMaximum", "maxLength", "maxItems"] as const

function compareBounds(sent: JsonSchema, read: JsonSchema, where: string): readonly string[] {
  const tighter = [
    ...least.filter((word) => (read[word] ?? -Infinity) > (sent[word] ?? -Infinity)),
    ...most.filter((word) => (read[word] ?? Infinity) < (sent[word] ?? Infinity)),
    ...(read.pattern !== undefined && read.pattern !== sent.pattern ? ["pattern"] : []),
  ]
  return tighter.map((word) => `${where}: its ${word} lets less in`)
}

function compareFields(
  way: Comparison["way"],
  sent: JsonSchema,
  read: JsonSchema,
  where: string,
  next: Next,
): readonly string[] {
  const [given, wanted] = [sent.properties ?? {}, read.properties ?? {}]
  const isRequired = (schema: JsonSchema, name: string): boolean => schema.required?.includes(name) === true
  const lost = Object.keys(wanted).flatMap((name) => {
    if (isRequired(read, name) && !isRequired(sent, name))
      return [`${where}.${name}: it ${way === "request" ? "is required now" : "may be absent now"}`]
    return way === "answer" && !(name in given) ? [`${where}.${name}: it is gone`] : []
  })
  const kept = Object.entries(given).flatMap(([name, schema]) => {
    const reader = wanted[name]
    if (reader !== undefined) return next(schema, reader, `${where}.${name}`)
    return way === "request" && read.additionalProperties === false
      ? [`${where}.${name}: it is not taken any more`]
      : []
  })
  return [...lost, ...kept, ...compareRest(sent, read, where, next)]
}

/** Values under names of the sender's choice. */
function compareRest(sent: JsonSchema, read: JsonSchema, where: string, next: Next): readonly string[] {
  const [given, wanted] = [sent.additionalProperties, read.additionalProperties]
  if (typeof given !== "object") return []
  if (wanted === false) return [`${where}: names of one's own are not taken any more`]
  return typeof wanted === "object" ? next(given, wanted, `${where}.*`) : []
}

function compareItems(sent: JsonSchema, read: JsonSchema, where: string, next: Next): readonly string[] {
  const [given, wanted] = [sent.prefixItems ?? [], read.prefixItems ?? []]
  const places = Math.max(given.length, wanted.length)
  const rest = (schema: JsonSchema): JsonSchema => (schema.items === false ? nothing : (schema.items ?? {}))
  const first = Array.from({ length: places }, (_, at) =>
    next(given[at] ?? rest(sent), wanted[at] ?? rest(read), `${where}[${at}]`),
  )
  const others =
    sent.items === undefined || sent.items === false ? [] : next(sent.items, rest(read), `${where}[]`)
  return [...first.flat(), ...others]
}
