/**
 * A working copy of the repository in a temporary folder, where a mutant may be planted.
 *
 * Sources are copied; installed packages are links to the real ones, except the workspace's own,
 * which lead to the copy. Nothing is ever changed in the repository itself.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import type { Mutant } from "../../test/mutants/mutants.ts"

export interface WorkingCopy {
  readonly root: string
  /** Puts the mutant in place and returns the function that takes it out again. */
  readonly plant: (mutant: Mutant) => () => void
  readonly remove: () => void
}

const foldersCopied = ["packages", "test", "scripts", "docs", "examples"]
const foldersSkipped = new Set(["node_modules", "dist", "coverage"])

export function makeCopy(repository: string): WorkingCopy {
  // The real path: module paths are compared as text, and the temporary folder may be a link.
  const root = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-mutants-")))
  for (const entry of readdirSync(repository, { withFileTypes: true })) {
    const wanted = entry.isFile() || foldersCopied.includes(entry.name)
    if (!wanted) continue
    cpSync(join(repository, entry.name), join(root, entry.name), {
      recursive: true,
      filter: (source) => !foldersSkipped.has(basename(source)),
    })
  }
  linkModules(repository, root)
  return {
    root,
    plant: (mutant) => plant(root, mutant),
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

/** What keeps a mutant from being planted, as a sentence, or null. */
export function judgeMutant(root: string, mutant: Mutant): string | null {
  const path = join(root, mutant.file)
  if (!existsSync(path)) return `${mutant.file} does not exist`
  const count = readFileSync(path, "utf8").split(mutant.find).length - 1
  if (count !== 1) return `its text occurs ${count} times in ${mutant.file}, not once`
  if (mutant.find === mutant.replace) return "it changes nothing"
  const missing = mutant.run.files.filter((file) => !existsSync(join(root, file)))
  return missing.length > 0 ? `${missing.join(", ")} does not exist` : null
}

function plant(root: string, mutant: Mutant): () => void {
  const path = join(root, mutant.file)
  const text = readFileSync(path, "utf8")
  writeFileSync(
    path,
    text.replace(mutant.find, () => mutant.replace),
  )
  return () => writeFileSync(path, text)
}

function linkModules(repository: string, root: string): void {
  const installed = join(repository, "node_modules")
  if (!existsSync(installed)) return
  const own = ownPackages(repository)
  for (const name of packageNames(installed)) {
    const target = own.has(name) ? join(root, own.get(name) ?? "") : join(installed, name)
    const link = join(root, "node_modules", name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(target, link)
  }
}

/** `name` and `@scope/name` of everything installed, and the folder of commands. */
function packageNames(installed: string): string[] {
  return readdirSync(installed).flatMap((entry) => {
    if (entry.startsWith("@")) return readdirSync(join(installed, entry)).map((name) => `${entry}/${name}`)
    return entry.startsWith(".") && entry !== ".bin" ? [] : [entry]
  })
}

/** The workspace's own packages: their names, and their folders from the root. */
function ownPackages(repository: string): Map<string, string> {
  const folder = join(repository, "packages")
  if (!existsSync(folder)) return new Map()
  return new Map(
    readdirSync(folder)
      .filter((name) => existsSync(join(folder, name, "package.json")))
      .map((name) => {
        const manifest = readFileSync(join(folder, name, "package.json"), "utf8")
        return [(JSON.parse(manifest) as { readonly name: string }).name, `packages/${name}`]
      }),
  )
}
