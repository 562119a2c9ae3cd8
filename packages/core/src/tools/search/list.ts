/**
 * list: shows a directory as a tree.
 *
 * Folders are opened level by level, so that what is near is shown before what is deep. What is not
 * shown is counted. Links are named and not followed.
 */
import type { Dirent } from "node:fs"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import { type IgnoreRules, isIgnored } from "../../files/ignore.ts"
import { ignoresAbove, ignoresIn, repositoryFolders, slashed } from "../../files/ignore-files.ts"
import { entriesIn } from "../../files/names.ts"
import { fileEffect } from "../location-path.ts"
import { pathResources } from "../../permission/resources.ts"
import { type Tool, type ToolContext, ToolFailure, type ToolResult, defineTool } from "../tool.ts"
import { counted, createResultPage, pageResult, visibleName } from "./result-page.ts"
import type { FileChoice } from "./ripgrep.ts"
import { findExisting } from "./search-place.ts"

const depthDefault = 2
const depthMax = 10
const entriesMax = 1_000
/** Of a folder below the one that is listed. */
const entriesOfFolderMax = 100

const Input = Schema.Struct({
  path: Schema.optionalKey(Schema.NonEmptyString),
  depth: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: depthMax }))),
  ignored: Schema.optionalKey(Schema.Boolean),
  hidden: Schema.optionalKey(Schema.Boolean),
})
type Input = typeof Input.Type

export const listTool: Tool = defineTool({
  name: "list",
  description:
    "Shows a directory inside the working directory as a tree. What .gitignore names and hidden files are left out and counted.",
  inputSchema: {
    type: "object",
    properties: {
      path: {
        type: "string",
        minLength: 1,
        description: "The directory; the working directory unless given.",
      },
      depth: { type: "integer", minimum: 1, maximum: 10, description: "Levels to show; 2 unless given." },
      ignored: { type: "boolean", description: "Shows what .gitignore names too." },
      hidden: { type: "boolean", description: "Shows hidden files too." },
    },
    additionalProperties: false,
  },
  repeatable: true,
  readOnly: true,
  input: Input,
  resources: ({ path = "." }, place) => pathResources("read", path, place),
  run: (input, context) => listInput(input, context),
})

const listInput = Effect.fnUntraced(function* (
  input: Input,
  context: ToolContext,
): Effect.fn.Return<ToolResult, ToolFailure> {
  const path = input.path ?? "."
  const { absolute, shown, stats } = yield* findExisting(context, path)
  if (!stats.isDirectory()) {
    const message = `${path} is no directory. Use read to see a file.`
    return yield* new ToolFailure({ code: "not_a_directory", message })
  }
  const depth = input.depth ?? depthDefault
  const tree = yield* fileEffect(path, () => readTree(absolute, depth, input))
  return treeResult(tree, `${slashed(shown)}/`, depth)
})

interface Folder {
  readonly path: string
  readonly ignores: readonly IgnoreRules[]
  readonly children: Child[]
  /** Entries beyond those that are shown. */
  more: number
}

interface Child {
  readonly entry: Dirent
  /** Null for what is no folder, or was not opened. */
  folder: Folder | null
}

interface Tree {
  readonly root: Folder
  readonly left: LeftOut
}

/** What is not shown, and why. */
interface LeftOut {
  ignored: number
  hidden: number
  /** Folders below the depth, or beyond the entries that are shown. */
  unopened: number
  unreadable: number
}

async function readTree(directory: string, depth: number, choice: FileChoice): Promise<Tree> {
  const left: LeftOut = { ignored: 0, hidden: 0, unopened: 0, unreadable: 0 }
  const root = await openFolder(directory, await ignoresAbove(directory), { choice, left, limit: entriesMax })
  let room = entriesMax - root.children.length
  let level = [root]
  for (let at = 1; level.length > 0; at++) {
    const next: Folder[] = []
    for (const { folder, child } of level.flatMap(foldersIn)) {
      if (at === depth || room <= 0) left.unopened += 1
      else {
        const limit = Math.min(room, entriesOfFolderMax)
        child.folder = await enter(folder, child.entry.name, { choice, left, limit })
        room -= child.folder?.children.length ?? 0
        if (child.folder !== null) next.push(child.folder)
      }
    }
    level = next
  }
  return { root, left }
}

const foldersIn = (folder: Folder): readonly { readonly folder: Folder; readonly child: Child }[] =>
  folder.children.filter(({ entry }) => entry.isDirectory()).map((child) => ({ folder, child }))

interface Opening {
  readonly choice: FileChoice
  readonly left: LeftOut
  readonly limit: number
}

/** Null for a folder that vanished or may not be read. */
async function enter({ path, ignores }: Folder, name: string, opening: Opening): Promise<Folder | null> {
  const below = join(path, name)
  return openFolder(below, [...ignores, ...(await ignoresIn(below))], opening).catch(() => {
    opening.left.unreadable += 1
    return null
  })
}

async function openFolder(path: string, ignores: readonly IgnoreRules[], opening: Opening): Promise<Folder> {
  const { choice, left, limit } = opening
  let wanted = 0
  const entries = await entriesIn(path, {
    beside: null,
    direction: "next",
    limit,
    wanted: (entry) => {
      const why = passedOver(entry, path, ignores, choice)
      if (why === null) wanted += 1
      else left[why] += 1
      return why === null
    },
  })
  const children = entries.map((entry): Child => ({ entry, folder: null }))
  return { path, ignores, children, more: wanted - children.length }
}

function passedOver(
  entry: Dirent,
  path: string,
  ignores: readonly IgnoreRules[],
  { ignored = false, hidden = false }: FileChoice,
): "ignored" | "hidden" | null {
  if (repositoryFolders.has(entry.name) || (!hidden && entry.name.startsWith("."))) return "hidden"
  if (ignored) return null
  return isIgnored(ignores, `${slashed(path)}/${entry.name}`, entry.isDirectory()) ? "ignored" : null
}

function treeResult({ root, left }: Tree, title: string, depth: number): ToolResult {
  const lines = [title, ...linesOf(root, 1)]
  const page = createResultPage()
  const shown = lines.findIndex((line) => !page.add(line))
  const rest = shown === -1 ? [] : lines.slice(shown)
  const { ignored, hidden, unopened, unreadable } = left
  const notes = [
    root.children.length === 0 ? "nothing to show" : null,
    rest.length > 0 ? `${counted(rest.length, "more line")} left out; list a smaller directory` : null,
    unopened > 0 ? `${counted(unopened, "folder")} not opened; the depth is ${depth}` : null,
    ignored + hidden > 0 ? `left out: ${ignored} ignored, ${hidden} hidden` : null,
    unreadable > 0 ? `${counted(unreadable, "folder")} could not be read` : null,
  ]
  const bytes = rest.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)
  const more = moreIn(root) + rest.length
  const { text, omitted } = pageResult(page, notes, { lines: more, bytes })
  return { text, structured: { ...left, more }, omitted }
}

function linesOf({ children, more }: Folder, level: number): readonly string[] {
  const indent = "  ".repeat(level)
  const shown = children.flatMap(({ entry, folder }) => [
    `${indent}${visibleName(entry.name)}${entry.isDirectory() ? "/" : entry.isSymbolicLink() ? "@" : ""}`,
    ...(folder === null ? [] : linesOf(folder, level + 1)),
  ])
  return more > 0 ? [...shown, `${indent}[${counted(more, "more entry", "more entries")}]`] : shown
}

const moreIn = ({ children, more }: Folder): number =>
  more + children.reduce((sum, { folder }) => sum + (folder === null ? 0 : moreIn(folder)), 0)
