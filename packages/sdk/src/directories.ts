/** Where Sessions are kept and where the configuration lies, by option, variable or XDG. */
import { homedir } from "node:os"
import { resolve } from "node:path"
import { configDirectory, dataDirectory } from "@holdfast/core/config/directories"
import { ConfigurationInvalid } from "@holdfast/schema/error"
import type { HoldfastOptions } from "./holdfast.ts"

/** Throws ConfigurationInvalid for an empty name, which would mean the current directory. */
export function dataDirectoryOf({
  dataDir,
  environment = process.env,
}: Pick<HoldfastOptions, "dataDir" | "environment">): string {
  if (dataDir?.trim() === "") {
    const message = "The data directory has an empty name. Name one, or leave dataDir out."
    throw new ConfigurationInvalid({ file: "dataDir", line: 0, message })
  }
  return resolve(dataDir ?? dataDirectory(environment, homedir()))
}

export const configDirectoryOf = ({
  configDir,
  environment = process.env,
}: Pick<HoldfastOptions, "configDir" | "environment">): string =>
  configDir === undefined ? configDirectory(environment, homedir()) : resolve(configDir)
