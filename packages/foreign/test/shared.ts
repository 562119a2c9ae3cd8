/** Real sessions, which are not part of the project: tests that use them say so where they are absent. */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"

const path = join(import.meta.dirname, "../../../../shared/data")

export const sharedData = existsSync(path) ? path : null

if (sharedData === null) console.warn("There is no ../shared/data here, so that no real session is read.")

/** Files of a folder of it, by their paths; none where there is none. */
export function sharedFiles(folder: string, ending: RegExp): readonly string[] {
  if (sharedData === null) return []
  return readdirSync(join(path, folder))
    .filter((name) => ending.test(name))
    .map((name) => join(path, folder, name))
}
