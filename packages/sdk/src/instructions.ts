/** Instruction files that are not sent whole: whoever works with them should know. */
import { homedir } from "node:os"
import { resolve } from "node:path"
import { Effect } from "effect"
import { configDirectory, loadUserSettings, noSettings } from "@holdfast/core/config/index"
import type { UnreachedInstruction } from "@holdfast/core/host/fetched-instructions"
import { openFetched } from "@holdfast/core/host/host"
import {
  type CutInstruction,
  findCutInstructions,
  findProjectRoot,
  type IrregularInstruction,
  nodeInstructionFiles,
} from "@holdfast/core/instructions/index"
import { configDirectoryOf, dataDirectoryOf } from "./directories.ts"
import type { HoldfastOptions } from "./holdfast.ts"

export interface InstructionsOptions extends Pick<HoldfastOptions, "configDir" | "environment"> {
  /** The directory whose instructions are looked at. */
  readonly directory: string
}

/** Files in force for the directory of which only the beginning is sent, or nothing. It reads, and opens nothing. */
export const cutInstructions = (
  options: InstructionsOptions,
): Promise<readonly (CutInstruction | IrregularInstruction)[]> => {
  const { environment = process.env, directory } = options
  return Effect.runPromise(
    findCutInstructions({
      project: findProjectRoot(resolve(directory), nodeInstructionFiles),
      configDirectory: resolve(options.configDir ?? configDirectory(environment, homedir())),
      disableProject: isSet(environment["HOLDFAST_DISABLE_PROJECT_CONFIG"]),
      files: nodeInstructionFiles,
    }),
  )
}

/**
 * Addresses of the user's settings that do not answer now. It asks each, at most every five minutes, and
 * keeps what they say for whoever works with the data directory.
 */
export async function unreachedInstructions(
  options: Pick<HoldfastOptions, "configDir" | "dataDir" | "environment">,
): Promise<readonly UnreachedInstruction[]> {
  // What is wrong with the settings is told where the work begins.
  const none = () => Effect.succeed(noSettings)
  const loading = loadUserSettings(
    configDirectoryOf(options),
    options.environment ?? process.env,
    nodeInstructionFiles.read,
  )
  const settings = await Effect.runPromise(
    loading.pipe(
      Effect.map((loaded) => loaded.settings),
      Effect.catchTag("ConfigurationInvalid", none),
    ),
  )
  const fetched = openFetched({ settings: () => settings, dataDirectory: dataDirectoryOf(options) })
  await Effect.runPromise(fetched.current)
  return fetched.unreached()
}

export const isSet = (value: string | undefined): boolean =>
  value !== undefined && value !== "" && value !== "0"
