/**
 * Toolbox: how the offline agent turns an action into a call of a tool that is really offered.
 *
 * Names and argument keys differ between runtimes, so both are looked up in the definitions.
 */
import type { ReplyBlock, ViewTool } from "../model.ts"
import { isObject, wordOf } from "../json.ts"
import type { Action } from "./task.ts"

type CallBlock = Extract<ReplyBlock, { type: "tool_use" }>

const namesOf: Record<Action["kind"], readonly string[]> = {
  read: ["read", "read_file"],
  write: ["write", "write_file"],
  bash: ["bash", "shell"],
  list: ["list", "ls"],
  search: ["grep", "search"],
}

/** How a tool that reads files says that it takes folders too. */
const listsPattern = /\blists?\b[^.]*\b(?:director|folder)/i

const pathKeys = ["path", "filePath", "file_path", "file"]

/** The call for an action, or nothing if no offered tool can do it. */
export function callFor(action: Action, tools: readonly ViewTool[]): CallBlock | undefined {
  const tool = toolOf(action.kind, tools)
  if (tool !== undefined) return { type: "tool_use", name: tool.name, input: inputFor(action, tool) }
  const reader = action.kind === "list" ? toolOf("read", tools) : undefined
  if (action.kind === "list" && reader !== undefined && listsPattern.test(reader.description))
    return callFor({ kind: "read", path: asFolder(action.path) }, [reader])
  const command = shellFor(action)
  return command === undefined ? undefined : callFor({ kind: "bash", command }, tools)
}

/** The kind of action a tool name stands for. */
export function kindOf(name: string): Action["kind"] | undefined {
  return (Object.keys(namesOf) as Action["kind"][]).find((kind) => namesOf[kind].includes(name))
}

/** What `--allow` has to name for an action: Holdfast lists and searches with `bash`. */
export function toolNameOf({ kind }: Action): "read" | "write" | "bash" {
  return kind === "list" || kind === "search" ? "bash" : kind
}

/** Whether a call asked a tool that reads files for the entries of a folder. */
export function isListing({ name, input }: Pick<CallBlock, "name" | "input">): boolean {
  const target = targetOf(input)
  return kindOf(name) === "read" && (target === "." || target.endsWith("/"))
}

/** The file or command a call was about. */
export function targetOf(input: Readonly<Record<string, unknown>>): string {
  const keys = [...pathKeys, "command", "cmd", "pattern", "query"]
  const key = keys.find((item) => typeof input[item] === "string")
  return key === undefined ? "" : wordOf(input[key])
}

function toolOf(kind: Action["kind"], tools: readonly ViewTool[]): ViewTool | undefined {
  return tools.find((tool) => namesOf[kind].includes(tool.name))
}

/** With a slash at the end, so that the result is recognised as a listing. */
const asFolder = (path: string): string => (path === "." || path.endsWith("/") ? path : `${path}/`)

function shellFor(action: Action): string | undefined {
  if (action.kind === "list") return `ls ${quote(action.path)}`
  if (action.kind === "search") return `grep -rn -- ${quote(action.pattern)} .`
  return undefined
}

function quote(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

function inputFor(action: Action, tool: ViewTool): Readonly<Record<string, unknown>> {
  const properties = isObject(tool.inputSchema["properties"]) ? tool.inputSchema["properties"] : {}
  const pick = (keys: readonly string[]) => keys.find((key) => key in properties) ?? keys[0] ?? "value"
  const input: Record<string, unknown> = {}
  switch (action.kind) {
    case "read":
      input[pick(pathKeys)] = action.path
      break
    case "list":
      input[pick([...pathKeys, "directory"])] = action.path
      break
    case "write":
      input[pick(pathKeys)] = action.path
      input[pick(["content", "contents", "text"])] = action.content ?? ""
      break
    case "bash":
      input[pick(["command", "cmd"])] = action.command
      break
    case "search":
      input[pick(["pattern", "query"])] = action.pattern
      break
  }
  return { ...requiredTexts(tool, properties, input), ...input }
}

/** Required strings that no action knows, such as a description, get an honest filler. */
function requiredTexts(
  tool: ViewTool,
  properties: Readonly<Record<string, unknown>>,
  input: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const required = tool.inputSchema["required"]
  if (!Array.isArray(required)) return {}
  const missing = required.filter((key): key is string => {
    const property = typeof key === "string" && !(key in input) ? properties[key] : undefined
    return isObject(property) && property["type"] === "string"
  })
  return Object.fromEntries(missing.map((key) => [key, "Asked for by the user"]))
}
