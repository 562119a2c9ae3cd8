/** Where material about the peers may lie, the official SDK among it: never inside this repository. */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"

/** Existing candidates, the one that was named first. A process of the benchmark works in the repository. */
export function peerFolders(repository = process.cwd()): readonly string[] {
  const named = process.env["PEERS_DIR"]
  const beside = join(repository, "..")
  return [...(named === undefined ? [] : [named]), join(beside, "shared", "peers"), beside].filter((folder) =>
    existsSync(folder),
  )
}

const sdkModule = join("node_modules", "@anthropic-ai", "sdk", "index.mjs")

/** The official client of Anthropic's wire, in one of the folders or in a folder of them; null if nobody installed it. */
export function findSdkFile(repository = process.cwd()): string | null {
  const parents = peerFolders(repository).flatMap((folder) => [folder, ...subfolders(folder)])
  return parents.map((folder) => join(folder, sdkModule)).find((path) => existsSync(path)) ?? null
}

export const sdkMissing =
  "The official SDK is missing, so delta-frames-sdk, delta-frames-against-sdk and delta-bursts-against-sdk " +
  "cannot be measured. Install @anthropic-ai/sdk into a folder outside this repository and name that folder " +
  "in PEERS_DIR, or leave these rows out with --without-sdk."

const subfolders = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [join(folder, entry.name)] : [],
  )
