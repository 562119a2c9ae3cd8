/**
 * Document: a JSONC text read field by field, where every fault knows its line.
 *
 * Readers never throw and never stop at the first fault: they note it and go on, and the caller
 * looks at the notes at the end. A fault quotes keys of the text, never values: a value may be a
 * secret that stands in the wrong place.
 */
import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser"
import { ConfigurationInvalid } from "@holdfast/schema/error"
import type { JsonObject } from "@holdfast/schema/json"
import { nearNames } from "@holdfast/schema/names/near-names"

export interface Document {
  readonly file: string
  readonly text: string
  readonly faults: Fault[]
}

export interface Fault {
  /** Counts from 1; 0 where there is no text, only values or a file that cannot be read. */
  readonly line: number
  readonly message: string
  /** What holds where only a part of a setting falls back; null where it is left out. Without it all of the setting is meant. */
  readonly otherwise?: string | null
}

/** The fields of one object, by key. */
export interface Fields {
  readonly document: Document
  /** Where it stands, as in `providers.local`; empty at the top. */
  readonly path: string
  readonly node: Node
  readonly byKey: ReadonlyMap<string, Node>
}

const emptyNode: Node = { type: "object", offset: 0, length: 0 }

/** The object at the top of a text, or no fields and a fault; null allows any key. */
export function openDocument(file: string, text: string, known: readonly string[] | null): Fields {
  const document: Document = { file, text, faults: [] }
  const errors: ParseError[] = []
  const root = parseTree(text.replace(/^\uFEFF/, " "), errors, { allowTrailingComma: true })
  const first = errors[0]
  if (first !== undefined) {
    const what = syntaxAdvice[printParseErrorCode(first.error)] ?? "this is not valid JSONC"
    note(document, first.offset, `The syntax is wrong: ${what}.`)
    return { document, path: "", node: emptyNode, byKey: new Map() }
  }
  return fieldsOf(document, "", root ?? emptyNode, known)
}

/** The fields of an object, keys outside `known` noted; null allows any key. */
function fieldsOf(document: Document, path: string, node: Node, known: readonly string[] | null): Fields {
  const byKey = new Map<string, Node>()
  if (node.type !== "object") {
    note(document, node.offset, `${path === "" ? "The file" : path} must be an object in braces.`)
    return { document, path, node, byKey }
  }
  for (const property of node.children ?? []) {
    const [keyNode, value] = property.children ?? []
    if (keyNode === undefined || value === undefined) continue
    const key = String(keyNode.value)
    if (byKey.has(key)) note(document, keyNode.offset, `${join(path, key)} is set twice. Keep one of them.`)
    else if (known !== null && !known.includes(key)) {
      note(document, keyNode.offset, `${join(path, key)} is not a setting. Known here: ${known.join(", ")}.`)
    }
    byKey.set(key, value)
  }
  return { document, path, node, byKey }
}

/** The objects below a key, by their own keys; none if the key is not there. */
export function objectsIn(fields: Fields, key: string, known: readonly string[] | null): Map<string, Fields> {
  const node = fields.byKey.get(key)
  if (node === undefined) return new Map()
  const path = join(fields.path, key)
  const outer = fieldsOf(fields.document, path, node, null)
  return new Map(
    [...outer.byKey].map(([name, value]) => [
      name,
      fieldsOf(fields.document, join(path, name), value, known),
    ]),
  )
}

export function objectIn(fields: Fields, key: string, known: readonly string[]): Fields | undefined {
  const node = fields.byKey.get(key)
  return node === undefined ? undefined : fieldsOf(fields.document, join(fields.path, key), node, known)
}

/** The parts of one setting, each with what holds where it is wrong; null where nothing of the setting may be taken then. */
export interface Parts<K extends string> {
  readonly fields: Fields
  readonly byKey: Readonly<Record<K, string | null>>
}

/** An unknown key is left out, unless it was meant for a part that must not be missed. */
export function partsIn<K extends string>(
  outer: Fields,
  key: string,
  byKey: Parts<K>["byKey"],
): Parts<K> | undefined {
  const node = outer.byKey.get(key)
  if (node === undefined) return undefined
  const { document } = outer
  const fields = fieldsOf(document, join(outer.path, key), node, null)
  const known = Object.keys(byKey) as K[]
  for (const name of fields.byKey.keys()) {
    if (known.some((one) => one === name)) continue
    const near = nearNames(name, known)
    const advice = near.length === 0 ? `Known here: ${known.join(", ")}.` : `Did you mean ${near[0]}?`
    const { noted } = notedBy(document, () => faultAt(fields, name, `is not a setting. ${advice}`))
    const isMeant = known.some((one) => byKey[one] === null && near.includes(one))
    document.faults.push(...(isMeant ? noted : noted.map((fault) => ({ ...fault, otherwise: null }))))
  }
  return { fields, byKey }
}

/** One part, or nothing where it is wrong. */
export function partIn<K extends string, A>(
  { fields, byKey }: Parts<K>,
  key: K,
  read: (fields: Fields, key: K) => A,
): A | undefined {
  const { document } = fields
  const { result, noted } = notedBy(document, () => read(fields, key))
  const otherwise = byKey[key]
  document.faults.push(...(otherwise === null ? noted : noted.map((fault) => ({ ...fault, otherwise }))))
  return noted.length === 0 ? result : undefined
}

/** What was noted meanwhile, taken out of the document again. */
export function notedBy<A>(
  { faults }: Document,
  work: () => A,
): { readonly result: A; readonly noted: readonly Fault[] } {
  const before = faults.length
  const result = work()
  return { result, noted: faults.splice(before) }
}

/** A text that is not blank, or nothing. */
export function textIn(fields: Fields, key: string, example: string): string | undefined {
  const node = fields.byKey.get(key)
  if (node === undefined) return undefined
  const value: unknown = node.value
  if (node.type === "string" && typeof value === "string" && value.trim() !== "") return value
  faultAt(fields, key, `must be a text such as ${example}.`)
  return undefined
}

export function numberIn(fields: Fields, key: string, kind: "count" | "amount"): number | undefined {
  const node = fields.byKey.get(key)
  if (node === undefined) return undefined
  const value: unknown = node.value
  if (typeof value === "number" && Number.isFinite(value)) {
    if (kind === "amount" ? value >= 0 : Number.isSafeInteger(value) && value > 0) return value
  }
  faultAt(fields, key, kind === "count" ? "must be a whole number above 0." : "must be a number, 0 or more.")
  return undefined
}

export function truthIn(fields: Fields, key: string): boolean | undefined {
  const node = fields.byKey.get(key)
  if (node === undefined) return undefined
  if (typeof node.value === "boolean") return node.value
  faultAt(fields, key, "must be true or false.")
  return undefined
}

/** Texts in a list, none of them blank. */
export function textsIn(fields: Fields, key: string, example: string): readonly string[] | undefined {
  const node = fields.byKey.get(key)
  if (node === undefined) return undefined
  const values = (node.type === "array" ? (node.children ?? []) : []).map((child): unknown => child.value)
  const texts = values.filter((value) => typeof value === "string" && value.trim() !== "")
  if (texts.length > 0 && texts.length === values.length) return texts as readonly string[]
  faultAt(fields, key, `must be a list of texts such as ${example}.`)
  return undefined
}

/** Notes what is wrong with one text of a list. */
export interface ListedText {
  readonly text: string
  readonly line: number
  readonly fault: (message: string) => void
}

/** The texts of a list, which may be empty, each with its line; none where the key is not there. */
export function listIn(fields: Fields, key: string, example: string): readonly ListedText[] {
  const node = fields.byKey.get(key)
  if (node === undefined) return []
  const children = node.type === "array" ? (node.children ?? []) : null
  if (children?.every((child) => typeof child.value === "string") !== true) {
    faultAt(fields, key, `must be a list of texts such as ${example}.`)
    return []
  }
  const { document } = fields
  return children.map(({ value, offset }) => ({
    text: String(value),
    line: lineAt(document.text, offset),
    fault: (message) => note(document, offset, message),
  }))
}

export function choiceIn<C extends string>(
  fields: Fields,
  key: string,
  choices: readonly C[],
): C | undefined {
  const node = fields.byKey.get(key)
  if (node === undefined) return undefined
  const found = choices.find((choice) => choice === node.value)
  if (found === undefined) faultAt(fields, key, `must be one of ${choices.join(", ")}.`)
  return found
}

/** An object of any content. */
export function jsonIn(fields: Fields, key: string): JsonObject | undefined {
  const node = fields.byKey.get(key)
  if (node === undefined) return undefined
  if (node.type === "object") return getNodeValue(node) as JsonObject
  faultAt(fields, key, "must be an object in braces.")
  return undefined
}

/** Notes a fault at a property of that name somewhere below a key, or at the key. */
export function faultBelow(fields: Fields, key: string, name: string, rest: string): void {
  const node = fields.byKey.get(key) ?? fields.node
  const found = propertiesBelow(node).find((property) => property.name === name)
  note(fields.document, (found?.node ?? node).offset, `${join(join(fields.path, key), name)} ${rest}`)
}

/** Notes a fault at each property below these fields that has one of the names. */
export function faultAtEach(fields: Fields, key: string, names: readonly string[], rest: string): number {
  const node = fields.byKey.get(key)
  const own = names.includes(key) && node !== undefined ? [{ name: key, node }] : []
  const found = [...own, ...(node === undefined ? [] : propertiesBelow(node))].filter(({ name }) =>
    names.includes(name),
  )
  for (const each of found) note(fields.document, each.node.offset, `${each.name} ${rest}`)
  return found.length
}

function propertiesBelow(node: Node): readonly { readonly name: string; readonly node: Node }[] {
  return (node.children ?? []).flatMap((child) => {
    if (child.type !== "property") return propertiesBelow(child)
    const [key, value] = child.children ?? []
    if (key === undefined) return []
    return [{ name: String(key.value), node: key }, ...(value === undefined ? [] : propertiesBelow(value))]
  })
}

/** Notes a fault at a key, or at the object itself where the key is missing. */
export function faultAt(fields: Fields, key: string, rest: string): void {
  const node = fields.byKey.get(key) ?? fields.node
  note(fields.document, node.offset, `${join(fields.path, key)} ${rest}`)
}

/** The line that a key of these fields stands on, from 1. */
export const lineOf = ({ document, byKey, node }: Fields, key: string): number =>
  lineAt(document.text, (byKey.get(key) ?? node).offset)

/** Every key with its line, and below one that holds an object each key of that: `providers`, `providers.local`. */
export const setKeys = (fields: Fields): readonly { readonly key: string; readonly line: number }[] =>
  [...fields.byKey].flatMap(([key, node]) => [
    { key, line: lineOf(fields, key) },
    ...(node.type === "object" ? (node.children ?? []) : []).flatMap(({ children = [] }) =>
      children[0] === undefined
        ? []
        : [
            {
              key: `${key}.${String(children[0].value)}`,
              line: lineAt(fields.document.text, children[0].offset),
            },
          ],
    ),
  ])

/** The first fault of a document in the order of its lines, as the failure that callers meet. */
export function firstFault({ file, faults }: Document): ConfigurationInvalid | null {
  const first = [...faults].sort((a, b) => a.line - b.line)[0]
  return first === undefined ? null : configurationInvalid(file, first.line, first.message)
}

export const configurationInvalid = (file: string, line: number, message: string): ConfigurationInvalid =>
  new ConfigurationInvalid({ file, line, message: placed(file, { line, message }) })

/** A fault with its file and line in front. */
export const placed = (file: string, { line, message }: Fault): string =>
  `${line === 0 ? file : `${file}:${line}`}: ${message}`

/** Where a thing is, as a path; without a key it is the thing above. */
const join = (path: string, key: string): string => [path, key].filter((part) => part !== "").join(".")

function note(document: Document, offset: number, message: string): void {
  document.faults.push({ line: lineAt(document.text, offset), message })
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length
}

const syntaxAdvice: Readonly<Record<string, string>> = {
  InvalidSymbol: "a word stands here that is neither a text in quotes nor a number, true, false or null",
  PropertyNameExpected: "a key in double quotes is expected here",
  ValueExpected: "a value is missing here",
  ColonExpected: "a colon is missing between a key and its value",
  CommaExpected: "a comma is missing before this",
  CloseBraceExpected: "a closing brace is missing",
  CloseBracketExpected: "a closing bracket is missing",
  EndOfFileExpected: "something follows after the end",
  UnexpectedEndOfString: "a text is not closed by a double quote on its line",
  UnexpectedEndOfComment: "a comment is not closed",
}
