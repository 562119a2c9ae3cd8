/** Lies about asking: what waits for an answer, what an answer frees, and what is left after a kill. */
import { contract, type Mutant, stories, tests } from "../mutant.ts"

const asks = tests("test/session/asking/asks.test.ts")
const ruling = "packages/core/src/session/asking/ruling.ts"
const answers = "packages/core/src/session/asking/answers.ts"
const recovery = "packages/core/src/session/recovery.ts"
const calls = "packages/core/src/session/calls.ts"

export const askingMutants: readonly Mutant[] = [
  {
    name: "a call that must be asked for starts",
    rules: ["PE3"],
    file: ruling,
    find: 'return verdict.kind === "allow" ? freed(verdict) : askPermission(calls, request, verdict)',
    replace: "return freed(verdict)",
    run: asks,
  },
  {
    name: "calls behind one that asks are settled with the turn",
    rules: ["PE3"],
    file: calls,
    find: "...(isAsking(calls) ? [] : unstarted(calls)",
    replace: "...(unstarted(calls)",
    run: asks,
  },
  {
    name: "an allowed call is not judged again",
    rules: ["PE5"],
    file: calls,
    find: "    const rulings = yield* rule(calls, claimed)\n",
    replace: "    const rulings: readonly Ruling[] = []\n",
    run: asks,
  },
  {
    name: "a declined call starts",
    rules: ["PE5"],
    file: answers,
    find: 'if (answer.decision === "allow") {',
    replace: 'if (answer.decision !== "answer") {',
    run: asks,
  },
  {
    name: "an answer wakes nobody",
    rules: ["PE5"],
    file: "packages/core/src/session/contribute.ts",
    find: 'fact.type === "ask.answered") yield* coordinator.answered(session)',
    replace: 'fact.type === "ask.answered") yield* Effect.void',
    run: asks,
  },
  {
    name: "a killed turn with an ask open settles as interrupted",
    rules: ["DR4"],
    file: recovery,
    find: "...settleTurn(state, held.size > 0, ",
    replace: "...settleTurn(state, false, ",
    run: asks,
  },
  {
    name: "nobody can answer, and the call runs",
    rules: ["PE4"],
    file: ruling,
    find: '    case "deny":\n      return {\n        kind: "settled",',
    replace: '    case "deny":\n      return freed(verdict)\n      return {\n        kind: "settled",',
    run: asks,
  },
  {
    name: "a prompt as the answer declines nothing",
    rules: ["PE6"],
    file: "packages/store/src/sqlite/input-commands.ts",
    find: "declines !== true\n    ? []",
    replace: "declines !== undefined\n    ? []",
    run: asks,
  },
  {
    name: "an approval of the Session is forgotten by the next turn",
    rules: ["PE1"],
    file: "packages/schema/src/state/items.ts",
    find: '...(approvedBy(fact) === null ? [] : [{ kind: "approval", id: fact.ask } as const]),',
    replace: "",
    run: asks,
  },
  {
    name: "a call that starts before anybody answered",
    rules: ["PE3"],
    file: answers,
    find: '  if (ask === null || answer === null) return []\n  if (answer.decision === "allow") {',
    replace: '  if (ask === null) return []\n  if (answer === null || answer.decision === "allow") {',
    run: stories,
  },
  {
    name: "an answer to what was answered",
    rules: ["PE5"],
    file: "packages/store/src/sqlite/contribute.ts",
    find: 'return isOpenAsk(connection, row.key, fact.ask) ? fresh : { kind: "refused", problem: "not-open" }',
    replace: "return fresh",
    run: contract("PE5"),
  },
  {
    name: "an ask that a kill loses",
    rules: ["DR4"],
    file: recovery,
    find: "const waits = asked.has(part.call) ||",
    replace: "const waits =",
    run: asks,
  },
  {
    name: "an answered call that a kill leaves running starts again",
    rules: ["DR4"],
    file: recovery,
    find: 'if (part.state === "running" || !waits) continue',
    replace: "if (!waits) continue",
    run: asks,
  },
  {
    name: "a call that runs starts once more",
    rules: ["DR5", "PE5"],
    file: "packages/store/src/sqlite/project.ts",
    find: "WHERE session = ? AND message_seq = ? AND call = ? AND state = 'pending'`",
    replace: "WHERE session = ? AND message_seq = ? AND call = ? AND state IN ('pending', 'running')`",
    run: contract("DR5"),
  },
  {
    name: "what is allowed for a project takes the place of what was",
    rules: ["PE1"],
    file: "packages/core/src/host/saved-approvals.ts",
    find: "resources: unique([...before.resources, ...resources])",
    replace: "resources: unique([...resources])",
    run: tests("packages/core/test/host/saved-approvals.test.ts"),
  },
  {
    name: "asks of one moment by their ids",
    rules: ["PE5"],
    file: "packages/core/src/page/lists.ts",
    find: "`${padded(raisedAt)} ${padded(raisedSeq)} ${id}`",
    replace: "`${padded(raisedAt)} ${id}`",
    run: tests("packages/core/test/page/asks.test.ts"),
  },
]
