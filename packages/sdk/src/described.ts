/** Agents and skills of a directory, and what is wrong with those that are left out. */
import { Effect } from "effect"
import { loadAgents } from "@holdfast/core/agent/load"
import type { AgentDefinition } from "@holdfast/core/agent/definition"
import { nodeInstructionFiles } from "@holdfast/core/instructions/index"
import { problemText } from "@holdfast/core/markdown/files"
import type { MarkdownSettings } from "@holdfast/core/markdown/places"
import { loadSkills, type Skill } from "@holdfast/core/skills/load"
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
  const root = await projectRootOf(options.directory)
  const loading = loadAgents(placesOf(options), root, nodeInstructionFiles)
  const { agents, problems } = await Effect.runPromise(loading)
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

export type DescribedSkill = Pick<Skill, "name" | "description" | "origin" | "folder">

export interface DescribedSkills {
  readonly skills: readonly DescribedSkill[]
  /** A sentence each, with its file. */
  readonly problems: readonly string[]
}

/** It reads, and opens nothing. */
export async function describeSkills(options: DescribedOptions): Promise<DescribedSkills> {
  const root = await projectRootOf(options.directory)
  const loading = loadSkills(placesOf(options), root, nodeInstructionFiles)
  const { skills, problems } = await Effect.runPromise(loading)
  return {
    skills: skills.map(({ name, description, origin, folder }) => ({ name, description, origin, folder })),
    problems: problems.map(problemText),
  }
}

const placesOf = (options: DescribedOptions): MarkdownSettings => ({
  configDirectory: configDirectoryOf(options),
  disableProject: isSet((options.environment ?? process.env)["HOLDFAST_DISABLE_PROJECT_CONFIG"]),
})
