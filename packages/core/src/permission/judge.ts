/**
 * Judge: rules and approvals against what a call would touch (PE1).
 *
 *   own list       built in, user, command line, agent; the last rule that fits decides, else ask
 *   project list   the same way, but where none fits it says nothing; the stricter of the two stands
 *   approvals      turn ask into allow, never deny
 *   guarded        asks whatever was allowed or approved (guarded.ts)
 *
 * Of all that a call touches, deny beats ask and ask beats allow. Pure.
 */
import { guardOf } from "./guarded.ts"
import type { Reading } from "./pattern/fit.ts"
import { fitOf, type Rule, type RuleEffect, type Selector } from "./rule.ts"
import type { Resource } from "./verdict.ts"

export interface RuleSet {
  /** In their order: built in, user, command line, agent. */
  readonly own: readonly Rule[]
  /** Of the project and its agents. */
  readonly project: readonly Rule[]
  /** Directories of Holdfast itself, absolute and canonical. */
  readonly guarded: readonly string[]
}

/** What a person allowed beyond one call. */
export interface Approval {
  readonly scope: "session" | "project"
  /** The resource itself, or, where the person wrote one, a pattern. */
  readonly allows: Resource | Selector
}

export interface Permissions {
  readonly rules: RuleSet
  readonly approvals: readonly Approval[]
}

export interface Judgement {
  readonly effect: RuleEffect
  readonly resource: Resource
  /** The rule that decided; null where none fits and the default asks. */
  readonly rule: Rule | null
  /** The approval that turned its ask into allow. */
  readonly approval: Approval | null
}

export function judge(resource: Resource, permissions: Permissions, projectRoot: string): Judgement {
  const { rules, approvals } = permissions
  const own = lastFit(rules.own, resource, projectRoot) ?? { effect: "ask", rule: null }
  const project = lastFit(rules.project, resource, projectRoot)
  const ruled = project !== null && isStricter(project.effect, own.effect) ? project : own
  const guard = guardOf(resource, rules.guarded, projectRoot)
  if (guard !== null && ruled.effect !== "deny")
    return { effect: "ask", resource, rule: guard, approval: null }
  const approval =
    ruled.effect === "ask" ? (approvals.find((each) => approves(each, resource, projectRoot)) ?? null) : null
  return { ...ruled, effect: approval === null ? ruled.effect : "allow", resource, approval }
}

/** The strictest of them; the first of several that are. Null for none. */
export const strictest = (judgements: readonly Judgement[]): Judgement | null =>
  judgements.reduce<Judgement | null>(
    (first, next) => (first === null || isStricter(next.effect, first.effect) ? next : first),
    null,
  )

const strictness: Readonly<Record<RuleEffect, number>> = { allow: 0, ask: 1, deny: 2 }

const isStricter = (one: RuleEffect, other: RuleEffect): boolean => strictness[one] > strictness[other]

function lastFit(
  rules: readonly Rule[],
  resource: Resource,
  projectRoot: string,
): Pick<Judgement, "effect" | "rule"> | null {
  const readings = {
    restricting: { generous: true, projectRoot },
    allowing: { generous: false, projectRoot },
  }
  for (let at = rules.length - 1; at >= 0; at--) {
    const rule = rules[at] as Rule
    const restricts = rule.effect !== "allow"
    const fit = fitOf(rule.selector, resource, restricts ? readings.restricting : readings.allowing)
    if (fit === "yes") return { effect: rule.effect, rule }
    if (fit === "maybe" && restricts) return { effect: "ask", rule }
  }
  return null
}

function approves({ allows }: Approval, resource: Resource, projectRoot: string): boolean {
  const reading: Reading = { generous: false, projectRoot }
  return "pattern" in allows
    ? fitOf(allows, resource, reading) === "yes"
    : allows.action === resource.action && allows.resource === resource.resource
}
