/**
 * The agents that there are for a project: built in, then the user's, then the project's.
 *
 * A user may describe a built-in agent anew, and keeps what it may not do. A project cannot take the
 * name of either: whoever says `build` means what they know (TL6).
 */
import { Effect, Result } from "effect"
import type { InstructionFiles } from "../instructions/files.ts"
import { findMarkdown, type MarkdownProblem, problemOf } from "../markdown/files.ts"
import { markdownPlaces, type MarkdownSettings } from "../markdown/places.ts"
import { type AgentDefinition, builtInAgents } from "./definition.ts"
import { readAgent } from "./read.ts"

export interface LoadedAgents {
  readonly agents: ReadonlyMap<string, AgentDefinition>
  readonly problems: readonly MarkdownProblem[]
}

/** Null looks at what is built in and the user's alone. */
export const loadAgents = Effect.fnUntraced(function* (
  settings: MarkdownSettings,
  projectRoot: string | null,
  files: InstructionFiles,
): Effect.fn.Return<LoadedAgents> {
  const places = markdownPlaces("agents", settings, projectRoot)
  const found = yield* findMarkdown(places, { named: "*.md" }, files)
  const agents = new Map(builtInAgents)
  const problems = [...found.problems]
  for (const file of found.files) {
    const read = readAgent(file)
    if (Result.isFailure(read)) problems.push(read.failure)
    else {
      const before = agents.get(read.success.name)
      const taken = before === undefined ? null : takenBy(before, read.success)
      if (taken !== null) problems.push(problemOf(file.path, taken))
      else
        agents.set(
          read.success.name,
          before === undefined ? read.success : describedAnew(before, read.success),
        )
    }
  }
  return { agents, problems }
})

/** Why the name is not free, or null. */
function takenBy(before: AgentDefinition, { name, origin }: AgentDefinition): string | null {
  if (before.origin === "built-in" && origin === "user") return null
  const whose = { "built-in": "built in", user: "one of yours", project: "in another file of this project" }
  return `There is an agent ${name} already (${whose[before.origin]}), which stays. Give this one another name.`
}

const describedAnew = (before: AgentDefinition, own: AgentDefinition): AgentDefinition => ({
  ...own,
  permissions: [...own.permissions, ...before.permissions],
  selection: { ...own.selection, readOnly: before.selection.readOnly },
})
