/**
 * The ignore files that hold for a directory: those of the repository it is part of, from its root
 * down. Outside of any repository they are those of all folders above.
 *
 * Rules bear the absolute path of their folder, with slashes; so do the paths that are judged.
 */
import { constants } from "node:fs"
import { lstat, open } from "node:fs/promises"
import { dirname, join, sep } from "node:path"
import { type IgnoreRules, readIgnoreRules } from "./ignore.ts"

/** What a repository keeps for itself, which no search looks into. */
export const repositoryFolders: ReadonlySet<string> = new Set([".git", ".hg", ".jj"])

export const slashed = (path: string): string => path.split(sep).join("/")

/** From the outermost to the one of the directory itself; as deep as its path is. */
export async function ignoresAbove(directory: string): Promise<readonly IgnoreRules[]> {
  const found: IgnoreRules[] = []
  for (let folder = directory; folder !== dirname(folder); folder = dirname(folder)) {
    found.unshift(...(await ignoresIn(folder)))
    if (await lstat(join(folder, ".git")).catch(() => null)) break
  }
  return found
}

const ignoreBytesMax = 65_536
/** A pipe of that name holds nothing up, and a link leads nowhere. */
const ignoreFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)

/** Only a regular file has rules; whatever else bears the name is passed over, and so is what cannot be read. */
export async function ignoresIn(directory: string): Promise<readonly IgnoreRules[]> {
  try {
    const file = await open(join(directory, ".gitignore"), ignoreFlags)
    try {
      if (!(await file.stat()).isFile()) return []
      const { buffer, bytesRead } = await file.read(Buffer.alloc(ignoreBytesMax), 0, ignoreBytesMax, 0)
      return [readIgnoreRules(slashed(directory), buffer.toString("utf8", 0, bytesRead))]
    } finally {
      await file.close()
    }
  } catch {
    return []
  }
}
