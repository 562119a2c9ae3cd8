/** Real sessions, which are not part of the project: tests that use them say so where they are absent. */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"

/** Beside the repository, or beside the folder that a work tree stands in. */
export const sharedData =
  ["../../../../../shared/data", "../../../../shared/data"]
    .map((path) => join(import.meta.dirname, path))
    .find((path) => existsSync(path)) ?? null

if (sharedData === null) console.warn("There is no ../shared/data here, so that no real session is read.")

/** Files of a folder of it, by their paths; none where there is none. */
export function sharedFiles(folder: string, ending: RegExp): readonly string[] {
  if (sharedData === null) return []
  return readdirSync(join(sharedData, folder))
    .filter((name) => ending.test(name))
    .map((name) => join(sharedData!, folder, name))
}
