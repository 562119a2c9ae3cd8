/**
 * Where a search begins: a directory or a file that was opened inside the Location, so that nothing
 * that happens to its path afterwards leads the search elsewhere (PE2).
 *
 * What was opened is judged again by its own path where the system tells it, which is Linux;
 * elsewhere the path is resolved a second time. Below the directory ripgrep opens files by their
 * names and follows no link; what is swapped for one in the very moment is told by steady.ts.
 */
import { constants, type Stats } from "node:fs"
import { type FileHandle, open, readdir, readlink, realpath } from "node:fs/promises"
import { basename, dirname } from "node:path"
import { Effect, type Scope } from "effect"
import { slashed } from "../../files/ignore-files.ts"
import {
  expiredOutput,
  fileEffect,
  type Reach,
  resolveInLocation,
  resolveReadable,
  statOrNull,
} from "../location-path.ts"
import { nearNames } from "@holdfast/schema/names/near-names"
import { type ToolContext, ToolFailure } from "../tool.ts"

export type SearchPlace =
  | { readonly kind: "directory"; readonly directory: string; readonly shown: string }
  | {
      readonly kind: "file"
      readonly directory: string
      readonly shown: string
      readonly fd: number
      /** Text whatever is in it: the complete output of a call (TO3). */
      readonly managed: boolean
    }

/** Opens the place that an input names; it is held until the scope closes. */
export const openPlace = Effect.fnUntraced(function* (
  context: Reach & Pick<ToolContext, "outputs">,
  path: string,
): Effect.fn.Return<SearchPlace, ToolFailure, Scope.Scope> {
  const { absolute, shown, stats, managed } = yield* findReadable(context, path)
  if (!stats.isDirectory() && !stats.isFile()) return yield* noPlace(path)
  const file = yield* Effect.acquireRelease(
    fileEffect(path, () => openItself(absolute, stats)),
    (opened) => Effect.promise(() => opened?.close() ?? Promise.resolve()),
  )
  const real = yield* fileEffect(path, () => pathOf(file, absolute))
  if (real !== absolute) return yield* moved(path)
  if (stats.isFile() && file !== null)
    return { kind: "file", directory: dirname(absolute), shown: slashed(shown), fd: file.fd, managed }
  return { kind: "directory", directory: directoryOf(file, absolute), shown: slashed(shown) }
})

const findReadable = Effect.fnUntraced(function* (
  context: Reach & Pick<ToolContext, "outputs">,
  path: string,
) {
  const target = yield* resolveReadable(context, path)
  if (!target.managed) return { ...(yield* findExisting(context, path)), managed: false }
  const stats = yield* fileEffect(path, () => statOrNull(target.absolute))
  return stats === null ? yield* expiredOutput(path) : { ...target, stats }
})

/** What is at a path inside the Location; where nothing is, the failure names what is near. */
export const findExisting = Effect.fnUntraced(function* (reach: Reach, path: string) {
  const target = yield* resolveInLocation(reach, path)
  const stats = yield* fileEffect(path, () => statOrNull(target.absolute))
  if (stats !== null) return { ...target, stats }
  const siblings = yield* Effect.promise(() => readdir(dirname(target.absolute)).catch(() => []))
  const near = nearNames(basename(target.absolute), siblings)
  const hint = near.length > 0 ? ` Near names in that directory: ${near.join(", ")}.` : ""
  return yield* new ToolFailure({ code: "not_found", message: `${path} does not exist.${hint}` })
})

/** A path below the place, as the Location names it. */
export const shownBelow = ({ kind, shown }: SearchPlace, path: string): string =>
  kind === "file" ? shown : shown === "." ? path : `${shown}/${path}`

const isLinux = process.platform === "linux"
const ownFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** A directory is held only where it can be entered by its handle. */
async function openItself(absolute: string, stats: Stats): Promise<FileHandle | null> {
  if (stats.isDirectory() && !isLinux) return null
  return open(absolute, stats.isDirectory() ? ownFlags | constants.O_DIRECTORY : ownFlags)
}

const handlePath = (file: FileHandle): string => `/proc/self/fd/${file.fd}`

const pathOf = async (file: FileHandle | null, absolute: string): Promise<string> =>
  isLinux && file !== null ? await readlink(handlePath(file)) : await realpath(absolute)

/** The child enters it before its program begins, while the handle is still its own. */
const directoryOf = (file: FileHandle | null, absolute: string): string =>
  file === null ? absolute : handlePath(file)

const moved = (path: string): ToolFailure =>
  new ToolFailure({ code: "moved", message: `${path} was replaced while it was opened. Call again.` })

const noPlace = (path: string): ToolFailure =>
  new ToolFailure({
    code: "not_a_file",
    message: `${path} is neither a regular file nor a directory and cannot be searched.`,
  })
