/**
 * `npm run bundle`, and `prepare` of an install: one program in packages/cli/dist, which is what
 * the command, black-box tests and benchmarks run. Built anew only where a source is newer.
 *
 *   --force   builds in any case
 *   --quiet   prints nothing, for commands whose output is read
 */
import { globSync, statSync } from "node:fs"
import { join } from "node:path"
import { repositoryRoot } from "./command.ts"

const target = join(repositoryRoot, "packages/cli/dist")

/** The program, and the entry of the store's writer thread beside it. */
const entries = {
  main: join(repositoryRoot, "packages/cli/src/main.ts"),
  "thread/worker": join(repositoryRoot, "packages/store/src/thread/worker.ts"),
}

export async function bundle(force = false): Promise<"built" | "fresh"> {
  if (!force && !isStale()) return "fresh"
  const { rolldown } = await import("rolldown")
  const build = await rolldown({
    input: entries,
    platform: "node",
    // jsonc-parser's `main` is a module format that cannot be bundled; its `module` can.
    resolve: { mainFields: ["module", "main"] },
    cwd: repositoryRoot,
    logLevel: "warn",
  })
  await build.write({
    dir: target,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
    minify: "dce-only",
    cleanDir: true,
  })
  await build.close()
  return "built"
}

function isStale(): boolean {
  const built = statSync(join(target, "main.js"), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const sources = globSync(
    ["packages/*/src/**/*.ts", "packages/*/package.json", "package-lock.json", "scripts/bundle.ts"],
    {
      cwd: repositoryRoot,
    },
  )
  return sources.some((source) => statSync(join(repositoryRoot, source)).mtimeMs > built)
}

if (import.meta.main) {
  const outcome = await bundle(process.argv.includes("--force"))
  if (!process.argv.includes("--quiet")) console.log(`bundle: ${outcome}`)
}
