/** Where the store lives inside the data directory. The directory is the user's alone. */
import { mkdirSync } from "node:fs"
import { dirname, join } from "node:path"

export const dataFile = (dataDirectory: string): string => join(dataDirectory, "holdfast.db")

/** Makes the directory of the store if it is not there. */
export function prepareDataFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
}
