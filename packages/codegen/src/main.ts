/**
 * Writes everything that is made from the contract; `--check` only says what is stale (CO2).
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
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

function contentOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8")
  } catch {
    // It is made now.
    return null
  }
}
