/** Lies about what ends the work of a model, or lets it go on: loops, budgets, hints. */
import { type Mutant, tests } from "./mutant.ts"

const recentCalls = tests("packages/schema/test/recent-calls.test.ts")
const budgets = tests("test/session/limits/budgets.test.ts")
const changes = tests("packages/core/test/caller/change.test.ts")
const loops = tests("test/session/limits/loops.test.ts")
const hints = tests("test/session/hint/call-as-text.test.ts")

export const limitMutants: readonly Mutant[] = [
  {
    name: "a loop whatever came of its calls",
    rules: ["DR8"],
    file: "packages/schema/src/state/recent-calls.ts",
    find: '...images.map(({ hash }) => hash), output].join("\\n")',
    replace: '...images.map(({ hash }) => hash)].join("\\n")',
    run: recentCalls,
  },
  {
    name: "a circle of one call alone",
    rules: ["DR8"],
    file: "packages/schema/src/state/recent-calls.ts",
    find: "last.mark !== other.mark && repeats(2 * roundsMax, 2) ? [other.name, last.name] : null",
    replace: "null",
    run: loops,
  },
  {
    name: "a poll that is taken for a loop",
    rules: ["DR8"],
    file: "packages/schema/src/state/recent-calls.ts",
    find: "fact.outcome.stillRunning === true\n",
    replace: "(fact.outcome.stillRunning as unknown) === null\n",
    run: loops,
  },
  {
    name: "old calls held against a new prompt",
    rules: ["DR8"],
    file: "packages/schema/src/state/recent-calls.ts",
    find: "return calls.length === 0 ? calls : []",
    replace: "return calls",
    run: loops,
  },
  {
    name: "a loop that misses the last call of an answer",
    rules: ["DR8"],
    file: "packages/core/src/session/limits/verdict.ts",
    find: "unrecorded.reduce(advanceCalls, lead.loaded.state.summary.calls)",
    replace: "lead.loaded.state.summary.calls",
    run: loops,
  },
  {
    name: "a loop that is deaf to what somebody says meanwhile",
    rules: ["DR7", "DR8"],
    file: "packages/core/src/session/turn.ts",
    find: '  if (yield* isSteered(lead)) return { kind: "continue" } as const\n',
    replace: "",
    run: loops,
  },
  {
    name: "a budget that nobody looks at before a turn",
    rules: ["DR9"],
    file: "packages/core/src/session/turn.ts",
    find: "spent === null ? promotion : yield* block(lead, spent)",
    replace: "spent?.code === null ? yield* block(lead, spent) : promotion",
    run: budgets,
  },
  {
    name: "a budget that nobody looks at before another attempt",
    rules: ["DR9"],
    file: "packages/core/src/session/attempts.ts",
    find: '    if (isOverBudget(lead, attempts, setup)) return { kind: "over-budget", failure, tries }\n',
    replace: "",
    run: budgets,
  },
  {
    name: "money that stops counting with the first unknown price",
    rules: ["DR9"],
    file: "packages/schema/src/state/summary.ts",
    find: "costKnown: summary.costKnown + known",
    replace: "costKnown: summary.cost === null ? 0 : summary.costKnown + known",
    run: budgets,
  },
  {
    name: "a fork that pays for its source",
    rules: ["DR9"],
    file: "packages/schema/src/state/summary.ts",
    find: "summary.origin !== null && seq <= summary.origin.seq",
    replace: "seq < 0",
    run: budgets,
  },
  {
    name: "a pause that outlives its budget",
    rules: ["DR9"],
    file: "packages/core/src/caller/change.ts",
    find: "...(row.blocked?.code === budgetSpentCode && { blocked: null })",
    replace: "",
    run: changes,
  },
  {
    name: "a background command that an interrupt leaves alone",
    rules: ["TL3", "DR3"],
    file: "packages/core/src/session/background/commands.ts",
    find: "(row !== null && row.interruptedSeq <= entry.interruptedAbove)",
    replace: "row !== null",
    run: tests("test/session/builtin/commands.test.ts"),
  },
  {
    name: "a notice for each try to tell an end",
    rules: ["TL3"],
    file: "packages/core/src/session/background/commands.ts",
    find: "notice: `command:${command}` as NoticeId",
    replace: "notice: `command:${command}:${exitCode}` as NoticeId",
    run: tests("test/session/builtin/commands.test.ts"),
  },
  {
    name: "a hint for every call as text",
    rules: ["TL1"],
    file: "packages/core/src/session/hint/hint.ts",
    find: "found === null || isHinted(lead.loaded.state.messages)",
    replace: "found === null",
    run: hints,
  },
  {
    name: "a hint beyond the allowance",
    rules: ["DR7"],
    file: "packages/core/src/session/turn.ts",
    find: "limitReached(answer, sample.agent.turnsMax, rest) === null ? hintFor(answer) : Effect.succeed(null)",
    replace:
      "limitReached(answer, sample.agent.turnsMax, rest) === undefined ? Effect.succeed(null) : hintFor(answer)",
    run: hints,
  },
  {
    name: "a hint that breaks its turn",
    rules: ["FA2"],
    file: "packages/core/src/session/hint/hint.ts",
    find: "Effect.try({ try: () => decide(answer), catch: String })",
    replace: "Effect.sync(() => decide(answer))",
    run: hints,
  },
]
