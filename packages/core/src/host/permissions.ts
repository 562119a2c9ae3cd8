/**
 * The permissions of a host: the rules from every place where they stand, in the order of PE1, and what
 * people approved, asked by each call right before it starts.
 */
import { dirname } from "node:path"
import { Effect, Result } from "effect"
import type { ConfigurationInvalid } from "@holdfast/schema/error"
import type { Approved } from "@holdfast/schema/fact/ask"
import type { AllowRule } from "@holdfast/schema/fact/session"
import type { Location } from "@holdfast/schema/location"
import type { Reason } from "@holdfast/schema/turn"
import type { AgentDefinition } from "../agent/definition.ts"
import { loadProjectSettings, noSettings, type ReadFile, type Settings } from "../config/index.ts"
import { judgeAll, type MayTouch, mayTouchWith, resourcesOf, verdictOf } from "../permission/authorise.ts"
import { type Approval, type Judgement, judge, type RuleSet } from "../permission/judge.ts"
import { composeRules } from "../permission/rule-set.ts"
import { readRule, readRuleFor, readSelector, type Rule, type RuleFault } from "../permission/rule.ts"
import type { Resource } from "../permission/verdict.ts"
import type { Approvals, Authorise, Permitted } from "../session/ports.ts"
import type { Tool } from "../tools/index.ts"
import type { SavedApprovals } from "./saved-approvals.ts"

export interface PermissionSettings {
  /** What every Session of this host may do without asking. */
  readonly allow: readonly AllowRule[]
  /** Where Holdfast keeps its data and its configuration, canonical. */
  readonly ownDirectories: readonly string[]
  /** Complete outputs of calls, which may be read (TO3). */
  readonly outputDirectory: string | null
  readonly home: string
  readonly saved: SavedApprovals
  /** Null where the files of projects are switched off (IN4). */
  readonly readProjectFile: ReadFile | null
}

/** A person is asked for everything that is not allowed to everybody, and nothing is kept. */
export const nothingAllowed: PermissionSettings = {
  allow: [],
  ownDirectories: [],
  outputDirectory: null,
  home: "/",
  saved: { of: () => Effect.succeed(null), save: () => Effect.void },
  readProjectFile: null,
}

/** Rules of the user's settings, of the turn's agent, and those of the project and its agents. */
export interface TurnRules {
  readonly user: readonly Rule[]
  readonly agent: readonly Rule[]
  readonly project: readonly Rule[]
}

/** What the project's file sets now, or what is wrong with it. */
export const settingsOfProject = (
  { readProjectFile }: PermissionSettings,
  { projectRoot }: Location,
): Effect.Effect<Result.Result<Settings, ConfigurationInvalid>> =>
  readProjectFile === null
    ? Effect.succeed(Result.succeed(noSettings))
    : Effect.result(Effect.map(loadProjectSettings(projectRoot, readProjectFile), ({ settings }) => settings))

/** Rules that cannot be read let nothing begin: the default could run what the person denied (CF1). */
export function rulesOfTurn(
  { home }: PermissionSettings,
  user: readonly Rule[],
  ofProject: Result.Result<Pick<Settings, "permissions">, ConfigurationInvalid>,
  agent: AgentDefinition,
): ({ readonly kind: "rules" } & TurnRules) | { readonly kind: "faulty"; readonly reason: Reason } {
  if (Result.isFailure(ofProject)) return faulty(ofProject.failure.message)
  const project = ofProject.success.permissions
  const own = rulesOfAgent(agent, home)
  if (Result.isFailure(own)) return faulty(own.failure)
  return agent.origin === "project"
    ? { kind: "rules", user, agent: [], project: [...project, ...own.success] }
    : { kind: "rules", user, agent: own.success, project }
}

/** Or why the agent cannot be used. */
export function rulesOfAgent(
  { name, file, permissions }: AgentDefinition,
  home: string,
): Result.Result<readonly Rule[], string> {
  const source = { origin: "agent", source: file ?? name, home } as const
  const own: Rule[] = []
  for (const text of permissions) {
    const rule = readRule(text, source)
    if (Result.isFailure(rule))
      return Result.fail(`The agent ${name} cannot be used. ${rule.failure.message}`)
    own.push(rule.success)
  }
  return Result.succeed(own)
}

const faulty = (message: string) =>
  ({ kind: "faulty", reason: { code: "permissions_invalid", message } }) as const

interface KnownTool {
  readonly tool: Tool
  /** One that the embedding program registered is its own act: where no rule speaks of it, nobody is asked (EM2). */
  readonly builtIn: boolean
}

export const makeAuthorise =
  (
    settings: PermissionSettings,
    turn: TurnRules,
    toolOf: (name: string) => KnownTool | undefined,
  ): Authorise =>
  ({ name, input, granted, ...by }) =>
    Effect.gen(function* () {
      const known = toolOf(name)
      if (known === undefined) return { kind: "allow" }
      const { location } = by
      const resources = yield* resourcesOf({ name, input }, known.tool, location)
      const rules = rulesFor(settings, turn, by)
      const judged = (approvals: readonly Approval[]) =>
        judgeAll(resources, { rules, approvals }, location).map((judgement) =>
          isGranted(judgement, granted) ||
          isOutput(judgement.resource, settings) ||
          (!known.builtIn && judgement.rule === null)
            ? { ...judgement, effect: "allow" as const }
            : judgement,
        )
      const paths = resources.flatMap(({ action, resource }) => (isPath(action) ? [resource] : []))
      const ofSession = approvalsOf("session", by.approvals, settings.home)
      const verdict = verdictOf(judged(ofSession))
      const saved = verdict.kind === "ask" ? yield* settings.saved.of(location) : null
      const last =
        saved === null
          ? verdict
          : verdictOf(judged([...ofSession, ...approvalsOf("project", [saved], settings.home)]))
      return last.kind === "deny" || known.tool.resources === undefined ? last : { ...last, paths }
    })

/** What is saved for the project is left out here: a search shows the less for it. */
export const makeMayTouch =
  (settings: PermissionSettings, turn: TurnRules) =>
  (by: Permitted): MayTouch =>
    mayTouchWith(
      {
        rules: rulesFor(settings, turn, by),
        approvals: approvalsOf("session", by.approvals, settings.home),
      },
      by.location,
    )

/** Whether an agent is told of a skill: not where a rule denies it (SK1). */
export function maySkill(settings: PermissionSettings, turn: TurnRules, name: string): boolean {
  const rules = rulesFor(settings, turn, { allow: [] })
  return judge({ action: "skill", resource: name }, { rules, approvals: [] }, "/").effect !== "deny"
}

const isPath = (action: string): boolean => action === "read" || action === "write"

const isGranted = ({ effect, resource }: Judgement, granted: readonly Resource[]): boolean =>
  effect === "ask" &&
  granted.some(({ action, resource: allowed }) => action === resource.action && allowed === resource.resource)

/** Whoever would write there touches `write`, too, which asks. */
const isOutput = ({ action, resource }: Resource, { outputDirectory }: PermissionSettings): boolean =>
  outputDirectory !== null &&
  (action === "outside" || action === "read") &&
  dirname(resource) === outputDirectory

/** What may be done without asking, or the first rule of it that cannot be read. */
export const readAllowed = (
  rules: readonly AllowRule[],
  home: string,
): Result.Result<readonly Rule[], RuleFault> => {
  const source = { origin: "command-line", source: "--allow", home } as const
  return Result.all(rules.map((text) => readRuleFor("allow", text, source)))
}

/** Rules are read where they are given. Where one cannot be read all the same, none beside it allows anything: it may have meant to narrow them. */
const readable = (rules: readonly AllowRule[], home: string): readonly Rule[] =>
  Result.getOrElse(readAllowed(rules, home), () => [])

function rulesFor(
  { allow: everywhere, ownDirectories, home }: PermissionSettings,
  turn: TurnRules,
  { allow }: Pick<Permitted, "allow">,
): RuleSet {
  const commandLine = [...readable(everywhere, home), ...readable(allow, home)]
  return composeRules({ commandLine, ...turn, ownDirectories })
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
  findFault: (rule) =>
    Result.match(readSelector(rule, home), { onSuccess: () => null, onFailure: ({ message }) => message }),
  save: saved.save,
})
