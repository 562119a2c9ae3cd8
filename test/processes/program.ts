/**
 * The programs of these tests as they would be shipped: bundled, with the entry of the store's
 * writer thread beside them. From their sources twenty of them would need half a minute to start.
 *
 * They are kept for the next test file and the next run, with what V8 made of them, under the time of
 * the newest source: a process that is killed leaves nothing compiled behind.
 */
import { cp, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"
import { bundle, newestSourceMs } from "../../scripts/bundle.ts"
import { repositoryRoot } from "../../scripts/command.ts"

const programs = join(repositoryRoot, "node_modules/.cache/programs")

/** What V8 made of them. */
export const compileCache = join(programs, "compiled")

let driver: Promise<string> | undefined
let command: Promise<string> | undefined

/** `driver.ts`, as a program. */
export async function driverProgram(): Promise<string> {
  driver ??= kept("driver", ["test/processes/driver.ts"], buildDriver)
  return join(await driver, "driver.js")
}

/** The command `holdfast` as users start it, copied so that another build does not pull it away. */
export async function commandProgram(): Promise<string> {
  command ??= kept("command", [], copyCommand)
  return join(await command, "bin/holdfast.js")
}

/** The folder of a program, made by `make` unless it is there. One that is not whole is never there. */
async function kept(
  name: string,
  sources: readonly string[],
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = join(programs, `${name}-${newestSourceMs(sources)}`)
  if ((await stat(folder).catch(() => null)) !== null) return folder
  await mkdir(programs, { recursive: true })
  await removeOld()
  const draft = await mkdtemp(`${folder}-`)
  await make(draft)
  // Who made the same at the same time has made the same.
  await rename(draft, folder).catch(() => rm(draft, { recursive: true, force: true }))
  return folder
}

const dayMs = 24 * 60 * 60_000

/** Somebody may still be running what is younger. */
async function removeOld(): Promise<void> {
  for (const name of await readdir(programs)) {
    const { mtimeMs } = await stat(join(programs, name))
    if (mtimeMs < Date.now() - dayMs) await rm(join(programs, name), { recursive: true, force: true })
  }
}

async function buildDriver(dir: string): Promise<void> {
  const build = await rolldown({
    input: {
      driver: fileURLToPath(new URL("./driver.ts", import.meta.url)),
      "thread/worker": join(repositoryRoot, "packages/store/src/thread/worker.ts"),
    },
    platform: "node",
    resolve: { mainFields: ["module", "main"] },
    cwd: repositoryRoot,
    logLevel: "warn",
  })
  await build.write({ dir, format: "esm", entryFileNames: "[name].js", chunkFileNames: "[name].js" })
  await build.close()
  await writeFile(join(dir, "package.json"), '{ "type": "module" }')
}

async function copyCommand(own: string): Promise<void> {
  await bundle()
  const cli = join(repositoryRoot, "packages/cli")
  // The launcher looks for its program beside its folder, and the manifest makes both of them modules.
  for (const part of ["bin", "dist", "package.json"])
    await cp(join(cli, part), join(own, part), { recursive: true })
}
