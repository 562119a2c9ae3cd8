/**
 * Where tests have their temporary folders: in memory, where there is enough of it.
 *
 * Test stores sync to disk at every commit, as real ones do, and much of a run would be waiting for
 * that. No test cuts the power of the machine, so none can tell the difference: what a killed process
 * has written is there on either.
 */
import { mkdtempSync, rmSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const memoryDisk = "/dev/shm"
/** The largest suite installs this repository and its packages, each with all that they depend on. */
const roomBytesMin = 4 * 2 ** 30
const memoryBytesMin = 2 * roomBytesMin

/** Gives this run, with all that it starts, a temporary folder in memory that goes with it. */
export function useScratch(): void {
  if (!hasMemory()) return
  const folder = mkdtempSync(join(memoryDisk, "hf-"))
  process.env["TMPDIR"] = folder
  process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
}

/** The folder above it, where a test has to print the name of a temporary folder in one line. */
export const shortTemporary = (): string => (tmpdir().startsWith(`${memoryDisk}/`) ? memoryDisk : tmpdir())

function hasMemory(): boolean {
  if (process.availableMemory() < memoryBytesMin) return false
  try {
    const { bavail, bsize } = statfsSync(memoryDisk)
    return bavail * bsize >= roomBytesMin
  } catch {
    return false // only Linux has one
  }
}
