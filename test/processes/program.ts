/**
 * The programs of these tests as they would be shipped: bundled, with the entry of the store's
 * writer thread beside them. From their sources twenty of them would need half a minute to start.
 */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { cp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"
import { afterAll } from "vitest"
import { bundle } from "../../scripts/bundle.ts"
import { repositoryRoot } from "../../scripts/command.ts"

const folder = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-program-")))
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

/** What V8 made of them, for all processes of a test file. */
export const compileCache = join(folder, "compile-cache")

let driver: Promise<string> | undefined
let command: Promise<string> | undefined

/** `driver.ts`, built once for a test file. */
export function driverProgram(): Promise<string> {
  driver ??= buildDriver()
  return driver
}

/** The command `holdfast` as users start it, copied so that another build does not pull it away. */
export function commandProgram(): Promise<string> {
  command ??= copyCommand()
  return command
}

async function buildDriver(): Promise<string> {
  const dir = join(folder, "driver")
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
  writeFileSync(join(dir, "package.json"), '{ "type": "module" }')
  return join(dir, "driver.js")
}

async function copyCommand(): Promise<string> {
  await bundle()
  const own = join(folder, "cli")
  const cli = join(repositoryRoot, "packages/cli")
  // The launcher looks for its program beside its folder, and the manifest makes both of them modules.
  for (const part of ["bin", "dist", "package.json"])
    await cp(join(cli, part), join(own, part), { recursive: true })
  return join(own, "bin/holdfast.js")
}
