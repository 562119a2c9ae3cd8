/**
 * Builds what is measured into a folder of its own: the driver with its processes and threads, and
 * the command with its launcher, both by the bundler of `npm run bundle`, so that an edit during a
 * run changes nothing.
 */
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import {
  bashGrammar,
  buildBundle,
  embeddingPackages,
  imageEngine,
  searchProgram,
  terminalHost,
  terminalPackages,
  writerThread,
} from "../bundle.ts"
import { repositoryRoot } from "../command.ts"
import { compileEagerly } from "../eager.ts"

const entry = (name: string): string => join(import.meta.dirname, "entry", `${name}.ts`)
const external = [imageEngine, searchProgram, ...terminalPackages, ...embeddingPackages]
const beside = { ...writerThread, ...terminalHost }

export interface Built {
  readonly driver: string
  readonly launcher: string
}

export async function build(folder: string): Promise<Built> {
  const names = ["driver", "provider", "sim", "http-callers", "clients", "slow-writer"]
  const drivers = Object.fromEntries(names.map((name) => [name, entry(name)]))
  const main = join(repositoryRoot, "packages/cli/src/main.ts")
  const files = bashGrammar
  await buildBundle({ entries: { ...drivers, ...beside }, target: join(folder, "driver"), external, files })
  await buildBundle({ entries: { main, ...beside }, target: join(folder, "cli", "dist"), external, files })
  mkdirSync(join(folder, "cli", "bin"))
  for (const file of ["bin/holdfast.js", "package.json"]) {
    copyFileSync(join(repositoryRoot, "packages/cli", file), join(folder, "cli", file))
  }
  // What stays an import is found there, as beside an installed command.
  symlinkSync(join(repositoryRoot, "node_modules"), join(folder, "node_modules"))
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
  await compileEagerly(join(folder, "cli", "dist"))
  return { driver: join(folder, "driver", "driver.js"), launcher: join(folder, "cli", "bin", "holdfast.js") }
}
