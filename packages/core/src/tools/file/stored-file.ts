/**
 * Stored file: what stands at a path before a change, and the one way in which files are changed.
 *
 * The plan is on record and all new contents are written beside their targets and flushed before
 * the first target changes, so that what can fail fails early. Then each takes its name in one
 * step, so that a reader or a crash sees the old file or the new one, never half of it. What was
 * changed is told file by file (TL5).
 */
import { type BigIntStats, constants } from "node:fs"
import { access, type FileHandle, lstat, open, rename, rm, unlink } from "node:fs/promises"
import { basename } from "node:path"
import { Effect } from "effect"
import { fileEffect, type LocationPath } from "../location-path.ts"
import { ToolFailure, type ToolContext } from "../tool.ts"
import { type OpenedDirectory, withDirectoryOf } from "./opened-directory.ts"
import type { FileChange } from "./record.ts"
import { temporaryName } from "./temporary-name.ts"

/** A larger file is neither edited nor replaced: its bytes are kept with the settlement. */
export const changeBytesMax = 33_554_432

export interface StoredFile {
  readonly bytes: Uint8Array
  /** Permission bits. */
  readonly mode: number
  readonly identity: Identity
}

/** Tells whether a file is still the one that was read. */
interface Identity {
  readonly inode: bigint
  readonly size: bigint
  readonly modifiedNs: bigint
  readonly owner: bigint
  readonly group: bigint
}

export interface PlannedChange extends FileChange {
  readonly target: LocationPath
  /** The file that is changed, moved or removed, as it was when that was planned; null where one is created. */
  readonly stored: StoredFile | null
  /** Where it is moved from. */
  readonly source?: LocationPath
}

/** The file at a path, or null for nothing. What is no regular file is refused before it is opened. */
export const readStored = Effect.fnUntraced(function* (
  path: string,
  target: LocationPath,
): Effect.fn.Return<StoredFile | null, ToolFailure> {
  const found = yield* fileEffect(path, () => withDirectoryOf(target, readFrom(target)).catch(nothingThere))
  if (found === "not-a-file") {
    return yield* new ToolFailure({
      code: "not_a_file",
      message: `${path} exists and is not a regular file. Choose another path.`,
    })
  }
  if (found === "too-large") {
    return yield* new ToolFailure({
      code: "too_large",
      message: `${path} has more than ${changeBytesMax} bytes, too many to be changed by this tool. Use a command.`,
    })
  }
  return found
})

function nothingThere(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null
  throw error
}

const readFrom = (target: LocationPath) => async (directory: OpenedDirectory) => {
  const path = directory.at(basename(target.absolute))
  const seen = await lstat(path)
  if (!seen.isFile()) return "not-a-file"
  const file = await open(
    path,
    constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0),
  )
  try {
    const stats = await file.stat({ bigint: true })
    if (!stats.isFile()) return "not-a-file"
    if (stats.size > changeBytesMax) return "too-large"
    const bytes = await file.readFile()
    return { bytes, mode: Number(stats.mode) & 0o7777, identity: identityOf(stats) }
  } finally {
    await file.close()
  }
}

const identityOf = (stats: BigIntStats): Identity => ({
  inode: stats.ino,
  size: stats.size,
  modifiedNs: stats.mtimeNs,
  owner: stats.uid,
  group: stats.gid,
})

/**
 * Makes all changes, or, where anything of it cannot be prepared, none. It cannot be interrupted
 * once it began, and what it did is on record file by file.
 */
export const applyChanges = (
  changes: readonly PlannedChange[],
  { callId, files }: Pick<ToolContext, "callId" | "files">,
): Effect.Effect<void, ToolFailure> =>
  Effect.uninterruptible(
    Effect.gen(function* () {
      const staged: StagedChange[] = []
      yield* files.plan(changes)
      const prepared = Effect.gen(function* () {
        for (const change of changes)
          staged.push(yield* fileEffect(change.target.shown, () => stage(change, callId)))
      })
      yield* Effect.onError(prepared, () => Effect.promise(() => discard(staged)))
      for (const [index, change] of staged.entries()) {
        const put = Effect.mapError(
          fileEffect(change.planned.target.shown, () => putInPlace(change)),
          (failure) => withDone(failure, staged.slice(0, index)),
        )
        yield* Effect.onError(put, () => Effect.promise(() => discard(staged.slice(index))))
        files.changed(change.planned)
      }
    }),
  )

/** What cannot be taken back is told. */
function withDone({ code, message }: ToolFailure, before: readonly StagedChange[]): ToolFailure {
  const done = before.map(({ planned: { target } }) => target.shown).join(", ")
  const told = done === "" ? message : `${message} These files were changed before it: ${done}.`
  return new ToolFailure({ code, message: told })
}

interface StagedChange {
  readonly planned: PlannedChange
  /** Name of the file with the new content, beside the target; null where there is none. */
  readonly temporary: string | null
}

async function stage(planned: PlannedChange, callId: string): Promise<StagedChange> {
  const { after, target, source = target, stored } = planned
  if (stored !== null) await withDirectoryOf(source, (directory) => checkWritable(directory, source))
  if (after === null) return { planned, temporary: null }
  const temporary = temporaryName(callId, target.absolute)
  const write = (directory: OpenedDirectory) => writeBeside(directory.at(temporary), planned, after)
  await withDirectoryOf(target, write, { makes: true })
  return { planned, temporary }
}

/** Renaming would pass over the read-only mark of the file itself. */
const checkWritable = (directory: OpenedDirectory, { absolute }: LocationPath): Promise<void> =>
  access(directory.at(basename(absolute)), constants.W_OK)

async function writeBeside(path: string, { mode, stored }: PlannedChange, bytes: Uint8Array): Promise<void> {
  try {
    const file = await open(path, "wx")
    try {
      await file.writeFile(bytes)
      if (stored !== null) await keepOwner(file, stored.identity)
      if (mode !== null) await file.chmod(mode)
      await file.sync()
    } finally {
      await file.close()
    }
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}

/** Only somebody who may do so gives files away; for others the file is their own already, or becomes it. */
async function keepOwner(file: FileHandle, { owner, group }: Identity): Promise<void> {
  const made = await file.stat({ bigint: true })
  if (made.uid === owner && made.gid === group) return
  await file.chown(Number(owner), Number(group)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EPERM") throw error
  })
}

async function putInPlace({ planned, temporary }: StagedChange): Promise<void> {
  const { target, source, stored } = planned
  if (source !== undefined && !(await isUnchanged(source, stored))) throw new ChangedMeanwhile()
  if (!(await isUnchanged(target, source === undefined ? stored : null))) throw new ChangedMeanwhile()
  await withDirectoryOf(target, async (directory) => {
    const path = directory.at(basename(target.absolute))
    if (temporary === null) await unlink(path)
    else await rename(directory.at(temporary), path)
    await directory.sync()
  })
  if (source === undefined) return
  try {
    await withDirectoryOf(source, (directory) => remove(directory, source))
  } catch (error) {
    await withDirectoryOf(target, (directory) => remove(directory, target))
    throw error
  }
}

/** Thrown like an error of the file system, so that it is told like one. */
class ChangedMeanwhile extends Error {
  readonly code = "CHANGED_MEANWHILE"
}

async function remove(directory: OpenedDirectory, { absolute }: LocationPath): Promise<void> {
  await unlink(directory.at(basename(absolute)))
  await directory.sync()
}

async function isUnchanged(target: LocationPath, stored: StoredFile | null): Promise<boolean> {
  const look = (directory: OpenedDirectory) =>
    lstat(directory.at(basename(target.absolute)), { bigint: true })
  const now = await withDirectoryOf(target, look).catch(nothingThere)
  if (now === null || stored === null) return now === null && stored === null
  const { inode, size, modifiedNs } = identityOf(now)
  const { identity } = stored
  return inode === identity.inode && size === identity.size && modifiedNs === identity.modifiedNs
}

async function discard(staged: readonly StagedChange[]): Promise<void> {
  for (const { planned, temporary } of staged) {
    if (temporary === null) continue
    // What cannot be taken away is only a file too many.
    await withDirectoryOf(planned.target, (directory) => rm(directory.at(temporary), { force: true })).catch(
      () => {},
    )
  }
}
