/** The rules in force for a directory, and what they would say; files are read, nothing is opened. */
import { homedir } from "node:os"
import { Effect, Result } from "effect"
import { findAgent } from "@holdfast/core/agent/find"
import { loadProjectSettings } from "@holdfast/core/config/index"
import { locate } from "@holdfast/core/host/locations"
import { rulesOfAgent } from "@holdfast/core/host/permissions"
import { nodeInstructionFiles } from "@holdfast/core/instructions/index"
import { standsIn } from "@holdfast/core/permission/authorise"
import { canonicalPath } from "@holdfast/core/permission/canonical-path"
import { explainAsked, type Explanation } from "@holdfast/core/permission/explain"
import { guardRules } from "@holdfast/core/permission/guarded"
import type { RuleSet } from "@holdfast/core/permission/judge"
import { type Rule, writeRule } from "@holdfast/core/permission/rule"
import { composeRules } from "@holdfast/core/permission/rule-set"
import type { Place } from "@holdfast/core/permission/verdict"
import { AgentNotFound, LocationMissing } from "@holdfast/schema/error"
import { placesOf } from "./described.ts"
import { configDirectoryOf, dataDirectoryOf } from "./directories.ts"
import { settingsOf } from "./embedded/open.ts"
import type { HoldfastOptions } from "./holdfast.ts"
import { isSet } from "./instructions.ts"

export interface PermissionsOptions extends Pick<HoldfastOptions, "dataDir" | "configDir" | "environment"> {
  /** The directory in which something would be done. */
  readonly directory: string
  /** The agent that would do it, by its name: built in, the user's or the project's; `build` unless given. */
  readonly agent?: string
}

export interface RuleInForce {
  /** `own` is the list of the user, `project` the one that can only narrow it; `always` asks whatever both allow. */
  readonly list: "own" | "project" | "always"
  readonly rule: string
  /** Where it stands, as part of a sentence. */
  readonly from: string
}

/** In the order in which they are judged: of each list the last rule that fits decides. */
export async function listPermissions(options: PermissionsOptions): Promise<readonly RuleInForce[]> {
  const { rules } = await permissionsIn(options)
  const told = (list: RuleInForce["list"]) => (rule: Rule) => ({
    list,
    rule: writeRule(rule),
    from: standsIn(rule),
  })
  const always = guardRules(rules.guarded).map(told("always"))
  return [...rules.own.map(told("own")), ...rules.project.map(told("project")), ...always]
}

/** What the rules would say to something written like a rule, `write(src/a.ts)`; null for what cannot be read. */
export async function explainPermission(
  asked: string,
  options: PermissionsOptions,
): Promise<Explanation | null> {
  const { place, rules } = await permissionsIn(options)
  return Effect.runPromise(explainAsked(asked, place, { rules, approvals: [] }))
}

async function permissionsIn(
  options: PermissionsOptions,
): Promise<{ readonly place: Place; readonly rules: RuleSet }> {
  const { directory, agent: name = "build", environment = process.env } = options
  const place = await Effect.runPromise(locate(directory))
  if (place === null) throw new LocationMissing({ directory, message: `There is no directory ${directory}.` })
  const { permissions: user } = await Effect.runPromise(settingsOf(options))
  const isDisabled = isSet(environment["HOLDFAST_DISABLE_PROJECT_CONFIG"])
  const project = isDisabled
    ? []
    : (await Effect.runPromise(loadProjectSettings(place.projectRoot, nodeInstructionFiles.read))).settings
        .permissions
  const directories = [configDirectoryOf(options), dataDirectoryOf(options)]
  const own = await Promise.all(directories.map(async (path) => (await canonicalPath(path)) ?? path))
  const agent = await agentRules(options, place.projectRoot, name)
  const layers = {
    user,
    commandLine: [],
    agent: agent.narrows ? [] : agent.rules,
    project: agent.narrows ? [...project, ...agent.rules] : project,
    ownDirectories: own,
  }
  return { place, rules: composeRules(layers) }
}

/** The rules of an agent; those of a project's can only narrow. */
async function agentRules(
  options: PermissionsOptions,
  projectRoot: string,
  name: string,
): Promise<{ readonly rules: readonly Rule[]; readonly narrows: boolean }> {
  const found = await Effect.runPromise(findAgent(placesOf(options), projectRoot, name))
  if (found.kind === "missing") throw new AgentNotFound({ agent: name, message: found.reason.message })
  const rules = rulesOfAgent(found.agent, homedir())
  if (Result.isFailure(rules)) throw new AgentNotFound({ agent: name, message: rules.failure })
  return { rules: rules.success, narrows: found.agent.origin === "project" }
}
