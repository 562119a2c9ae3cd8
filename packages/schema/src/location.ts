/** Location: the directory, and its project, that a Session works in, and the files below it. */
import { Schema } from "effect"

export const Location = Schema.Struct({
  /** Canonical absolute path of the working directory. */
  directory: Schema.String.check(Schema.isMinLength(1)),
  /** Canonical root of the project it belongs to; the directory itself where there is no repository. */
  projectRoot: Schema.String.check(Schema.isMinLength(1)),
})
export type Location = typeof Location.Type

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** Something in a directory of a Location. Links are not followed: what they lead to is not told. */
export const FileEntry = Schema.Struct({
  name: Schema.String,
  /** From the directory of the Location, with slashes. */
  path: Schema.String,
  kind: Schema.Literals(["file", "directory", "link", "other"]),
  /** Of a file; null of everything else. */
  bytes: Schema.NullOr(Count),
  /** In milliseconds; null where it could not be read any more. */
  modifiedAt: Schema.NullOr(Schema.Int),
})
export type FileEntry = typeof FileEntry.Type

/** Bytes of one answer; a longer file is read piece by piece. */
export const filePieceBytesMax = 1_048_576

/** What is known of the file that a piece of bytes was read from. */
export const FilePiece = Schema.Struct({
  /** From the directory of the Location, with slashes. */
  path: Schema.String,
  /** Of the whole file. */
  size: Count,
  /** Where in the file the piece begins. */
  offset: Count,
  modifiedAt: Schema.Int,
})
export type FilePiece = typeof FilePiece.Type
