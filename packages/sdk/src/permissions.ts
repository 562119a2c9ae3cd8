/** The rules in force for a directory, and what they would say; files are read, nothing is opened. */
import { Effect } from "effect"
import { loadProjectSettings } from "@holdfast/core/config/index"
import { locate } from "@holdfast/core/host/locations"
import { nodeInstructionFiles } from "@holdfast/core/instructions/index"
import { standsIn } from "@holdfast/core/permission/authorise"
import { canonicalPath } from "@holdfast/core/permission/canonical-path"
import { explainAsked, type Explanation } from "@holdfast/core/permission/explain"
import type { RuleSet } from "@holdfast/core/permission/judge"
import { type Rule, writeRule } from "@holdfast/core/permission/rule"
import { builtInAgentRules, composeRules } from "@holdfast/core/permission/rule-set"
import type { Place } from "@holdfast/core/permission/verdict"
import { LocationMissing } from "@holdfast/schema/error"
import { configDirectoryOf, dataDirectoryOf } from "./directories.ts"
import { settingsOf } from "./embedded/open.ts"
import type { HoldfastOptions } from "./holdfast.ts"
import { isSet } from "./instructions.ts"

export interface PermissionsOptions extends Pick<HoldfastOptions, "dataDir" | "configDir" | "environment"> {
  /** The directory in which something would be done. */
  readonly directory: string
  /** The agent that would do it; one without rules of its own unless given. */
  readonly agent?: string
}

export interface RuleInForce {
  /** `own` is the list of the user, `project` the one that can only narrow it. */
  readonly list: "own" | "project"
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
  return [...rules.own.map(told("own")), ...rules.project.map(told("project"))]
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
  const { directory, agent = "", environment = process.env } = options
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
  const layers = { user, commandLine: [], agent: builtInAgentRules(agent), project, ownDirectories: own }
  return { place, rules: composeRules(layers) }
}
