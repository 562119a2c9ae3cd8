/** The agents that a person can choose in a directory, and what is wrong with those that are left out. */
import { Effect } from "effect"
import { loadAgents } from "@holdfast/core/agent/load"
import type { AgentDefinition } from "@holdfast/core/agent/definition"
import { nodeInstructionFiles } from "@holdfast/core/instructions/index"
import { problemText } from "@holdfast/core/markdown/files"
import { projectRootOf } from "./configure.ts"
import { configDirectoryOf } from "./directories.ts"
import type { HoldfastOptions } from "./holdfast.ts"
import { isSet } from "./instructions.ts"

export interface DescribedOptions extends Pick<HoldfastOptions, "configDir" | "environment"> {
  /** The directory whose project is looked at. */
  readonly directory: string
}

export type DescribedAgent = Pick<AgentDefinition, "name" | "description" | "mode" | "origin" | "file">

export interface DescribedAgents {
  /** Built in first, then those of the user, then those of the project. */
  readonly agents: readonly DescribedAgent[]
  /** A sentence each, with its file. */
  readonly problems: readonly string[]
}

/** It reads, and opens nothing. */
export async function describeAgents(options: DescribedOptions): Promise<DescribedAgents> {
  const { environment = process.env, directory } = options
  const settings = {
    configDirectory: configDirectoryOf(options),
    disableProject: isSet(environment["HOLDFAST_DISABLE_PROJECT_CONFIG"]),
  }
  const root = await projectRootOf(directory)
  const { agents, problems } = await Effect.runPromise(loadAgents(settings, root, nodeInstructionFiles))
  return {
    agents: [...agents.values()].map(({ name, description, mode, origin, file }) => ({
      name,
      description,
      mode,
      origin,
      file,
    })),
    problems: problems.map(problemText),
  }
}
