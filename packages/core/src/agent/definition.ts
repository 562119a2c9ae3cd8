/**
 * Agents: named selections of prompt, model, permissions and limits (TL6).
 *
 * `plan` and `explore` change nothing: they are offered only tools that declare to change nothing, and
 * of commands only those that read, whoever describes them anew.
 */
import type { ModelRef } from "@holdfast/schema/model"
import { type Agent, turnsMaxDefault } from "../session/ports.ts"
import { buildPrompt, explorePrompt, generalPrompt, planPrompt } from "./prompts.ts"

export interface AgentDefinition extends Agent {
  readonly description: string
  /** What it is offered for: to a person, or to other agents. */
  readonly mode: AgentMode
  readonly origin: "built-in" | "user" | "project"
  /** Where it is described; null for what is built in. */
  readonly file: string | null
  /** Its own; null takes that of the Session. */
  readonly model: ModelRef | null
  readonly temperature: number | null
  /** Rules such as `deny bash`, in order; those of a project's agent can only narrow (PE1). */
  readonly permissions: readonly string[]
  readonly selection: ToolSelection
}

export type AgentMode = "primary" | "subagent"
export const agentModes: readonly AgentMode[] = ["primary", "subagent"]

/** Which tools an agent is offered among those that are there; it never adds one. */
export interface ToolSelection {
  /** Null takes all. */
  readonly only: readonly string[] | null
  readonly without: readonly string[]
  /** Leaves out whatever does not declare to change nothing, save commands, which the rules of such agents judge. */
  readonly readOnly: boolean
}

export const everyTool: ToolSelection = { only: null, without: [], readOnly: false }
const lookingTools: ToolSelection = { ...everyTool, readOnly: true }

export const selects = (
  { only, without, readOnly }: ToolSelection,
  tool: { readonly name: string; readonly readOnly?: boolean },
): boolean =>
  (only === null || only.includes(tool.name)) &&
  !without.includes(tool.name) &&
  (!readOnly || tool.readOnly === true || tool.name === "bash")

const builtIn = (
  name: string,
  description: string,
  more: Pick<AgentDefinition, "prompt" | "mode"> & Partial<AgentDefinition>,
): AgentDefinition => ({
  name,
  description,
  origin: "built-in",
  file: null,
  model: null,
  temperature: null,
  turnsMax: turnsMaxDefault,
  permissions: [],
  selection: everyTool,
  ...more,
})

const looks = { selection: lookingTools, permissions: ["deny write", "deny bash(!:read-only)"] }

export const builtInAgents: ReadonlyMap<string, AgentDefinition> = new Map(
  [
    builtIn("build", "Does the work: reads, changes, runs and checks.", {
      mode: "primary",
      prompt: buildPrompt,
    }),
    builtIn("plan", "Says how a task is to be done, and changes nothing.", {
      mode: "primary",
      prompt: planPrompt,
      ...looks,
    }),
    builtIn("explore", "Looks for something and answers with the places, and changes nothing.", {
      mode: "subagent",
      prompt: explorePrompt,
      ...looks,
    }),
    builtIn("general", "Does one piece of work for another agent, and reports.", {
      mode: "subagent",
      prompt: generalPrompt,
    }),
  ].map((agent) => [agent.name, agent]),
)
