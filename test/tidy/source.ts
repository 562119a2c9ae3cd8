/** The source files of the repository, parsed once, as the tidy tests look at them. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseSync } from "vite"
import { repositoryRoot } from "../../scripts/command.ts"

export interface SourceFile {
  /** From the root, with forward slashes. */
  readonly path: string
  readonly text: string
}

/** A node of the syntax tree, as far as tidy looks at it. */
export interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

const foldersSkipped = new Set(["node_modules", "dist", "coverage"])

/** Every file below the folders, in a stable order. */
export function listFiles(...folders: readonly string[]): string[] {
  return folders
    .flatMap((folder) => walkFolder(folder))
    .filter((path) => !path.split("/").some((part) => part.startsWith(".")))
    .sort()
}

export function readSource(path: string): SourceFile {
  return { path, text: readFileSync(join(repositoryRoot, path), "utf8") }
}

/** TypeScript and JavaScript files below the folders. */
export function listSources(...folders: readonly string[]): SourceFile[] {
  return listFiles(...folders)
    .filter((path) => /\.[cm]?[jt]sx?$/.test(path))
    .map(readSource)
}

/** Sources of the packages, without their tests. */
export const packageSources = (): SourceFile[] =>
  listSources("packages").filter((file) => /^packages\/([^/]+|adapters\/[^/]+)\/src\//.test(file.path))

/** Every module specifier that a file names, type imports and re-exports too. */
export function importsOf(file: SourceFile): readonly string[] {
  const known = imports.get(file)
  if (known !== undefined) return known
  const found: string[] = []
  visit(treeOf(file), (node) => {
    const source = node["source"] as SyntaxNode | null | undefined
    const isImport = /^(Import|ExportNamed|ExportAll)Declaration$|^(Import|TSImport)/.test(node.type)
    if (isImport && typeof source?.["value"] === "string") found.push(source["value"])
  })
  imports.set(file, found)
  return found
}

/** A test looks at the imports of one file for each file that leads to it. */
const imports = new WeakMap<SourceFile, readonly string[]>()

/** Every string in a file: literals and the fixed pieces of templates. */
export function stringsOf(file: SourceFile): string[] {
  const found: string[] = []
  visit(treeOf(file), (node) => {
    if (node.type === "Literal" && typeof node["value"] === "string") found.push(node["value"])
    if (node.type === "TemplateElement")
      found.push((node["value"] as { readonly cooked: string | null }).cooked ?? "")
  })
  return found
}

/** Names that a file exports, of values and types. */
export function exportedNames(file: SourceFile): string[] {
  return exportsOf(file).map((each) => each.name)
}

/** Names of the values that a file exports by declaring them. */
export function exportedValues(file: SourceFile): string[] {
  return exportsOf(file)
    .filter((each) => /^(Variable|Function|Class)/.test(each.kind))
    .map((each) => each.name)
}

function exportsOf(file: SourceFile): ReadonlyArray<{ readonly name: string; readonly kind: string }> {
  const found: Array<{ readonly name: string; readonly kind: string }> = []
  visit(treeOf(file), (node) => {
    if (node.type === "ExportSpecifier") found.push({ name: nameOf(node["exported"]), kind: node.type })
    if (node.type !== "ExportNamedDeclaration") return
    const declaration = node["declaration"] as SyntaxNode | null
    if (declaration === null) return
    const declarators = (declaration["declarations"] as readonly SyntaxNode[] | undefined) ?? [declaration]
    for (const each of declarators) found.push({ name: nameOf(each["id"]), kind: declaration.type })
  })
  return found.filter((each) => each.name !== "")
}

/** Calls `look` for each node, parents first, with the chain of its ancestors, nearest last. */
export function visit(
  node: SyntaxNode,
  look: (node: SyntaxNode, ancestors: readonly SyntaxNode[]) => void,
  ancestors: SyntaxNode[] = [],
): void {
  look(node, ancestors)
  ancestors.push(node)
  for (const value of Object.values(node)) {
    if (Array.isArray(value)) {
      for (const child of value) if (isNode(child)) visit(child, look, ancestors)
    } else if (isNode(value)) visit(value, look, ancestors)
  }
  ancestors.pop()
}

const trees = new Map<string, SyntaxNode>()

export function treeOf(file: SourceFile): SyntaxNode {
  const known = trees.get(file.path)
  if (known !== undefined) return known
  const { program, errors } = parseSync(file.path, file.text)
  if (errors.length > 0) throw new Error(`${file.path} does not parse: ${errors[0]?.message}`)
  const tree = program as unknown as SyntaxNode
  trees.set(file.path, tree)
  return tree
}

export function nameOf(node: unknown): string {
  if (!isNode(node)) return ""
  const name = node["name"] ?? node["value"]
  return typeof name === "string" ? name : ""
}

export function lineAt(file: SourceFile, offset: number): number {
  return file.text.slice(0, offset).split("\n").length
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string"
}

function walkFolder(folder: string): string[] {
  // git keeps no empty folders, so a fresh checkout may lack one.
  if (!existsSync(join(repositoryRoot, folder))) return []
  return readdirSync(join(repositoryRoot, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "." ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) return foldersSkipped.has(entry.name) ? [] : walkFolder(path)
    return entry.isFile() ? [path] : []
  })
}
