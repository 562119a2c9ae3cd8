/**
 * Explain: what the rules would say to something, and why, for people who ask before it happens.
 *
 * What is asked about is written like a rule, `write(src/a.ts)`, and goes the way of a call: a path is
 * followed, a command is taken apart.
 */
import { Effect } from "effect"
import { judgeAll, standsIn, verdictOf, writeResource } from "./authorise.ts"
import type { Judgement, Permissions } from "./judge.ts"
import { hostResources, pathResources } from "./resources.ts"
import { judgedAs, writeRule } from "./rule.ts"
import { commandResources } from "./shell/command-resources.ts"
import type { Place, Resource, Verdict } from "./verdict.ts"

export interface Explanation {
  readonly verdict: Verdict["kind"]
  /** One for everything that it would touch. */
  readonly reasons: readonly Reason[]
}

export interface Reason {
  readonly effect: Verdict["kind"]
  readonly touches: string
  /** The rule that decides; null where none fits, so that the default asks. */
  readonly rule: string | null
  /** Where it stands, as part of a sentence. */
  readonly from: string
}

/** Null where it cannot be told what is asked about. */
export const explainAsked = Effect.fnUntraced(function* (
  asked: string,
  place: Place,
  permissions: Permissions,
): Effect.fn.Return<Explanation | null> {
  const resources = yield* resourcesAsked(asked.trim(), place)
  if (resources.length === 0) return null
  const judgements = judgeAll(resources, permissions, place)
  return { verdict: verdictOf(judgements).kind, reasons: judgements.map(reasonOf) }
})

function resourcesAsked(asked: string, place: Place): Effect.Effect<readonly Resource[]> {
  const found = /^([A-Za-z][\w-]*)(?:\(([^]*)\))?$/.exec(asked)
  const action = judgedAs(found?.[1] ?? "")
  const about = found?.[2]?.trim() ?? ""
  switch (action) {
    case "":
      return Effect.succeed([])
    case "read":
    case "write":
      return about === "" ? Effect.succeed([]) : pathResources(action, about, place)
    case "outside":
      return Effect.map(about === "" ? Effect.succeed([]) : pathResources("read", about, place), (touched) =>
        touched.filter((resource) => resource.action === "outside"),
      )
    case "bash":
      return about === "" ? Effect.succeed([]) : commandResources(about, place)
    case "webfetch":
      return Effect.succeed(hostResources(about.includes("://") ? about : `https://${about}`))
    default:
      return Effect.succeed([{ action, resource: about }])
  }
}

function reasonOf({ effect, resource, rule, approval }: Judgement): Reason {
  return {
    effect,
    touches: writeResource(resource),
    rule: rule === null ? null : writeRule(rule),
    from: [
      rule === null ? "no rule fits, and the default asks" : standsIn(rule),
      ...(approval === null ? [] : [`and was approved for this ${approval.scope}`]),
    ].join(", "),
  }
}
