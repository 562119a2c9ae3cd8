/** Lies about turns: their calls, their attempts, what is kept of an answer, and the ledger. */
import { type Mutant, tests } from "./mutant.ts"

const turns = tests("test/session/turns.test.ts")
const retries = tests("test/session/retries.test.ts")
const interrupts = tests("test/session/interrupt.test.ts")
const recovery = tests("test/session/recovery.test.ts")
const failingStore = tests("test/session/failing-store.test.ts")

export const turnMutants: readonly Mutant[] = [
  {
    name: "as many blocks, hence the same",
    rules: ["TU1"],
    file: "packages/core/src/session/request/rebuild.ts",
    find: "if (placed.record.hash === hash)",
    replace: "if (placed.record.blocks === started.request.blocks || placed.record.hash === hash)",
    run: turns,
  },
  {
    name: "a request from today's agent prompt",
    rules: ["TU1"],
    file: "packages/core/src/session/request/request.ts",
    find: "    agentPrompt: selection.agentPrompt,\n  }\n  return",
    replace: '    agentPrompt: "",\n  }\n  return',
    run: turns,
  },
  {
    name: "call before its record",
    rules: ["TU2"],
    file: "packages/core/src/session/calls.ts",
    find: "  const end = yield* append(calls.lead, [...parts, ...startsOf(calls, first)], { clearsScratch })\n",
    replace: `  for (const call of first) yield* start(calls, call)
  const end = yield* append(calls.lead, [...parts, ...startsOf(calls, first)], { clearsScratch })
`,
    run: failingStore,
  },
  {
    name: "all calls of an answer at once",
    rules: ["TU2"],
    file: "packages/core/src/session/calls.ts",
    find: "!(call.readOnly ? writing : unsettled)",
    replace: "true",
    run: turns,
  },
  {
    name: "a writer that heeds writers alone",
    rules: ["TU2"],
    file: "packages/core/src/session/calls.ts",
    find: "call.readOnly ? writing : unsettled",
    replace: "writing",
    run: tests("packages/core/test/session/calls.test.ts"),
  },
  {
    name: "a call that nobody starts when its turn comes late",
    rules: ["TU2"],
    file: "packages/core/src/session/calls.ts",
    find: "  yield* startMore(calls, claim(calls), null)\n",
    replace: "",
    run: turns,
  },
  {
    name: "text that came during a checkpoint, counted as kept",
    rules: ["TU3"],
    file: "packages/core/src/session/answer.ts",
    find: "part.kept = Math.max(part.kept, at + text.length)",
    replace: "part.kept = part.text.length",
    run: recovery,
  },
  {
    name: "a complete part that ends the scratch of all",
    rules: ["TU3"],
    file: "packages/core/src/session/calls.ts",
    find: "...startsOf(calls, first)], { clearsScratch })",
    replace: '...startsOf(calls, first)], { clearsScratch: "all" })',
    run: recovery,
  },
  {
    name: "open text of a void attempt",
    rules: ["TU4"],
    file: "packages/core/src/session/answer.ts",
    find: "  answer.open.clear()\n",
    replace: "",
    run: retries,
  },
  {
    name: "cut text that looks whole",
    rules: ["TU3"],
    file: "packages/core/src/session/recovery.ts",
    find: 'type === "text" ? { type, text, interrupted: true }',
    replace: 'type === "text" ? { type, text, interrupted: false }',
    run: interrupts,
  },
  {
    name: "no checkpoint before the second is over",
    rules: ["TU3"],
    file: "packages/core/src/session/answer.ts",
    find: "  if (answer.bytesSinceCheckpoint >= answer.lead.ports.limits.checkpointBytes) yield* checkpoint(answer)\n",
    replace: "",
    run: recovery,
  },
  {
    name: "deaf to retry-after",
    rules: ["TU4"],
    file: "packages/core/src/session/retry.ts",
    find: "Math.max(backoffMs(attempt, random, limits), failure.retryAfterMs ?? 0)",
    replace: "backoffMs(attempt, random, limits)",
    run: tests("packages/core/test/session/retry.test.ts"),
  },
  {
    name: "another attempt after a checkpoint",
    rules: ["TU4"],
    file: "packages/core/src/session/answer.ts",
    find: "answer.recordedParts > 0 || answer.checkpointed",
    replace: "answer.recordedParts > 0",
    run: retries,
  },
  {
    name: "turns opened without end",
    rules: ["TU4"],
    file: "packages/core/src/session/drain.ts",
    find: "withoutPart: end.progressed ? 0 : breaks.withoutPart + 1 }",
    replace: "withoutPart: end.progressed ? 0 : 1 }",
    run: retries,
  },
  {
    name: "a ledger that forgets what was tried before",
    rules: ["TU7"],
    file: "packages/core/src/session/meter.ts",
    find: "attempts.map((attempt) => priced(attempt, price))",
    replace: "attempts.slice(-1).map((attempt) => priced(attempt, price))",
    run: turns,
  },
  {
    name: "an estimate that looks exact",
    rules: ["TU7"],
    file: "packages/core/src/session/meter.ts",
    find: 'accuracy: counted ? "estimated" : "incomplete"',
    replace: 'accuracy: counted ? "exact" : "incomplete"',
    run: turns,
  },
  {
    name: "a size measured by all attempts together",
    rules: ["TU6"],
    file: "packages/core/src/session/request/request.ts",
    find: "ledger.attempts.at(-1)?.usage",
    replace: "ledger.usage",
    run: turns,
  },
  {
    name: "a ledger that knows no break",
    rules: ["TU7"],
    file: "packages/core/src/session/boundary.ts",
    find: "    break: pass.break,\n",
    replace: "    break: null,\n",
    run: turns,
  },
  {
    name: "sent although the store refused",
    rules: ["FA1"],
    file: "packages/core/src/session/turn.ts",
    find: "    const end = yield* append(lead, plan.commit.facts, plan.commit)\n",
    replace: `    const end = yield* append(lead, plan.commit.facts, plan.commit).pipe(
      Effect.catchTag("StoreFailure", () => Effect.succeed({ kind: "appended", released: false } as const)),
    )
`,
    run: failingStore,
  },
]
