/** The hash of a file as it is now, for whoever has to find out what a killed call did to it. */
import { createReadStream } from "node:fs"
import { lstat } from "node:fs/promises"
import { createHash } from "node:crypto"
import { pipeline } from "node:stream/promises"
import { Effect } from "effect"

/** Null where there is no file; undefined where what is there cannot be read. */
export const hashFile = (path: string): Effect.Effect<string | null | undefined> =>
  Effect.promise(async () => {
    try {
      if (!(await lstat(path)).isFile()) return undefined
      const hasher = createHash("sha256")
      await pipeline(createReadStream(path), hasher)
      return hasher.digest("hex")
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      return code === "ENOENT" || code === "ENOTDIR" ? null : undefined
    }
  })
