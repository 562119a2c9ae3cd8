/**
 * Opened directory: the folder of a file, opened from the Location down, one name after another
 * and never through a link.
 *
 * A path is judged before it is used (location-path.ts), and a second process may put a link in its
 * place meanwhile. Where the system can name what is below an opened directory (Linux, by
 * /proc/self/fd) every step is taken below the directory that was opened before it, so that such a
 * link is refused and never followed (PE2). Elsewhere the folder is checked again once it is open.
 */
import { constants, existsSync } from "node:fs"
import { type FileHandle, mkdir, open, realpath } from "node:fs/promises"
import { dirname, join, relative, sep } from "node:path"
import type { LocationPath } from "../location-path.ts"

export interface OpenedDirectory {
  /** A path to a name in this directory, whatever happens to the path of the directory. */
  readonly at: (name: string) => string
  readonly sync: () => Promise<void>
}

/** Thrown like an error of the file system, so that it is told like one. */
class MovedAway extends Error {
  readonly code = "EMOVED"
}

const canName = existsSync("/proc/self/fd")
const flags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)

/** Opens the folder that a canonical path inside a Location is in. */
export const withDirectoryOf = <A>(
  { absolute, root }: Pick<LocationPath, "absolute" | "root">,
  use: (directory: OpenedDirectory) => Promise<A>,
  options: { readonly makes?: boolean } = {},
): Promise<A> => withDirectory({ absolute: dirname(absolute), root }, use, options)

/** Opens a folder inside a Location; makes what is missing of it if asked to. */
export async function withDirectory<A>(
  { absolute: folder, root }: Pick<LocationPath, "absolute" | "root">,
  use: (directory: OpenedDirectory) => Promise<A>,
  { makes = false }: { readonly makes?: boolean } = {},
): Promise<A> {
  const names = relative(root, folder)
    .split(sep)
    .filter((name) => name !== "")
  let handle = await open(root, flags)
  let at = root
  try {
    for (const name of names) {
      const next = await openBelow(pathBelow(handle, at, name), makes)
      await handle.close()
      handle = next
      at = join(at, name)
    }
    if (!canName && (await realpath(folder)) !== folder) throw new MovedAway()
    const opened = handle
    return await use({ at: (name) => pathBelow(opened, folder, name), sync: () => opened.sync() })
  } finally {
    await handle.close()
  }
}

const pathBelow = (handle: FileHandle, path: string, name: string): string =>
  canName ? `/proc/self/fd/${handle.fd}/${name}` : join(path, name)

async function openBelow(path: string, makes: boolean): Promise<FileHandle> {
  try {
    return await open(path, flags)
  } catch (error) {
    if (!makes || (error as NodeJS.ErrnoException).code !== "ENOENT") throw error
    // One that somebody else has made meanwhile is as good.
    await mkdir(path).catch((failure: NodeJS.ErrnoException) => {
      if (failure.code !== "EEXIST") throw failure
    })
    return await open(path, flags)
  }
}
