/** Instruction files that are too long to be sent whole: whoever works with them should know. */
import { homedir } from "node:os"
import { resolve } from "node:path"
import { Effect } from "effect"
import { configDirectory } from "@holdfast/core/config/index"
import {
  type CutInstruction,
  findCutInstructions,
  findProjectRoot,
  nodeInstructionFiles,
} from "@holdfast/core/instructions/index"
import type { HoldfastOptions } from "./holdfast.ts"

export interface InstructionsOptions extends Pick<HoldfastOptions, "configDir" | "environment"> {
  /** The directory whose instructions are looked at. */
  readonly directory: string
}

/** Files in force for the directory of which only the beginning is sent. It reads, and opens nothing. */
export const cutInstructions = (options: InstructionsOptions): Promise<readonly CutInstruction[]> => {
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

export const isSet = (value: string | undefined): boolean =>
  value !== undefined && value !== "" && value !== "0"
