/** By which name a fact is counted: its type, and what came of it. */
import type { Fact } from "@holdfast/schema/event"

export const factName = (fact: Fact): string => `${fact.type}${outcomeOf(fact)}`

function outcomeOf(fact: Fact): string {
  switch (fact.type) {
    case "turn.settled":
      return ` ${fact.status}`
    case "call.settled":
      return ` ${fact.outcome.state} ${fact.outcome.errorCode ?? ""}`.trimEnd()
    case "epoch.started":
      return ` ${fact.cause}`
    case "pass.applied":
      return ` ${fact.pass} ${fact.reason}`
    case "history.published":
      return ` ${fact.by}`
    case "signal.raised":
      return ` ${fact.kind}`
    case "job.settled":
      return ` ${fact.kind} ${fact.outcome}`
    case "part.recorded":
      return ` ${fact.part.type}${"interrupted" in fact.part && fact.part.interrupted ? " cut" : ""}`
    default:
      return ""
  }
}
