/**
 * Examination: what is there and what is wrong with it, without opening Holdfast and without
 * writing anything; a control group that is made on trial is removed at once. It answers where
 * opening would fail.
 */
import { homedir } from "node:os"
import { resolve } from "node:path"
import { Effect } from "effect"
import {
  configDirectory,
  examineConfiguration,
  loadCatalog,
  type ConfigurationExamination,
} from "@holdfast/core/config/index"
import { examineHost, type HostExamination } from "@holdfast/core/host/examine"
import { locate } from "@holdfast/core/host/locations"
import {
  type CutInstruction,
  type IrregularInstruction,
  nodeInstructionFiles,
} from "@holdfast/core/instructions/index"
import { type ContainmentKind, findContainment } from "@holdfast/core/tools/containment"
import { dataDirectoryOf } from "./directories.ts"
import { reserveOf } from "./embedded/open.ts"
import type { HoldfastOptions } from "./holdfast.ts"
import { cutInstructions, isSet } from "./instructions.ts"

export interface Examination extends HostExamination {
  /** By what the processes of a command are found when it has to end. */
  readonly containment: ContainmentKind
  readonly configuration: ConfigurationExamination
  /** Instruction files of which only the beginning is sent, or nothing. */
  readonly instructions: readonly (CutInstruction | IrregularInstruction)[]
}

export interface ExamineOptions extends Pick<
  HoldfastOptions,
  "dataDir" | "configDir" | "environment" | "reserve"
> {
  /** The directory whose project is looked at. */
  readonly directory: string
}

export async function examineHoldfast(options: ExamineOptions): Promise<Examination> {
  const { environment = process.env, directory } = options
  const location = await Effect.runPromise(locate(directory))
  const configuration = await Effect.runPromise(
    examineConfiguration({
      configDirectory: resolve(options.configDir ?? configDirectory(environment, homedir())),
      projectRoot: location?.projectRoot ?? null,
      environment,
      disableProject: isSet(environment["HOLDFAST_DISABLE_PROJECT_CONFIG"]),
      readFile: nodeInstructionFiles.read,
      catalog: await Effect.runPromise(loadCatalog(dataDirectoryOf(options))),
      reserve: await Effect.runPromise(reserveOf(options)),
    }),
  )
  const instructions = await cutInstructions(options)
  const { kind: containment } = await findContainment()
  const host = examineHost(dataDirectoryOf(options), configuration.historian === true)
  return { ...host, containment, configuration, instructions }
}
