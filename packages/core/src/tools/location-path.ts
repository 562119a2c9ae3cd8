/**
 * Location path: turns the path of a tool input into a canonical one within reach of the call: inside
 * the Location, inside its project, or exactly what was allowed outside of it.
 *
 * Links are resolved before the comparison, so neither `..` nor a symlink leads out (PE2). A path
 * that does not exist yet is judged by its longest existing part. Where it leads by now must be where
 * it led when the rules were asked; what somebody puts in its place between this check and its use is
 * refused when it is opened (file/opened-directory.ts).
 */
import type { Stats } from "node:fs"
import { lstat, realpath, stat } from "node:fs/promises"
import { basename, dirname, isAbsolute, join, parse, relative, resolve, sep } from "node:path"
import { Effect } from "effect"
import { slashes } from "../permission/pattern/path.ts"
import { managedPath } from "./output/output-store.ts"
import { type ToolContext, ToolFailure } from "./tool.ts"

export interface LocationPath {
  /** Canonical and absolute; every existing part is free of links. */
  readonly absolute: string
  /** The directory below which it is opened. */
  readonly root: string
  /** Relative to the Location, with `.` for the Location itself; absolute outside of the project. What the model is shown. */
  readonly shown: string
}

/** Where a call may go. */
export interface Reach {
  /** The canonical directory of the Location. */
  readonly directory: string
  /** Canonical; the directory alone unless given. */
  readonly projectRoot?: string
  /**
   * The canonical paths by which the call was judged: it may open these alone, outside of the project
   * too. Whatever is inside the project, unless given.
   */
  readonly judged?: readonly string[]
}

/** Resolves a path against the Location; fails with `outside_location` when it leads out of reach. */
export const resolveInLocation = Effect.fnUntraced(function* (
  { directory, projectRoot = directory, judged }: Reach,
  path: string,
): Effect.fn.Return<LocationPath, ToolFailure> {
  if (path.includes("\0")) {
    return yield* new ToolFailure({ code: "invalid_path", message: "A path must not hold a NUL character." })
  }
  if (Buffer.byteLength(path) > pathBytesMax) return yield* tooLong(path)
  const straight = yield* Effect.promise(() => findStraight(directory, path))
  const root = straight === null ? yield* fileEffect(path, () => realpath(directory)) : directory
  const absolute = straight ?? (yield* fileEffect(path, () => canonical(resolve(root, path))))
  if (Buffer.byteLength(absolute) > pathBytesMax) return yield* tooLong(path)
  if (absolute === "broken-link") {
    return yield* new ToolFailure({
      code: "broken_link",
      message: `${path} is, or leads through, a symbolic link to nothing. Use the path of a real file.`,
    })
  }
  const isJudged = judged?.includes(slashes(absolute))
  if (isJudged === false) return yield* movedMeanwhile(path)
  const shown = relative(root, absolute) || "."
  if (!leadsOut(shown)) return { absolute, root, shown }
  const project = yield* fileEffect(path, () => realpath(projectRoot))
  if (!leadsOut(relative(project, absolute))) return { absolute, root: project, shown }
  if (isJudged === true) return { absolute, root: parse(absolute).root, shown: absolute }
  return yield* new ToolFailure({
    code: "outside_location",
    message: `${path} is outside the project ${project}. Only paths inside it can be used, or what the user allows.`,
  })
})

/** Most paths lead where they say, which one look tells: without a link on the way there is none in the directory either. */
async function findStraight(directory: string, path: string): Promise<string | null> {
  const asked = resolve(directory, path)
  if (!asked.startsWith(`${directory}${sep}`)) return null
  const real = await realpath(asked).catch(() => null)
  return real === asked ? asked : null
}

/** What most systems take. Folder by folder a longer one could be made, which nobody could remove then. */
const pathBytesMax = 4_095

const tooLong = (path: string): ToolFailure =>
  new ToolFailure({
    code: "path_too_long",
    message: `${path.slice(0, 200).toWellFormed()}… is too long: a path has at most ${pathBytesMax} bytes, from the root on.`,
  })

/** What was asked for and allowed is another place than this one. */
const movedMeanwhile = (path: string): ToolFailure =>
  new ToolFailure({
    code: "moved",
    message: `${path} leads elsewhere now than when the call was judged: a link was put in its place. Nothing was done. Call again if you still need it.`,
  })

const leadsOut = (path: string): boolean => path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path)

export interface ReadablePath extends LocationPath {
  /** A Managed Tool Output File, which may be read from wherever it is (TO3). */
  readonly managed: boolean
}

/** As `resolveInLocation`, and files with complete outputs of calls as well. */
export const resolveReadable = Effect.fnUntraced(function* (
  reach: Reach & Pick<ToolContext, "outputs">,
  path: string,
): Effect.fn.Return<ReadablePath, ToolFailure> {
  const { outputs } = reach
  const absolute = managedPath(outputs?.directory, path)
  if (absolute !== null) return { absolute, root: dirname(absolute), shown: absolute, managed: true }
  return { ...(yield* resolveInLocation(reach, path)), managed: false }
})

/** The failure for a file with the complete output of a call that is no longer there (TO7). */
export const expiredOutput = (path: string): ToolFailure =>
  new ToolFailure({
    code: "expired",
    message: `${path} is gone: complete outputs are kept for some days only, and no longer than their Session. Make the call again if you need its output.`,
  })

/** Runs a file operation; an error of the file system becomes a failure the model can act on. */
export function fileEffect<A>(path: string, operation: () => Promise<A>): Effect.Effect<A, ToolFailure> {
  return Effect.tryPromise({
    try: operation,
    catch: (error) => {
      const code = errorCode(error)
      return new ToolFailure({ code: code.toLowerCase(), message: `${path}: ${explain(code)}` })
    },
  })
}

/** What a path is, or null when there is nothing. */
export async function statOrNull(path: string): Promise<Stats | null> {
  return stat(path).catch((error: unknown) => {
    if (errorCode(error) === "ENOENT") return null
    throw error
  })
}

function errorCode(error: unknown): string {
  const code = (error as NodeJS.ErrnoException | null)?.code
  return typeof code === "string" ? code : "EUNKNOWN"
}

/** Resolves the existing part and appends the rest. Depth is limited by the length of a path. */
async function canonical(path: string): Promise<string> {
  const missing: string[] = []
  for (let existing = path; ; existing = dirname(existing)) {
    const real = await realpath(existing).catch((error: unknown) => {
      if (errorCode(error) === "ENOENT") return null
      throw error
    })
    if (real !== null) return join(real, ...missing)
    // realpath says ENOENT also for a link to nothing; writing "through" it would lead anywhere.
    if (await lstat(existing).catch(() => null)) return "broken-link"
    missing.unshift(basename(existing))
  }
}

function explain(code: string): string {
  const known: Record<string, string> = {
    CHANGED_MEANWHILE:
      "somebody else changed it at this very moment, and it is left as it is. Read it again.",
    EACCES: "permission denied.",
    EEXIST: "it exists already.",
    EISDIR: "it is a directory, not a file.",
    ELOOP: "a symbolic link stands in the way.",
    EMOVED: "its directory was moved away meanwhile.",
    ENAMETOOLONG: "the name is too long.",
    ENOENT: "no such file or directory.",
    ENOSPC: "no space left on the device.",
    ENOTDIR: "a part of the path is a file, not a directory.",
    EPERM: "the operation is not permitted.",
    EROFS: "the file system is read-only.",
  }
  return known[code] ?? `the file system answered ${code}.`
}
