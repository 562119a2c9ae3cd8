/**
 * The key of a store's masks: made once, kept in the data directory, its user's alone.
 *
 * It only makes tokens of the same secret alike. Where it cannot be kept, as on a disk that takes no
 * writes, one is made for this process: then nothing can be stored that a token would stand in.
 */
import { randomBytes } from "node:crypto"
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { privateFileMode } from "@holdfast/store/data-file"

const keyBytes = 32

export function openMaskKey(dataDirectory: string): Uint8Array {
  const file = join(dataDirectory, "mask.key")
  return readKey(file) ?? makeKey(file)
}

function readKey(file: string): Uint8Array | null {
  try {
    const key = readFileSync(file)
    return key.length === keyBytes ? key : null
  } catch {
    // Not there yet, or not ours to read.
    return null
  }
}

function makeKey(file: string): Uint8Array {
  const key = randomBytes(keyBytes)
  const own = `${file}.${key.toString("hex", 0, 6)}`
  try {
    writeFileSync(own, key, { mode: privateFileMode, flag: "wx" })
    // By a link the file is whole from the moment it is there, and the first of two processes wins.
    linkSync(own, file)
    return key
  } catch {
    // Another process was quicker, or the disk takes no writes.
    return readKey(file) ?? key
  } finally {
    rmSync(own, { force: true })
  }
}
