/**
 * Writes everything that is made from the contract; `--check` only says what is stale (CO2).
 *
 * `--release` also makes the contract as it is now the one that others rely on: from then on a test
 * fails when something is taken away from it (EV1).
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { HoldfastApi } from "@holdfast/protocol/api"
import { generatedFiles } from "./generated-files.ts"

const root = join(import.meta.dirname, "../../..")
const checkOnly = process.argv.includes("--check")
let stale = 0

for (const [path, text] of await generatedFiles(HoldfastApi, root)) {
  const file = join(root, path)
  if (contentOf(file) === text) continue
  stale += 1
  console.log(`${checkOnly ? "stale" : "written"}: ${path}`)
  if (checkOnly) continue
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

if (stale === 0) console.log("Everything is as the contract says.")
else if (checkOnly) {
  console.log("Run `npm run codegen`.")
  process.exitCode = 1
}

if (process.argv.includes("--release") && !checkOnly) {
  const [now, released] = ["openapi.json", "released/openapi.json"].map((name) =>
    join(root, "packages/protocol", name),
  ) as [string, string]
  mkdirSync(dirname(released), { recursive: true })
  copyFileSync(now, released)
  console.log("Released: packages/protocol/released/openapi.json")
}

function contentOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8")
  } catch {
    // It is made now.
    return null
  }
}
