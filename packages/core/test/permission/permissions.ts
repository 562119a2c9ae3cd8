/** What rules, approvals and agents say, written as people write them. */
import { Effect, Result } from "effect"
import type { Json } from "@holdfast/schema/json"
import { authorise } from "../../src/permission/authorise.ts"
import { builtInAgents } from "../../src/agent/definition.ts"
import { builtInRules } from "../../src/permission/defaults.ts"
import type { Approval, Permissions } from "../../src/permission/judge.ts"
import { readRule, readSelector, type Rule } from "../../src/permission/rule.ts"
import type { Place, Resource, RuleOrigin, Verdict } from "../../src/permission/verdict.ts"
import type { Tool } from "../../src/tools/tool.ts"

export const home = "/Users/ada"

export const rule = (text: string, origin: RuleOrigin = "user"): Rule =>
  Result.getOrThrow(readRule(text, { origin, source: "", home }))

export interface Written {
  readonly user?: readonly string[]
  readonly project?: readonly string[]
  readonly agent?: "plan" | "explore"
  /** Resources as they are, or patterns that a person wrote. */
  readonly approved?: readonly (string | Resource)[]
  readonly guarded?: readonly string[]
}

/** Below the built-in rules, unless `bare`. */
export function permissions(written: Written = {}, { bare = false } = {}): Permissions {
  const { user = [], project = [], agent, approved = [], guarded = [] } = written
  return {
    rules: {
      own: [
        ...(bare ? [] : builtInRules),
        ...user.map((text) => rule(text)),
        ...(builtInAgents.get(agent ?? "")?.permissions ?? []).map((text) => rule(text, "agent")),
      ],
      project: project.map((text) => rule(text, "project")),
      guarded,
    },
    approvals: approved.map((allows): Approval => ({
      scope: "session",
      allows: typeof allows === "string" ? Result.getOrThrow(readSelector(allows, home)) : allows,
    })),
  }
}

export const judgeCall = (tool: Tool, input: Json, place: Place, given: Permissions): Promise<Verdict> =>
  Effect.runPromise(authorise({ name: tool.name, input }, tool, place, given))
