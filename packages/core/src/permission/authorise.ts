/**
 * Authorise: the one question that is asked before a call starts.
 *
 * What the call would touch is found anew each time, because links and files may have changed since
 * the last time (PE2, PE5).
 */
import { Effect } from "effect"
import type { Json } from "@holdfast/schema/json"
import { type Judgement, judge, type Permissions, strictest } from "./judge.ts"
import { slashes } from "./pattern/path.ts"
import { type Rule, writeRule } from "./rule.ts"
import type { FindResources, Place, Resource, RuleOrigin, Verdict } from "./verdict.ts"

export interface JudgedCall {
  readonly name: string
  readonly input: Json
}

/** The part of a tool that says what its calls touch. */
export interface JudgedTool {
  readonly resources?: FindResources<Json>
}

export const authorise = Effect.fnUntraced(function* (
  call: JudgedCall,
  tool: JudgedTool,
  place: Place,
  permissions: Permissions,
): Effect.fn.Return<Verdict> {
  const resources = yield* resourcesOf(call, tool, place)
  return verdictOf(judgeAll(resources, permissions, place))
})

/** A tool that does not say what it touches is judged by its own name. */
export const resourcesOf = (
  { name, input }: JudgedCall,
  tool: JudgedTool,
  place: Place,
): Effect.Effect<readonly Resource[]> =>
  tool.resources?.(input, place) ?? Effect.succeed([{ action: name, resource: "" }])

export const judgeAll = (
  resources: readonly Resource[],
  permissions: Permissions,
  { projectRoot }: Place,
): readonly Judgement[] => resources.map((resource) => judge(resource, permissions, projectRoot))

/** A call that touches nothing is one that its tool will refuse, so there is nothing to ask. */
export function verdictOf(judgements: readonly Judgement[]): Verdict {
  const decisive = strictest(judgements)
  if (decisive === null || decisive.effect === "allow") return { kind: "allow" }
  const { effect, resource, rule } = decisive
  if (effect === "deny" && rule !== null)
    return { kind: "deny", rule: writeRule(rule), message: denied(resource, rule) }
  const asked = judgements.filter((judgement) => judgement.effect === "ask")
  return {
    kind: "ask",
    resources: asked.map((judgement) => judgement.resource),
    rule: rule === null ? null : writeRule(rule),
  }
}

/** What a call may touch without asking beside what its input names: a search comes across files, a fetch across hosts. */
export interface MayTouch {
  readonly mayRead: (absolutePath: string) => boolean
  readonly mayFetch: (host: string) => boolean
}

export function mayTouchWith(
  permissions: Permissions,
  { projectRoot }: Pick<Place, "projectRoot">,
): MayTouch {
  const allows = (resource: Resource): boolean => judge(resource, permissions, projectRoot).effect === "allow"
  return {
    mayRead: (absolutePath) => allows({ action: "read", resource: slashes(absolutePath) }),
    mayFetch: (host) => allows({ action: "webfetch", resource: host }),
  }
}

export const writeResource = ({ action, resource }: Resource): string =>
  resource === "" ? action : `${action}(${resource})`

/** Where a rule stands, as part of a sentence. */
export const standsIn = ({ origin, source }: Pick<Rule, "origin" | "source">): string =>
  source === "" ? origins[origin] : `${origins[origin]} (${source})`

const origins: Readonly<Record<RuleOrigin, string>> = {
  "built-in": "the built-in rules",
  user: "the user's settings",
  "command-line": "the command line",
  agent: "the rules of the agent",
  project: "the project's rules",
  session: "the approvals of this Session",
}

function denied(resource: Resource, rule: Rule): string {
  return `This is not allowed: ${writeResource(resource)}. The rule "${writeRule(rule)}" of ${standsIn(rule)} denies it. Nothing was done. Do not try to reach the same by other means: go on without it, or tell the user what you need and why.`
}
