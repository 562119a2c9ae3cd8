/** What a killed call left of the files that it had planned to change, and beside them. */
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { lstat, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { pipeline } from "node:stream/promises"
import { Effect } from "effect"
import { temporaryName } from "./temporary-name.ts"

/** Takes away what was not put in place, and answers with hashes: null for no file, undefined for one that cannot be read. */
export const endCallFiles = (
  callId: string,
  paths: readonly string[],
): Effect.Effect<ReadonlyMap<string, string | null | undefined>> =>
  Effect.promise(async () => {
    const hashes = new Map<string, string | null | undefined>()
    for (const path of paths) {
      // What cannot be taken away is only a file too many.
      await rm(join(dirname(path), temporaryName(callId, path)), { force: true }).catch(() => {})
      hashes.set(path, await hashOfFile(path))
    }
    return hashes
  })

async function hashOfFile(path: string): Promise<string | null | undefined> {
  try {
    if (!(await lstat(path)).isFile()) return undefined
    const hasher = createHash("sha256")
    await pipeline(createReadStream(path), hasher)
    return hasher.digest("hex")
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === "ENOENT" || code === "ENOTDIR" ? null : undefined
  }
}
