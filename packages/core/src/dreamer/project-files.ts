/**
 * What the dreamer asks of the files of a project (DM1): whether they are there, were there, and what they say.
 *
 * Only regular files inside the project: a link that leads out of it is as good as missing. A file counts as deleted
 * where Git says that the project had it; without Git nobody knows.
 */
import { isUtf8 } from "node:buffer"
import { execFile } from "node:child_process"
import { lstatSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { isAbsolute, join, relative, sep } from "node:path"
import { Effect } from "effect"
import type { FileState } from "@holdfast/recall"

export interface ProjectFiles {
  readonly states: (root: string, paths: readonly string[]) => Effect.Effect<ReadonlyMap<string, FileState>>
  readonly isLink: (root: string, path: string) => Effect.Effect<boolean>
  /** Null where there is none that may be read, or it is too long. */
  readonly read: (root: string, path: string, bytesMax: number) => Effect.Effect<string | null>
  /** Null takes it away; false where it could not be done. */
  readonly write: (root: string, path: string, text: string | null) => Effect.Effect<boolean>
}

/** How long Git may look for one file, and for how many it is asked in one run. */
const gitMs = 5_000
const askedMax = 50

export const nodeProjectFiles: ProjectFiles = {
  states: Effect.fnUntraced(function* (root, paths) {
    const states = new Map<string, FileState>()
    let asked = 0
    for (const path of paths) {
      if (isThere(root, path)) states.set(path, "there")
      else if (asked++ < askedMax) states.set(path, (yield* wasDeleted(root, path)) ? "deleted" : "unknown")
      else states.set(path, "unknown")
    }
    return states
  }),
  isLink: (root, path) => Effect.sync(() => isLink(root, path)),
  read: (root, path, bytesMax) => Effect.sync(() => readInside(root, path, bytesMax)),
  write: (root, path, text) =>
    Effect.sync(() => {
      try {
        const file = join(root, path)
        if (lstatSync(file, { throwIfNoEntry: false })?.isFile() === false) return false
        if (text === null) rmSync(file, { force: true })
        else writeFileSync(file, text)
        return true
      } catch {
        return false // a disk or a permission that does not allow it
      }
    }),
}

const isThere = (root: string, path: string): boolean => {
  try {
    return lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined
  } catch {
    return false // a file where a folder should be
  }
}

const isLink = (root: string, path: string): boolean => {
  try {
    return lstatSync(join(root, path), { throwIfNoEntry: false })?.isSymbolicLink() === true
  } catch {
    return false // a file where a folder should be
  }
}

function readInside(root: string, path: string, bytesMax: number): string | null {
  try {
    const real = realpathSync(join(root, path))
    const inside = relative(realpathSync(root), real)
    if (inside === "" || inside.startsWith(`..${sep}`) || inside === ".." || isAbsolute(inside)) return null
    const found = lstatSync(join(root, path))
    if (!found.isFile() || found.size > bytesMax) return null
    const bytes = readFileSync(real)
    // What is no text could not be written back as it was.
    return bytes.includes(0) || !isUtf8(bytes) ? null : bytes.toString("utf8")
  } catch {
    return null // it is not there, or nobody may read it
  }
}

const wasDeleted = (root: string, path: string): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const child = execFile(
      "git",
      ["-C", root, "log", "-1", "--format=%H", "--diff-filter=DR", "--no-renames", "--", path],
      { timeout: gitMs, maxBuffer: 65_536 },
      (failed, out) => resume(Effect.succeed(failed === null && out.trim() !== "")),
    )
    return Effect.sync(() => child.kill())
  })
