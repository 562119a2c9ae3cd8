/**
 * Builds what is measured into a folder of its own: the driver with its processes and threads, and
 * the command with its launcher, both bundled with the settings of scripts/bundle.ts.
 */
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { rolldown } from "rolldown"
import { repositoryRoot } from "../command.ts"

const entry = (name: string): string => join(import.meta.dirname, "entry", `${name}.ts`)
const writer = join(repositoryRoot, "packages/store/src/thread/worker.ts")

export interface Built {
  readonly driver: string
  readonly launcher: string
}

export async function build(folder: string): Promise<Built> {
  const names = ["driver", "provider", "http-callers", "memory-subject", "serve", "slow-writer"]
  const program = join(repositoryRoot, "packages/cli/src/main.ts")
  await write(join(folder, "driver"), {
    ...Object.fromEntries(names.map((name) => [name, entry(name)])),
    "thread/worker": writer,
  })
  await write(join(folder, "cli", "dist"), { main: program, "thread/worker": writer })
  mkdirSync(join(folder, "cli", "bin"))
  for (const file of ["bin/holdfast.js", "package.json"]) {
    copyFileSync(join(repositoryRoot, "packages/cli", file), join(folder, "cli", file))
  }
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }))
  return { driver: join(folder, "driver", "driver.js"), launcher: join(folder, "cli", "bin", "holdfast.js") }
}

async function write(target: string, input: Readonly<Record<string, string>>): Promise<void> {
  const bundle = await rolldown({
    input,
    platform: "node",
    resolve: { mainFields: ["module", "main"] },
    cwd: repositoryRoot,
    logLevel: "warn",
  })
  await bundle.write({
    dir: target,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
    minify: "dce-only",
  })
  await bundle.close()
}
