/** Calls that were declined because nobody could be asked, from facts in their order (PE4). */
import type { Fact } from "../event.ts"
import type { DeclinedCall } from "../run-result.ts"

export function declinedIn(facts: Iterable<Fact>): readonly DeclinedCall[] {
  const names = new Map<string, string>()
  const raised = new Map<string, DeclinedCall>()
  const declined: DeclinedCall[] = []
  for (const fact of facts) {
    if (fact.type === "part.recorded" && fact.part.type === "call") names.set(fact.part.call, fact.part.name)
    if (fact.type === "ask.raised" && fact.subject.kind === "call") {
      const { ask, resources, rule, subject } = fact
      raised.set(ask, { call: subject.call, name: names.get(subject.call) ?? "", resources, rule })
    }
    if (fact.type !== "ask.answered" || fact.by !== "on-ask" || fact.decision !== "decline") continue
    const call = raised.get(fact.ask)
    if (call !== undefined) declined.push(call)
  }
  return declined
}
