/**
 * A staged file: what a command will read that is too large to be handed over (ST4).
 *
 * It lies beside the store, where there is room, and has no name from the moment it is open: whatever
 * becomes of the process, nothing of it stays. The writer thread reads it by its descriptor.
 */
import { closeSync, openSync, rmSync, writeSync } from "node:fs"
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { privateFileMode } from "./data-file.ts"

export interface StagedFile {
  readonly descriptor: number
  /** Throws what the disk says. */
  readonly append: (bytes: Uint8Array) => void
  /** A repeat is safe. */
  readonly close: () => void
}

export function openStagedFile(directory: string): StagedFile {
  const path = join(directory, `staged-${randomBytes(8).toString("hex")}`)
  const descriptor = openSync(path, "wx+", privateFileMode)
  rmSync(path, { force: true })
  let isOpen = true
  let end = 0
  return {
    descriptor,
    append: (bytes) => {
      for (let at = 0; at < bytes.byteLength;) {
        const written = writeSync(descriptor, bytes, at, bytes.byteLength - at, end)
        at += written
        end += written
      }
    },
    close: () => {
      if (isOpen) closeSync(descriptor)
      isOpen = false
    },
  }
}
