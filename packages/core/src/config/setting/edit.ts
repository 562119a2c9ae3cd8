/**
 * A setting written into a file: comments, order and formatting of everything else stay as they are.
 *
 * The file is judged as it would be afterwards, before it is written: what is wrong with the new
 * value is said, and the file is left alone.
 */
import { realpathSync, statSync } from "node:fs"
import { join, relative, sep } from "node:path"
import { Effect } from "effect"
import { applyEdits, findNodeAtLocation, modify, type Node, parseTree } from "jsonc-parser"
import type { ConfigurationInvalid } from "@holdfast/schema/error"
import type { Json } from "@holdfast/schema/json"
import { readProjectFile, type ReadSettings, readUserFile } from "../decode.ts"
import type { Environment } from "../directories.ts"
import { configurationInvalid, type Fault } from "../document.ts"
import { fileNames, findFile, type ReadFile } from "../load.ts"
import { replaceFile } from "../replace-file.ts"
import { nearNames } from "@holdfast/schema/names/near-names"
import { isSettingName, settingNames } from "./table.ts"

export interface SettingEdit {
  /** As in `budget.tokens`; a name that has a dot itself is found if it is there. */
  readonly key: string
  /** Null takes the setting away. */
  readonly value: Json
  /** Where the file lies: the configuration directory, or the root of a project. */
  readonly directory: string
  readonly kind: "user" | "project"
  readonly environment: Environment
  readonly readFile: ReadFile
}

/** The file that was written; null where nothing was set that could be taken away. */
export const editSetting = Effect.fnUntraced(function* (
  edit: SettingEdit,
): Effect.fn.Return<string | null, ConfigurationInvalid> {
  const { directory, kind, environment, readFile } = edit
  const found = yield* findFile(directory, readFile)
  const file = found?.file ?? join(directory, fileNames[0] ?? "")
  const before = found?.text ?? ""
  const read = (text: string): ReadSettings =>
    kind === "project" ? readProjectFile(file, text) : readUserFile(file, text, environment)
  const text = withSetting(before, edit)
  if (typeof text !== "string") return yield* configurationInvalid(file, 0, text.fault)
  // A file of comments alone says nothing that could be wrong.
  if (edit.value === null && text === before && parseTree(before, [], parsing) === undefined) return null
  const fault = newFault(before === "" ? [] : noted(read(before)), noted(read(text)))
  if (fault !== null) {
    // Line and default are those of a file that is not written.
    const [said = ""] = fault.message.split(/ Until then (?:its|your own)| It is left out\.$/)
    const isOld = fault.message.startsWith("The syntax is wrong")
    return yield* configurationInvalid(file, isOld ? fault.line : 0, `${said} Nothing was written.`)
  }
  if (edit.value === null && text === before) return null
  return yield* Effect.try({
    try: () => writeText(file, text, edit),
    catch: (thrown) => cannotWrite(file, thrown),
  })
})

/** The text with the value at its place, or why it cannot stand there. */
export function withSetting(
  text: string,
  { key, value }: Pick<SettingEdit, "key" | "value">,
): string | { readonly fault: string } {
  const path = pathOf(text, key)
  const [top = ""] = path
  if (!isSettingName(top)) {
    const near = nearNames(top, settingNames)[0]
    const advice = near === undefined ? `Known: ${settingNames.join(", ")}.` : `Did you mean ${near}?`
    return { fault: `${top} is not a setting. ${advice}` }
  }
  if (path.some((name) => name === ""))
    return { fault: `${key} has an empty name in it. Write it as budget.tokens.` }
  const root = parseTree(text, [], parsing)
  if (value === null) return without(text, path, root)
  if (root !== undefined && root.type !== "object") return { fault: `${noObject} Nothing was written.` }
  const blocking = path.findIndex((_, at) => at > 0 && isValue(root, path.slice(0, at)))
  if (blocking > 0) {
    const name = path.slice(0, blocking).join(".")
    return {
      fault: `${name} must be an object to hold ${key}. Take it away first: holdfast config unset ${name}`,
    }
  }
  const base = root === undefined ? withObject(text) : text
  return applyEdits(base, modify(base, [...path], value, { formattingOptions: formattingOf(base) }))
}

const parsing = { allowTrailingComma: true }
const noObject = 'The file must be one object, as { "model": "NAME/MODEL" }.'

/** Of a file without any, behind the comments that it begins with. */
const withObject = (text: string): string => `${text === "" || text.endsWith("\n") ? text : `${text}\n`}{}\n`

function isValue(root: Node | undefined, path: readonly string[]): boolean {
  const node = root && findNodeAtLocation(root, [...path])
  return node !== undefined && node.type !== "object"
}

/** With the setting goes each section that holds nothing else; one with a comment in it stays. */
function without(text: string, path: readonly string[], root: Node | undefined): string {
  if (root === undefined || findNodeAtLocation(root, [...path]) === undefined) return text
  const edits = modify(text, [...path], undefined, { formattingOptions: formattingOf(text) })
  const left = applyEdits(text, edits)
  const section = path.slice(0, -1)
  if (section.length === 0) return left
  const now = parseTree(left, [], parsing)
  const node = now && findNodeAtLocation(now, [...section])
  const inside = node?.type === "object" ? left.slice(node.offset + 1, node.offset + node.length - 1) : null
  const empty = inside !== null && /^[\s,]*$/.test(inside)
  return empty ? without(left, section, now) : left
}

/** At each step the longest name that is there, since names of models have dots; else up to the next dot. */
function pathOf(text: string, key: string): readonly string[] {
  const path: string[] = []
  let node = parseTree(text, [], parsing)
  let rest = key
  while (rest !== "") {
    const properties = node?.type === "object" ? (node.children ?? []) : []
    const here = properties
      .filter(({ children }) => startsWithName(rest, String(children?.[0]?.value)))
      .sort((a, b) => nameLength(b) - nameLength(a))[0]
    const name = here === undefined ? rest.split(".", 1)[0]! : String(here.children?.[0]?.value)
    path.push(name)
    node = here?.children?.[1]
    rest = rest.slice(name.length + 1)
  }
  return path
}

const startsWithName = (rest: string, name: string): boolean => rest === name || rest.startsWith(`${name}.`)

const nameLength = ({ children }: { readonly children?: readonly { readonly value?: unknown }[] }): number =>
  String(children?.[0]?.value).length

function formattingOf(text: string) {
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? "  "
  return {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 1 : indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  }
}

const noted = ({ fields, warnings }: ReadSettings): readonly Fault[] => [
  ...fields.document.faults,
  ...warnings,
]

/** A file that cannot be read at all keeps its fault; what was wrong elsewhere before is no hindrance. */
function newFault(before: readonly Fault[], after: readonly Fault[]): Fault | null {
  const known = new Set(before.map(({ message }) => message))
  const syntax = after.find(({ message }) => message.startsWith("The syntax is wrong"))
  return syntax ?? after.find(({ message }) => !known.has(message)) ?? null
}

/** A link is followed, so that it stays one; in a project not to a place outside. */
function writeText(file: string, text: string, { kind, directory }: SettingEdit): string {
  const stats = statSync(file, { throwIfNoEntry: false })
  const real = stats === undefined ? file : realpathSync(file)
  if (kind === "project" && relative(realpathSync(directory), real).split(sep)[0] === "..")
    throw new Error("it leads out of the project")
  replaceFile(real, text, stats === undefined ? modeOf[kind] : stats.mode & 0o777)
  return real
}

const modeOf = { user: 0o600, project: 0o644 } as const

const cannotWrite = (file: string, thrown: unknown): ConfigurationInvalid =>
  configurationInvalid(
    file,
    0,
    `The file cannot be written: ${thrown instanceof Error ? thrown.message : String(thrown)}.`,
  )
