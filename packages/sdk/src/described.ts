/** Agents, skills and commands of a directory, and what is wrong with those that are left out. */
import { Effect, Result } from "effect"
import { homeOf } from "@holdfast/core/config/directories"
import { loadAgents } from "@holdfast/core/agent/load"
import type { AgentDefinition } from "@holdfast/core/agent/definition"
import { expandCommand, plainText, readCall } from "@holdfast/core/command/expand"
import { type LoadedCommands, loadCommands } from "@holdfast/core/command/load"
import { readMentions } from "@holdfast/core/command/mentions"
import { nodeInstructionFiles } from "@holdfast/core/instructions/index"
import { problemText } from "@holdfast/core/markdown/files"
import type { MarkdownSettings } from "@holdfast/core/markdown/places"
import { loadSkills, type Skill } from "@holdfast/core/skills/load"
import { type PromptCall, promptCallsMax } from "@holdfast/schema/prompt"
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

/** What a typed line means as a prompt: a command with its arguments, or the text itself. */
export type TypedPrompt =
  | {
      readonly kind: "text"
      readonly text: string
      /** What is looked at and run before a model reads it, for `sessions.prompt`. */
      readonly calls: readonly PromptCall[]
    }
  /** What to do instead, in a sentence. */
  | { readonly kind: "refused"; readonly message: string }

/**
 * `/review src/` is the prompt of the command `review`; two slashes begin a text with one. `@path` names
 * a file or a directory that is read with it.
 */
export async function readTypedPrompt(text: string, options: DescribedOptions): Promise<TypedPrompt> {
  const call = readCall(text)
  const expanded =
    call === null
      ? Result.succeed({ text: plainText(text), calls: [] })
      : expandCommand(await commandsOf(options), call)
  if (Result.isFailure(expanded)) return { kind: "refused", message: expanded.failure }
  const { text: words, calls: run } = expanded.success
  const calls = [...(await readMentions(words, options.directory)), ...run]
  if (calls.length > promptCallsMax)
    return {
      kind: "refused",
      message: `The prompt names ${calls.length} files and commands; at most ${promptCallsMax} go with one.`,
    }
  return { kind: "text", text: words, calls }
}

async function commandsOf(options: DescribedOptions): Promise<LoadedCommands["commands"]> {
  const root = await projectRootOf(options.directory)
  const loading = loadCommands(placesOf(options), root, nodeInstructionFiles)
  return (await Effect.runPromise(loading)).commands
}

export const placesOf = (options: DescribedOptions): MarkdownSettings => ({
  configDirectory: configDirectoryOf(options),
  home: homeOf(options.environment ?? process.env),
  disableProject: isSet((options.environment ?? process.env)["HOLDFAST_DISABLE_PROJECT_CONFIG"]),
})
