/**
 * Declarations: the types of an installed package, as files that find each other.
 *
 * The compiler writes one declaration file for each module, with the imports of the sources: of
 * workspace packages and of `.ts` files. Here what the index reaches is taken along, statement by
 * statement, and imports point to the files beside it. So a package shows its users no type of its
 * insides that they could not meet, and names no package that is not installed with it.
 */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { dirname, join, posix } from "node:path"
import { repositoryRoot, run, toolPath } from "../command.ts"
import { readModule, type DeclarationModule } from "./declaration-module.ts"
import { reachFrom, type Reached } from "./reach.ts"

const compileMsMax = 120_000

/** Declarations of every module of the workspace, below `<target>/<package>/src`. */
export async function emitDeclarations(target: string): Promise<void> {
  const project = join(target, "tsconfig.json")
  const packages = join(repositoryRoot, "packages")
  await mkdir(target, { recursive: true })
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: packages,
    outDir: target,
    typeRoots: [join(repositoryRoot, "node_modules/@types")],
  }
  const settings = {
    extends: join(repositoryRoot, "tsconfig.json"),
    compilerOptions,
    // All of them by name: what is only imported from a neighbour counts as foreign and is left out.
    include: [join(packages, "*/src")],
  }
  await writeFile(project, JSON.stringify(settings))
  const argv = [toolPath("typescript", "tsc"), "-p", project]
  const { ok, output } = await run({ argv, cwd: repositoryRoot, timeoutMs: compileMsMax })
  if (!ok) throw new Error(`The types do not compile.\n${output}`)
  await rm(project)
}

/** Writes what the exports of `module` reach into a folder. */
export async function collectDeclarations(emitted: string, module: string, target: string): Promise<void> {
  const modules = new Map<string, DeclarationModule>()
  const load = async (path: string): Promise<void> => {
    if (modules.has(path)) return
    const loaded = readModule(path, await readFile(join(emitted, path), "utf8"))
    modules.set(path, loaded)
    for (const source of loaded.sources) {
      const found = declarationBehind(path, source)
      if (found !== null) await load(found)
    }
  }
  const index = module.replace(/\.ts$/, ".d.ts")
  await load(index)
  for (const reached of reachFrom(index, modules, declarationBehind)) {
    const place = join(target, placeOf(reached.module.path))
    await mkdir(dirname(place), { recursive: true })
    await writeFile(place, print(reached))
  }
}

/** The declaration file behind an import of the workspace, or null for a package of a registry. */
function declarationBehind(from: string, source: string): string | null {
  if (source.startsWith(".")) return posix.join(posix.dirname(from), source).replace(/\.ts$/, ".d.ts")
  const ours = /^@holdfast\/([^/]+)(?:\/(.+))?$/.exec(source)
  return ours === null ? null : `${ours[1]}/src/${ours[2] ?? "index"}.d.ts`
}

/** `core/src/host/index.d.ts` lies at `core/host/index.d.ts`. */
const placeOf = (path: string): string => path.replace("/src/", "/")

function print({ module, keeps }: Reached): string {
  const { path, text } = module
  const link = (source: string): string => {
    const found = declarationBehind(path, source)
    if (found === null) return source
    const way = posix.relative(posix.dirname(placeOf(path)), placeOf(found)).replace(/\.d\.ts$/, ".js")
    return way.startsWith(".") ? way : `./${way}`
  }
  const pieces = module.statements.flatMap((statement) => {
    const before = text.slice(statement.from, statement.start)
    if (statement.kind === "declaration") {
      if (!statement.names.some((name) => keeps(name))) return []
      const own = text.slice(statement.start, statement.end)
      return (
        before + own.replace(/\bimport\("([^"]+)"\)/g, (_, source: string) => `import("${link(source)}")`)
      )
    }
    const links = statement.links.filter(({ as }) => keeps(as, statement.kind))
    if (links.length === 0) return []
    const list = links[0]?.clause ?? `{ ${links.map(({ text: piece }) => piece).join(", ")} }`
    const origin = statement.source === null ? "" : ` from "${link(statement.source)}"`
    return `${before}${statement.keyword} ${list}${origin};`
  })
  // Without it, a declaration file exports whatever it declares.
  return `${pieces.join("")}\nexport {};\n`
}
