/** The version of this package, from its manifest where that lies beside it, as it does beside a bundle. */
import { readFileSync } from "node:fs"

let known: string | undefined

export function version(): string {
  known ??= readVersion()
  return known
}

function readVersion(): string {
  try {
    const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8")
    return String((JSON.parse(manifest) as { readonly version?: unknown }).version ?? "unknown")
  } catch {
    // A program may put this code into a file of its own, without a manifest beside it.
    return "unknown"
  }
}
