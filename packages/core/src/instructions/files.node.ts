/** Instruction Files on the host's file system. Synchronous: the files are few and small. */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs"
import { Effect } from "effect"
import { instructionBytesMax, type FileContent, type InstructionFiles } from "./files.ts"

export const nodeInstructionFiles: InstructionFiles = {
  read: (path) =>
    Effect.sync(() => {
      try {
        return statSync(path, { throwIfNoEntry: false }) === undefined
          ? { kind: "missing" }
          : readContent(path)
      } catch (thrown) {
        return explainFailure(thrown)
      }
    }),
  realPath: (path) =>
    Effect.sync(() => {
      // Most places looked at are empty, and asking first spares an exception for each.
      if (!existsSync(path)) return null
      try {
        return realpathSync.native(path)
      } catch {
        return null // Whatever the host's reason, the path leads nowhere now; `read` tells reasons apart.
      }
    }),
}

/** Codes that say that no file is there. A symlink loop is one: it never leads to a file. */
const missingCodes = new Set(["ENOENT", "ENOTDIR", "ELOOP"])

function explainFailure(thrown: unknown): FileContent {
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "unknown error"
  return missingCodes.has(code) ? { kind: "missing" } : { kind: "unreadable", reason: code }
}

function readContent(path: string): FileContent {
  // Without O_NONBLOCK, opening a named pipe would wait for a writer and stop the whole process.
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) return { kind: "missing", irregular: true }
    const bytes = readUpTo(descriptor, Math.min(stats.size, instructionBytesMax) + 1)
    const cut = bytes.length > instructionBytesMax
    // `stream` holds back a character that the cut has split, instead of replacing it.
    const text = new TextDecoder("utf-8").decode(bytes.subarray(0, instructionBytesMax), { stream: cut })
    return cut ? { kind: "text", text, cut } : { kind: "text", text }
  } finally {
    closeSync(descriptor)
  }
}

function readUpTo(descriptor: number, bytesMax: number): Uint8Array {
  const buffer = new Uint8Array(bytesMax)
  let length = 0
  while (length < bytesMax) {
    const count = readSync(descriptor, buffer, length, bytesMax - length, null)
    if (count === 0) break
    length += count
  }
  return buffer.subarray(0, length)
}
