/** A declaration file as a list of statements: what each declares, mentions, imports or passes on. */
import { parseSync } from "vite"

export interface DeclarationModule {
  readonly path: string
  readonly text: string
  readonly statements: readonly Statement[]
  /** Every module that it names. */
  readonly sources: readonly string[]
}

interface Placed {
  /** Where the comments before the statement begin. */
  readonly from: number
  readonly start: number
  readonly end: number
}

interface Declaration extends Placed {
  readonly kind: "declaration"
  readonly names: readonly string[]
  readonly exported: boolean
  /** Every identifier in it. */
  readonly mentions: ReadonlySet<string>
  /** `import("source").name` in it. */
  readonly inline: readonly { readonly source: string; readonly name: string }[]
}

export interface Passage extends Placed {
  readonly kind: "import" | "export"
  /** `import type`, `export`, … */
  readonly keyword: string
  readonly source: string | null
  readonly links: readonly PassageLink[]
}

interface PassageLink {
  /** The name there, or `*` for the module as a whole. */
  readonly name: string
  /** The name here. */
  readonly as: string
  readonly text: string
  /** What stands in place of a list in braces. */
  readonly clause: string | null
}

type Statement = Declaration | Passage

interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

export function readModule(path: string, text: string): DeclarationModule {
  const { program, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors[0]?.message}`)
  let from = 0
  const statements = (program.body as unknown as readonly SyntaxNode[]).map((node) => {
    const statement = readStatement(node, text, from)
    from = node.end
    return statement
  })
  const sources = statements.flatMap((statement) =>
    statement.kind === "declaration"
      ? statement.inline.map(({ source }) => source)
      : (statement.source ?? []),
  )
  return { path, text, statements, sources }
}

function readStatement(node: SyntaxNode, text: string, from: number): Statement {
  const place = { from, start: node.start, end: node.end }
  if (node.type === "ImportDeclaration") {
    return { ...place, kind: "import", ...passage(node, "import", "importKind", "imported", "local", text) }
  }
  if (node.type === "ExportAllDeclaration") {
    const as = node["exported"] === null ? "*" : nameOf(node["exported"])
    const clause = as === "*" ? "*" : `* as ${as}`
    const links = [{ name: "*", as, text: "", clause }]
    return {
      ...place,
      kind: "export",
      keyword: keywordOf(node, "export", "exportKind"),
      source: sourceOf(node),
      links,
    }
  }
  const declared = node["declaration"] as SyntaxNode | null | undefined
  if (node.type === "ExportNamedDeclaration" && declared === null) {
    return { ...place, kind: "export", ...passage(node, "export", "exportKind", "local", "exported", text) }
  }
  return { ...place, kind: "declaration", exported: declared !== undefined, ...declaration(declared ?? node) }
}

function passage(
  node: SyntaxNode,
  word: "import" | "export",
  kindKey: string,
  nameKey: string,
  asKey: string,
  text: string,
): Pick<Passage, "keyword" | "source" | "links"> {
  const links = (node["specifiers"] as readonly SyntaxNode[]).map((specifier) => {
    const own = text.slice(specifier.start, specifier.end)
    const whole = specifier.type === "ImportNamespaceSpecifier"
    return {
      name: whole ? "*" : nameOf(specifier[nameKey]),
      as: nameOf(specifier[asKey]),
      text: own,
      clause: whole ? own : null,
    }
  })
  return { keyword: keywordOf(node, word, kindKey), source: sourceOf(node), links }
}

function declaration(node: SyntaxNode): Pick<Declaration, "names" | "mentions" | "inline"> {
  const declarators = (node["declarations"] as readonly SyntaxNode[] | undefined) ?? [node]
  const mentions = new Set<string>()
  const inline: { readonly source: string; readonly name: string }[] = []
  visit(node, (each) => {
    if (each.type === "Identifier") mentions.add(nameOf(each))
    if (each.type === "TSImportType")
      inline.push({ source: sourceOf(each) ?? "", name: firstName(each["qualifier"]) })
  })
  return { names: declarators.map((each) => nameOf(each["id"])), mentions, inline }
}

/** Of `A.B` the name A; of nothing, the whole module. */
function firstName(qualifier: unknown): string {
  if (!isNode(qualifier)) return "*"
  return qualifier["left"] === undefined ? nameOf(qualifier) : firstName(qualifier["left"])
}

const keywordOf = (node: SyntaxNode, word: string, kindKey: string): string =>
  node[kindKey] === "type" ? `${word} type` : word

function sourceOf(node: SyntaxNode): string | null {
  const source = node["source"]
  return isNode(source) && typeof source["value"] === "string" ? source["value"] : null
}

function nameOf(node: unknown): string {
  const name = isNode(node) ? (node["name"] ?? node["value"]) : null
  return typeof name === "string" ? name : ""
}

function visit(node: SyntaxNode, look: (node: SyntaxNode) => void): void {
  look(node)
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, look)
  }
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string"
}
