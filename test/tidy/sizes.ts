/**
 * How long files and functions are.
 *
 * A function owns the lines that are not those of a named function inside it: a factory that
 * holds ten small functions is not long, a callback written in place counts as its parent.
 * Generated code and test files have no limit; what tests share has.
 */
import type { Exception } from "./ratchets.ts"
import { lineAt, listSources, nameOf, treeOf, visit } from "./source.ts"
import type { SourceFile, SyntaxNode } from "./source.ts"

export const fileLinesMax = 400
export const functionLinesMax = 70
/** What a folder may hold in all: these two once grew by copies of each other's rules. */
export const folderLinesMax: Readonly<Record<string, number>> = {
  "packages/llm/src": 12_500,
  "packages/provider-sim/src": 12_000,
}

export interface Size {
  readonly place: string
  readonly lines: number
}

export const limitedSources = (): SourceFile[] =>
  listSources("packages", "scripts", "test", "examples").filter(
    (file) => !file.path.includes("/generated/") && !/\.(test|spec)\.[cm]?tsx?$/.test(file.path),
  )

export const fileSizes = (files: readonly SourceFile[]): Size[] =>
  files.map((file) => ({ place: file.path, lines: file.text.trimEnd().split("\n").length }))

export const folderSize = (sizes: readonly Size[], folder: string): number =>
  sizes.filter(({ place }) => place.startsWith(`${folder}/`)).reduce((sum, { lines }) => sum + lines, 0)

/** Sizes of functions by `path#name`, the longest where a name occurs twice. */
export function functionSizes(files: readonly SourceFile[]): Size[] {
  const longest = new Map<string, number>()
  for (const file of files) {
    for (const { name, lines } of ownLines(file)) {
      const place = `${file.path}#${name}`
      longest.set(place, Math.max(lines, longest.get(place) ?? 0))
    }
  }
  return [...longest].map(([place, lines]) => ({ place, lines }))
}

/** What breaks the ratchet, each as a sentence that says what to do. */
export function judgeSizes(
  sizes: readonly Size[],
  linesMax: number,
  exceptions: Readonly<Record<string, Exception>>,
): string[] {
  const listed = "test/tidy/ratchets.json"
  const known = new Map(sizes.map((size) => [size.place, size.lines]))
  const tooLong = sizes
    .filter((size) => size.lines > (exceptions[size.place]?.lines ?? linesMax))
    .map(
      ({ place, lines }) =>
        `${place} has ${lines} lines (limit ${exceptions[place]?.lines ?? linesMax}): split it.`,
    )
  const needless = Object.keys(exceptions)
    .filter((place) => (known.get(place) ?? 0) <= linesMax)
    .map((place) => `${place} needs its exception in ${listed} no more: run \`npx node scripts/ratchet.ts\`.`)
  const unexplained = Object.entries(exceptions)
    .filter(([, exception]) => exception.reason.trim().length < 10)
    .map(([place]) => `${place} needs a reason in ${listed}.`)
  return [...tooLong, ...needless, ...unexplained]
}

interface Measured {
  readonly name: string
  readonly lines: number
}

function ownLines(file: SourceFile): Measured[] {
  const own = new Map<SyntaxNode, Measured>()
  const named = new Set<SyntaxNode>()
  visit(treeOf(file), (node, ancestors) => {
    if (!isFunction(node)) return
    const lines = lineAt(file, node.end) - lineAt(file, node.start) + 1
    own.set(node, { name: nameFor(node, ancestors), lines })
    if (!isNamed(node, ancestors)) return
    named.add(node)
    for (const parent of ancestors.filter(isFunction).toReversed()) {
      const measured = own.get(parent)
      if (measured !== undefined) own.set(parent, { ...measured, lines: measured.lines - lines })
      // The whole of a named parent is taken off its ancestors already.
      if (named.has(parent)) break
    }
  })
  return [...own.values()]
}

const isFunction = (node: SyntaxNode): boolean =>
  /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)

const holders = /^(VariableDeclarator|Property|PropertyDefinition|MethodDefinition)$/

function isNamed(node: SyntaxNode, ancestors: readonly SyntaxNode[]): boolean {
  if (node.type === "FunctionDeclaration") return true
  const outer = ancestors.toReversed()
  // `const step = Effect.fn("step")(function* () { … })` names its generator too.
  const holder = outer.find((ancestor) => ancestor.type !== "CallExpression" || !isEffectCall(ancestor))
  return holder !== undefined && holders.test(holder.type)
}

function isEffectCall(call: SyntaxNode): boolean {
  let callee = call["callee"] as SyntaxNode
  while (callee.type === "CallExpression") callee = callee["callee"] as SyntaxNode
  return callee.type === "MemberExpression" && nameOf(callee["object"]) === "Effect"
}

function nameFor(node: SyntaxNode, ancestors: readonly SyntaxNode[]): string {
  const named = [...ancestors, node].toReversed().find((each) => nameOf(each["id"] ?? each["key"]) !== "")
  return named === undefined ? "anonymous" : nameOf(named["id"] ?? named["key"])
}
