/** Where material about the peers may lie: never inside this repository. */
import { existsSync } from "node:fs"
import { join } from "node:path"

/** Existing candidates, the one that was named first. */
export function peerFolders(): readonly string[] {
  const named = process.env["PEERS_DIR"]
  // The benchmark starts every process of its own with the repository as working directory.
  const beside = join(process.cwd(), "..")
  return [...(named === undefined ? [] : [named]), join(beside, "shared", "peers"), beside].filter((folder) =>
    existsSync(folder),
  )
}
