/**
 * A bundled command as V8 loads it fastest.
 *
 * V8 leaves a function to its first call, and what Node keeps of a file between two starts is made
 * when the file is loaded. So every start compiled the same three thousand functions again, a fifth of
 * its processor time. A function in parentheses is compiled with its file, and then it is kept.
 *
 *   the bundle ──▶ answers prompts offline ──▶ what was called ──▶ the same bundle, with those in parentheses
 *
 * Nothing else about the program changes. A declared function becomes a variable at the top of its
 * file, where it has its value as early as before; not in files that import each other in a circle.
 * Texts are written in ASCII: one character beyond Latin-1 doubles the memory of its file.
 */
import { type ExecFileOptions, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, mkdtempDisposable, readdir, readFile, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { parseSync } from "rolldown/utils"

/** Of a file: `start:end` of each function that was called. */
type Called = ReadonlySet<string>

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [part: string]: unknown
}

interface Chunk {
  readonly name: string
  readonly source: string
  /** Names of files beside it. */
  readonly imports: readonly string[]
}

/** What most starts of the command do: a prompt, and a tool that reads a file. */
const task = ["run", "Read the greeting that stands in hello.txt."]
const timeoutMs = 60_000

/** `folder` holds `main.js`, with its manifest above it. Where it cannot run here, it stays as it is. */
export async function compileEagerly(folder: string): Promise<void> {
  let called: ReadonlyMap<string, Called>
  try {
    called = await callsOfRuns(folder)
  } catch (failure) {
    console.error(
      `bundle: compiles functions at their first call, because the command did not run: ${failure}`,
    )
    return
  }
  const chunks = await Promise.all(
    [...called.keys()].map(async (name): Promise<Chunk> => {
      const source = await readFile(join(folder, name), "utf8")
      return { name, source, imports: importsOf(name, source) }
    }),
  )
  const circular = namesInCircles(chunks)
  for (const chunk of chunks) {
    const written = withEager(chunk.source, called.get(chunk.name) as Called, circular.has(chunk.name))
    await writeFile(join(folder, chunk.name), written)
  }
}

/** By the file's name in the folder. */
async function callsOfRuns(folder: string): Promise<ReadonlyMap<string, Called>> {
  await using place = await mkdtempDisposable(join(tmpdir(), "holdfast-eager-"))
  const at = (name: string): string => join(place.path, name)
  for (const name of ["home", "project"]) await mkdir(at(name))
  await writeFile(join(at("project"), "hello.txt"), "hello\n")
  await writeFile(join(at("project"), "AGENTS.md"), "Answers are short.\n")
  const { PATH = "", SystemRoot = "" } = process.env
  const home = { HOME: at("home"), USERPROFILE: at("home") }
  const own = { HOLDFAST_DATA_DIR: at("data"), HOLDFAST_CONFIG_DIR: at("config") }
  await runPrompts(join(folder, "main.js"), {
    cwd: at("project"),
    env: { PATH, SystemRoot, ...home, ...own, NODE_V8_COVERAGE: at("coverage") },
    timeout: timeoutMs,
  })
  const called = new Map<string, Set<string>>()
  for (const file of await readdir(at("coverage"))) {
    const { result } = JSON.parse(await readFile(join(at("coverage"), file), "utf8")) as Coverage
    for (const { url, functions } of result) {
      const name = url.startsWith("file:") ? relative(folder, fileURLToPath(url)) : ".."
      if (name.startsWith("..")) continue
      const found = called.get(name) ?? new Set()
      called.set(name, found)
      for (const { ranges } of functions) {
        const [whole] = ranges
        if (whole !== undefined && whole.count > 0) found.add(`${whole.startOffset}:${whole.endOffset}`)
      }
    }
  }
  return called
}

/** The first has nothing to recall, the second has the first, and the third is asked of a server. */
async function runPrompts(program: string, options: ExecFileOptions): Promise<void> {
  const prompt = () => promisify(execFile)(process.execPath, [program, ...task], options)
  await prompt()
  await prompt()
  const server = spawn(process.execPath, [program, "serve", "--json"], {
    ...options,
    stdio: ["ignore", "pipe", "ignore"],
  })
  const exited = once(server, "exit")
  try {
    await Promise.race([once(server.stdout, "data"), exited])
    await prompt()
  } finally {
    server.kill()
    await exited
  }
}

/** As V8 writes it, each thread into a file of its own. */
interface Coverage {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly {
      /** The first is the whole function. */
      readonly ranges: readonly {
        readonly startOffset: number
        readonly endOffset: number
        readonly count: number
      }[]
    }[]
  }[]
}

/** `called` holds `start:end` of functions in the source. */
export function withEager(source: string, called: ReadonlySet<string>, isCircular: boolean): string {
  const program = parsed(source)
  const edits: Edit[] = []
  const declared: Node[] = []
  const visit = (node: Node, parent: Node | null): void => {
    const wasCalled = called.has(`${node.start}:${node.end}`)
    if (wasCalled && isExpression(node, parent))
      edits.push({ at: node.start, to: node.start, text: "(" }, { at: node.end, to: node.end, text: ")" })
    if (wasCalled && !isCircular && node.type === "FunctionDeclaration" && parent === program)
      declared.push(node)
    if (isText(node) && !isAscii(source.slice(node.start, node.end)))
      edits.push({ at: node.start, to: node.end, text: inAscii(source.slice(node.start, node.end)) })
    // A tag may read its texts as they were written.
    if (node.type !== "TaggedTemplateExpression") for (const child of childrenOf(node)) visit(child, node)
  }
  visit(program, null)
  edits.sort((a, b) => a.at - b.at || a.to - b.to)
  const cut = (start: number, end: number): string => {
    const inside = edits.filter(({ at, to }) => at >= start && to <= end)
    const starts = [start, ...inside.map(({ to }) => to)]
    return starts
      .map((from, i) => source.slice(from, inside[i]?.at ?? end) + (inside[i]?.text ?? ""))
      .join("")
  }
  const top = childrenOf(program).findLast(({ type }) => type === "ImportDeclaration")?.end ?? 0
  const variables = declared.map(
    (node) => `\nvar ${(node["id"] as { name: string }).name} = (${cut(node.start, node.end)});`,
  )
  const kept = [top, ...declared.map(({ end }) => end)].map((from, i) =>
    cut(from, declared[i]?.start ?? source.length),
  )
  return [source.slice(0, top), ...variables, ...kept].join("")
}

interface Edit {
  readonly at: number
  readonly to: number
  readonly text: string
}

const isText = ({ type }: Node): boolean => type === "Literal" || type === "TemplateElement"

const isAscii = (literal: string): boolean => /^[\0-\x7f]*$/.test(literal)

const inAscii = (literal: string): string =>
  literal.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** A method cannot stand in parentheses. */
function isExpression({ type }: Node, parent: Node | null): boolean {
  if (type === "ArrowFunctionExpression") return true
  if (type !== "FunctionExpression" || parent === null) return false
  if (parent.type === "Property") return parent["method"] === false && parent["kind"] === "init"
  return parent.type !== "MethodDefinition"
}

function childrenOf(node: Node): readonly Node[] {
  return Object.values(node).flat().filter(isNode)
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Partial<Node>).type === "string"

const parsed = (source: string): Node => parseSync("chunk.js", source).program as unknown as Node

const importsOf = (name: string, source: string): readonly string[] =>
  [...source.matchAll(/^import .* from "(\..*)";$/gm)].map(([, path = ""]) => join(name, "..", path))

/** Files that reach themselves by their imports. */
function namesInCircles(chunks: readonly Chunk[]): ReadonlySet<string> {
  const imports = new Map(chunks.map((chunk) => [chunk.name, chunk.imports]))
  const reached = (from: string): ReadonlySet<string> => {
    const found = new Set<string>()
    const open = [...(imports.get(from) ?? [])]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (found.has(next)) continue
      found.add(next)
      open.push(...(imports.get(next) ?? []))
    }
    return found
  }
  return new Set([...imports.keys()].filter((name) => reached(name).has(name)))
}
