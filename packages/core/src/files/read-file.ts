/**
 * A piece of a file in a Location.
 *
 * What is no regular file is refused before it is opened: opening a pipe waits for a writer, and
 * opening a device may do anything. What stands there once it is open is looked at again.
 */
import { constants } from "node:fs"
import { open } from "node:fs/promises"
import { Effect } from "effect"
import { type FilePiece, filePieceBytesMax } from "@holdfast/schema/location"
import { findPath, onDisk, type PathFailure, refused } from "./location-file.ts"

export interface ReadFilePiece {
  readonly path: string
  readonly offset?: number
  readonly length?: number
}

export interface ReadPiece {
  readonly piece: FilePiece
  readonly bytes: Uint8Array<ArrayBuffer>
}

export const readPiece = Effect.fnUntraced(function* (
  directory: string,
  { path, offset = 0, length = filePieceBytesMax }: ReadFilePiece,
): Effect.fn.Return<ReadPiece, PathFailure> {
  const { absolute, shown, stats } = yield* findPath(directory, path)
  if (!stats.isFile()) return yield* noFile(path)
  const read = yield* onDisk(path, () => readAt(absolute, offset, Math.min(length, filePieceBytesMax)))
  if (read === null) return yield* noFile(path)
  const { size, modifiedAt, bytes } = read
  return { piece: { path: shown, size, offset, modifiedAt }, bytes }
})

const noFile = (path: string) =>
  refused(path, "not_a_file", "is no regular file, so it has no bytes to read.")

/** Null where there is no file any more. */
async function readAt(path: string, offset: number, length: number) {
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)
  const file = await open(path, flags)
  try {
    const stats = await file.stat()
    if (!stats.isFile()) return null
    const bytes = new Uint8Array(Math.max(0, Math.min(length, stats.size - offset)))
    let filled = 0
    while (filled < bytes.length) {
      const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, offset + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return { size: stats.size, modifiedAt: Math.trunc(stats.mtimeMs), bytes: bytes.subarray(0, filled) }
  } finally {
    await file.close()
  }
}
