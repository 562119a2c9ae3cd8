/** Which file a command line means, found before a terminal is made: afterwards nobody could be told. */
import { accessSync, constants, statSync } from "node:fs"
import { delimiter, isAbsolute, resolve } from "node:path"

const pathDefault = "/usr/local/bin:/usr/bin:/bin"

/** Absolute path of the program, or null where there is none that can be run. */
export function findProgram(name: string, directory: string, path: string = pathDefault): string | null {
  if (name.includes("/") || isAbsolute(name)) return runnable(resolve(directory, name))
  for (const folder of path.split(delimiter)) {
    const found = runnable(resolve(directory, folder, name))
    if (found !== null) return found
  }
  return null
}

function runnable(file: string): string | null {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile() ? file : null
  } catch {
    return null // absent, or not ours to run: both mean that the search goes on
  }
}
