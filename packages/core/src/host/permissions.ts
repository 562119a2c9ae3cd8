/**
 * The permissions of a host: the rules from every place where they stand, in the order of PE1, and what
 * people approved, asked by each call right before it starts.
 */
import { Effect, Result } from "effect"
import type { Approved } from "@holdfast/schema/fact/ask"
import type { AllowRule } from "@holdfast/schema/fact/session"
import { judgeAll, resourcesOf, verdictOf } from "../permission/authorise.ts"
import { builtInRules } from "../permission/defaults.ts"
import type { Approval, Judgement, RuleSet } from "../permission/judge.ts"
import { readRuleFor, readSelector, type Rule, type RuleSource } from "../permission/rule.ts"
import type { Resource } from "../permission/verdict.ts"
import type { Approvals, Authorise } from "../session/ports.ts"
import type { Tool } from "../tools/index.ts"
import type { SavedApprovals } from "./saved-approvals.ts"

export interface PermissionSettings {
  /** Rules of the user's settings. */
  readonly user: readonly Rule[]
  /** What every Session of this host may do without asking. */
  readonly allow: readonly AllowRule[]
  /** Directories of Holdfast itself, canonical. */
  readonly guarded: readonly string[]
  readonly home: string
  readonly saved: SavedApprovals
}

/** A person is asked for everything that is not allowed to everybody, and nothing is kept. */
export const nothingAllowed: PermissionSettings = {
  user: [],
  allow: [],
  guarded: [],
  home: "/",
  saved: { of: () => Effect.succeed(null), save: () => Effect.void },
}

/** Rules of the turn's agent, and those of the project and its agents. */
export interface TurnRules {
  readonly agent: readonly Rule[]
  readonly project: readonly Rule[]
}

interface KnownTool {
  readonly tool: Tool
  /** One that the embedding program registered is its own act: where no rule speaks of it, nobody is asked (EM2). */
  readonly builtIn: boolean
}

export const makeAuthorise = (
  settings: PermissionSettings,
  turn: TurnRules,
  toolOf: (name: string) => KnownTool | undefined,
): Authorise =>
  Effect.fnUntraced(function* ({ name, input, location, allow, approvals, granted }) {
    const known = toolOf(name)
    if (known === undefined) return { kind: "allow" }
    const resources = yield* resourcesOf({ name, input }, known.tool, location)
    const rules = rulesFor(settings, turn, allow)
    const judge = (approved: readonly Approval[]) =>
      judgeAll(resources, { rules, approvals: approved }, location).map((judgement) =>
        isGranted(judgement, granted) || (!known.builtIn && judgement.rule === null)
          ? { ...judgement, effect: "allow" as const }
          : judgement,
      )
    const verdict = verdictOf(judge(approvalsOf("session", approvals, settings.home)))
    if (verdict.kind !== "ask") return verdict
    const saved = yield* settings.saved.of(location)
    if (saved === null) return verdict
    return verdictOf(
      judge([
        ...approvalsOf("session", approvals, settings.home),
        ...approvalsOf("project", [saved], settings.home),
      ]),
    )
  })

const isGranted = ({ effect, resource }: Judgement, granted: readonly Resource[]): boolean =>
  effect === "ask" &&
  granted.some(({ action, resource: allowed }) => action === resource.action && allowed === resource.resource)

/** In their order: built in, user, command line, agent; a rule that cannot be read allows nothing. */
const rulesFor = (
  { user, allow: everywhere, guarded, home }: PermissionSettings,
  { agent, project }: TurnRules,
  allow: readonly AllowRule[],
): RuleSet => {
  const source: RuleSource = { origin: "command-line", source: "--allow", home }
  const commandLine = [...everywhere, ...allow].flatMap((text) =>
    Result.match(readRuleFor("allow", text, source), { onSuccess: (rule) => [rule], onFailure: () => [] }),
  )
  return { own: [...builtInRules, ...user, ...commandLine, ...agent], project, guarded }
}

const approvalsOf = (
  scope: Approval["scope"],
  approved: readonly Approved[],
  home: string,
): readonly Approval[] =>
  approved.flatMap(({ resources, rules }) => [
    ...resources.map((allows): Approval => ({ scope, allows })),
    ...rules.flatMap((text): readonly Approval[] =>
      Result.match(readSelector(text, home), {
        onSuccess: (allows) => [{ scope, allows }],
        onFailure: () => [],
      }),
    ),
  ])

/** For whoever answers an ask. */
export const approvalsPort = ({ saved, home }: Pick<PermissionSettings, "saved" | "home">): Approvals => ({
  findFault: (rule) => findRuleFault(rule, home),
  save: saved.save,
})

/** What is wrong with a rule that allows, as a sentence; null where nothing is. */
export const findRuleFault = (rule: string, home: string): string | null =>
  Result.match(readSelector(rule, home), { onSuccess: () => null, onFailure: ({ message }) => message })
