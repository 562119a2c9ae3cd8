/** A file that holds secrets: read only if it is a regular one of this user that nobody else can open (AU1). */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs"
import { Effect } from "effect"
import { CredentialFault, type CredentialFaultCode } from "./fault.ts"

/** Opened once and judged by what was opened, so that nothing can change in between. */
export const readPrivateFile = (path: string, bytesMax: number): Effect.Effect<string, CredentialFault> =>
  Effect.suspend(() => {
    let descriptor: number | null = null
    try {
      // Without O_NONBLOCK, opening a named pipe would wait for a writer and stop the whole process.
      descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
      const stats = fstatSync(descriptor)
      if (!stats.isFile()) return fault("file_not_regular", path, "is no regular file.")
      if (process.getuid !== undefined && stats.uid !== process.getuid())
        return fault("file_foreign", path, "belongs to another user. Make a file of your own.")
      const mode = stats.mode & 0o7777
      if (process.getuid !== undefined && (mode & ~0o600) !== 0)
        return fault("file_open", path, `has mode ${mode.toString(8)}. Run: chmod 600 ${path}`)
      const bytes = Buffer.alloc(bytesMax + 1)
      const length = readSync(descriptor, bytes, 0, bytes.length, 0)
      if (length > bytesMax) return fault("key_malformed", path, "is longer than it can be.")
      return Effect.succeed(bytes.toString("utf8", 0, length))
    } catch (thrown) {
      // Whatever the system says, the key cannot be had; its code tells the person why.
      const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "unknown error"
      return code === "ENOENT"
        ? fault("file_missing", path, "is not there.")
        : fault("file_unreadable", path, `cannot be read (${code}).`)
    } finally {
      if (descriptor !== null) closeSync(descriptor)
    }
  })

const fault = (code: CredentialFaultCode, path: string, rest: string) =>
  Effect.fail(new CredentialFault({ code, message: `takes its key from the file ${path}, which ${rest}` }))
