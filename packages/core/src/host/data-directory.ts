/**
 * The data directory made ready, or why it cannot be used.
 *
 * A wrong path is a fault of whoever configured it, and no failure of the store: it is told before
 * anything is opened, with the path and the system's cause. A directory that holds a store and
 * cannot be written is fine here, since it opens for reading; a full disk is the store's to tell.
 */
import { accessSync, constants, statSync } from "node:fs"
import { Effect } from "effect"
import { ConfigurationInvalid } from "@holdfast/schema/error"
import { dataFile, makePrivateDirectory } from "@holdfast/store/data-file"

export const prepareDataDirectory = (path: string): Effect.Effect<void, ConfigurationInvalid> =>
  Effect.suspend(() => {
    const fault = findFault(path)
    return fault === null
      ? Effect.void
      : Effect.fail(
          new ConfigurationInvalid({
            file: path,
            line: 0,
            message: `${fault}, or name another data directory: --data-dir on the command line, \`dataDir\` in a program.`,
          }),
        )
  })

/** What is wrong and what to do about it, without the end of its sentence, or null. */
function findFault(path: string): string | null {
  const made = codeOf(() => makePrivateDirectory(path))
  if (made === "EEXIST") return `${path} is no directory. Check the path`
  if (made !== null && fullCodes.has(made)) return null
  if (made !== null && pathCodes.has(made))
    return `${path} is not there and cannot be made (${made}). Check the path and the permissions above it`
  const searched = codeOf(() => accessSync(path, constants.R_OK | constants.X_OK))
  if (searched !== null) return `${path} cannot be looked into (${searched}). Check its permissions`
  return findFileFault(path, dataFile(path))
}

function findFileFault(path: string, file: string): string | null {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats !== undefined) {
    if (!stats.isFile()) return `${file} is no file. Move it away`
    const read = codeOf(() => accessSync(file, constants.R_OK))
    return read === null ? null : `${file} cannot be read (${read}). Check its owner and its permissions`
  }
  const written = codeOf(() => accessSync(path, constants.W_OK))
  return written === null ? null : `${path} cannot be written (${written}). Check its permissions`
}

/** A full disk, which the store tells. */
const fullCodes: ReadonlySet<string> = new Set(["EDQUOT", "ENOSPC"])

/** Causes that another path would mend. */
const pathCodes: ReadonlySet<string> = new Set([
  "EACCES",
  "EINVAL",
  "ELOOP",
  "ENAMETOOLONG",
  "ENOENT",
  "ENOTDIR",
  "EPERM",
  "EROFS",
])

/** The system's code for what cannot be done, or null if it was done. */
function codeOf(attempt: () => void): string | null {
  try {
    attempt()
    return null
  } catch (cause) {
    if (cause instanceof Error && "code" in cause) return String(cause.code)
    throw cause
  }
}
