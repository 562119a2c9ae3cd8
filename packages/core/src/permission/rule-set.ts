/** The rules in force, put together in the one order that they are judged in (PE1). */
import { builtInRules } from "./defaults.ts"
import type { RuleSet } from "./judge.ts"
import type { Rule } from "./rule.ts"

export interface RuleLayers {
  readonly user: readonly Rule[]
  readonly commandLine: readonly Rule[]
  /** Of the chosen agent, where the user or Holdfast defines it. */
  readonly agent: readonly Rule[]
  /** Of the project, and of the chosen agent where the project defines it. */
  readonly project: readonly Rule[]
  /** Where Holdfast keeps its data and its configuration, canonical. */
  readonly ownDirectories: readonly string[]
}

export const composeRules = ({ user, commandLine, agent, project, ownDirectories }: RuleLayers): RuleSet => ({
  own: [...builtInRules, ...user, ...commandLine, ...agent],
  project,
  guarded: ownDirectories,
})
