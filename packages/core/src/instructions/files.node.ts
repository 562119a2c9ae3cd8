/**
 * Instruction Files on the host's file system.
 *
 * Off the event loop: a disk that does not answer holds up the one observation that asks it, which
 * has a time limit (SC4), and not the process. What was begun ends by itself once the disk answers.
 */
import { constants, realpath } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { Effect } from "effect"
import { instructionBytesMax, type FileContent, type InstructionFiles, type NoFile } from "./files.ts"

export const nodeInstructionFiles: InstructionFiles = {
  read: (path) => Effect.promise(() => readContent(path).catch(explainFailure)),
  // Most places looked at are empty, and a rejected Promise for each would cost twice as much.
  realPath: (path) =>
    Effect.callback((resume) =>
      realpath.native(path, (cause, real) =>
        resume(Effect.succeed(cause === null ? real : explainFailure(cause))),
      ),
    ),
}

/** Codes that say that no file is there. A symlink loop is one: it never leads to a file. */
const missingCodes = new Set(["ENOENT", "ENOTDIR", "ELOOP"])

function explainFailure(thrown: unknown): NoFile {
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "unknown error"
  return missingCodes.has(code) ? { kind: "missing" } : { kind: "unreadable", reason: code }
}

async function readContent(path: string): Promise<FileContent> {
  // Without O_NONBLOCK, opening a named pipe would wait for a writer, for ever if none comes.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = await file.stat()
    if (!stats.isFile()) return { kind: "missing", irregular: true }
    const bytes = await readUpTo(file, Math.min(stats.size, instructionBytesMax) + 1)
    const cut = bytes.length > instructionBytesMax
    // `stream` holds back a character that the cut has split, instead of replacing it.
    const text = new TextDecoder("utf-8").decode(bytes.subarray(0, instructionBytesMax), { stream: cut })
    return cut ? { kind: "text", text, cut } : { kind: "text", text }
  } finally {
    await file.close()
  }
}

async function readUpTo(file: FileHandle, bytesMax: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(bytesMax)
  let length = 0
  while (length < bytesMax) {
    const { bytesRead } = await file.read(buffer, length, bytesMax - length, null)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.subarray(0, length)
}
