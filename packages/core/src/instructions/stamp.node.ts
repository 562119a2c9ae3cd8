/**
 * A stamp of a file or folder: while it stays the same, so does what was seen there after it was taken.
 *
 * Systems count the time of a change in steps, and a change in the step of another leaves no trace.
 * A stamp is therefore worth keeping only once its last change is longer ago than any such step.
 */
import type { Stats } from "node:fs"

export interface Stamp {
  readonly dev: number
  readonly ino: number
  readonly size: number
  readonly mtimeMs: number
  /** Set by the system alone, so that whoever restores the other time hides nothing. */
  readonly ctimeMs: number
}

/** FAT has the longest. */
const stepMsMax = 2_000

export const stampOf = ({ dev, ino, size, mtimeMs, ctimeMs }: Stats): Stamp => ({
  dev,
  ino,
  size,
  mtimeMs,
  ctimeMs,
})

export const isSame = (a: Stamp, b: Stamp): boolean =>
  a.ctimeMs === b.ctimeMs &&
  a.mtimeMs === b.mtimeMs &&
  a.ino === b.ino &&
  a.size === b.size &&
  a.dev === b.dev

/** Whether it tells of every change after the moment in which it was taken. */
export const tellsChanges = ({ ctimeMs, mtimeMs }: Stamp, takenAtMs: number): boolean =>
  Math.max(ctimeMs, mtimeMs) < takenAtMs - stepMsMax
