/**
 * Paths that callers of the contract give, inside a Location: canonical, or a failure that says why not.
 *
 * They are judged by the guard of the tools, so that nothing can be read by one way that the other
 * refuses: links are resolved before the comparison (PE2).
 */
import type { Stats } from "node:fs"
import { Effect } from "effect"
import { PathNotFound, PathOutside, PathRefused } from "@holdfast/schema/error"
import { fileEffect, type LocationPath, resolveInLocation, statOrNull } from "../tools/location-path.ts"
import type { ToolFailure } from "../tools/tool.ts"

export type PathFailure = PathOutside | PathNotFound | PathRefused

export interface FoundPath extends LocationPath {
  readonly stats: Stats
}

/** What is at a path, wherever links lead inside of the Location. */
export const findPath = Effect.fnUntraced(function* (
  directory: string,
  path: string,
): Effect.fn.Return<FoundPath, PathFailure> {
  const target = yield* asPathFailure(path, resolveInLocation({ directory }, path))
  const stats = yield* onDisk(path, () => statOrNull(target.absolute))
  if (stats === null) return yield* notFound(path)
  return { ...target, stats }
})

export const findDirectory = Effect.fnUntraced(function* (
  directory: string,
  path: string,
): Effect.fn.Return<FoundPath, PathFailure> {
  const found = yield* findPath(directory, path)
  if (!found.stats.isDirectory()) return yield* refused(path, "not_a_directory", "is no directory.")
  return found
})

/** Work on the file system whose errors are told as failures of the path. */
export const onDisk = <A>(path: string, work: () => Promise<A>): Effect.Effect<A, PathFailure> =>
  asPathFailure(path, fileEffect(path, work))

export const refused = (path: string, code: PathRefused["code"], what: string): PathRefused =>
  new PathRefused({ path, code, message: `${path} ${what}` })

const notFound = (path: string): PathNotFound =>
  new PathNotFound({ path, message: `There is nothing at ${path}.` })

const asPathFailure = <A>(path: string, work: Effect.Effect<A, ToolFailure>): Effect.Effect<A, PathFailure> =>
  Effect.mapError(work, ({ code, message }) => {
    switch (code) {
      case "outside_location":
        return new PathOutside({ path, message })
      case "broken_link":
        return new PathNotFound({ path, message })
      case "enoent":
      case "enotdir":
        return notFound(path)
      case "invalid_path":
      case "enametoolong":
      case "eloop":
        return new PathRefused({ path, code: "invalid", message })
      default:
        return new PathRefused({ path, code: "unreadable", message })
    }
  })
