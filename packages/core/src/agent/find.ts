/** The agent of a name, as it is described at this moment, or why there is none to work with. */
import { Effect } from "effect"
import type { Reason } from "@holdfast/schema/turn"
import { nodeInstructionFiles } from "../instructions/index.ts"
import type { MarkdownSettings } from "../markdown/places.ts"
import { visibleLine } from "../markdown/visible.ts"
import { type Agent, turnsMaxDefault } from "../session/ports.ts"
import { nearNames } from "@holdfast/schema/near-names"
import { type AgentDefinition, builtInAgents } from "./definition.ts"
import { loadAgents } from "./load.ts"

export type FoundAgent =
  | { readonly kind: "found"; readonly agent: AgentDefinition }
  | { readonly kind: "missing"; readonly reason: Reason }

/** As long as a source has (SC4). */
const lookMsMax = 5_000

/** A name that a project cannot take is not looked for there. */
export const findAgent = Effect.fnUntraced(function* (
  settings: MarkdownSettings,
  projectRoot: string,
  name: string,
): Effect.fn.Return<FoundAgent> {
  const root = builtInAgents.has(name) ? null : projectRoot
  const looked = yield* Effect.timeoutOption(loadAgents(settings, root, nodeInstructionFiles), lookMsMax)
  if (looked._tag === "None") return { kind: "missing", reason: silentDisk(settings.configDirectory) }
  const { agents } = looked.value
  const agent = agents.get(name)
  return agent === undefined
    ? { kind: "missing", reason: agentNotFound(name, [...agents.keys()]) }
    : { kind: "found", agent }
})

/** Nothing takes the place of an agent that is gone: another may be allowed more. */
export const nobody = (name: string): Agent => ({ name, prompt: "", turnsMax: turnsMaxDefault })

function agentNotFound(name: string, known: readonly string[]): Reason {
  const near = nearNames(name, known)[0]
  const advice = near === undefined ? `There are ${known.join(", ")}.` : `Did you mean ${near}?`
  return { code: "agent_not_found", message: `There is no agent ${visibleLine(name, 64)} here. ${advice}` }
}

const silentDisk = (directory: string): Reason => ({
  code: "agents_unavailable",
  message: `The disk did not answer within 5 s when agents were looked for, as in ${directory}. Check it, then resume.`,
})
