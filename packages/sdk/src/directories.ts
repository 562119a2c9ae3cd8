/** Where Sessions are kept, by option, variable or XDG. */
import { homedir } from "node:os"
import { resolve } from "node:path"
import { dataDirectory } from "@holdfast/core/config/directories"
import type { HoldfastOptions } from "./holdfast.ts"

export const dataDirectoryOf = ({
  dataDir,
  environment = process.env,
}: Pick<HoldfastOptions, "dataDir" | "environment">): string =>
  resolve(dataDir ?? dataDirectory(environment, homedir()))
