/**
 * Canonical path: where a path really leads, followed name by name as the system does it (PE2).
 *
 * `..` goes up from where a link led, not from where it stands, and a link to nothing counts as what
 * it names: a command that writes through it would make that file. What does not exist yet is the
 * rest of the path below its nearest existing folder.
 */
import { lstat, readlink, realpath } from "node:fs/promises"
import { dirname, isAbsolute, join, parse, sep } from "node:path"

const linksMax = 40

/** Null where nobody can tell: too many links, a folder that may not be looked into, the mirrors of `/proc`. */
export async function canonicalPath(absolute: string): Promise<string | null> {
  if (mirrors.test(absolute)) return null
  // Most paths lead where they say, which one look tells.
  const straight = await realpath(absolute).catch(() => null)
  return straight === absolute ? absolute : walk(absolute)
}

async function walk(absolute: string): Promise<string | null> {
  const { root } = parse(absolute)
  let at = root
  let links = 0
  const rest = namesOf(absolute.slice(root.length))
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (name === "..") {
      at = dirname(at)
      continue
    }
    const next = join(at, name)
    if (mirrors.test(next)) return null
    const found = await entryAt(next)
    if (found === "unknown") return null
    if (found === "missing") return join(await realpath(at), name, ...rest)
    if (found.isSymbolicLink()) {
      links += 1
      const target = await readlink(next).catch(() => null)
      if (links > linksMax || target === null) return null
      if (isAbsolute(target)) at = parse(target).root
      rest.unshift(...namesOf(isAbsolute(target) ? target.slice(parse(target).root.length) : target))
    } else at = next
  }
  return await realpath(at).catch(() => null)
}

/** Links in here mean another thing to each process. */
const mirrors = /^\/(?:proc|dev\/fd)(?:\/|$)/

const namesOf = (path: string): string[] => path.split(sep).filter((name) => name !== "" && name !== ".")

async function entryAt(path: string) {
  return lstat(path).catch((error: NodeJS.ErrnoException) =>
    // Below a file there is nothing either; whatever is asked of it will fail.
    error.code === "ENOENT" || error.code === "ENOTDIR" ? ("missing" as const) : ("unknown" as const),
  )
}
