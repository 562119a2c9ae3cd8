/** Lies about the sidekick: who asks it, what it may do, how long it is waited for, and what of it is used. */
import { type Mutant, tests } from "../mutant.ts"

const sidekick = tests("test/session/jobs/sidekick.test.ts")
const judged = tests("packages/recall/test/sidekick.test.ts")

export const sidekickMutants: readonly Mutant[] = [
  {
    name: "a sidekick for every prompt",
    rules: ["NT2"],
    file: "packages/core/src/session/hint/finding.ts",
    find: "prompts.filter(({ sidekick }) => sidekick === true)",
    replace: "prompts",
    run: sidekick,
  },
  {
    name: "a sidekick with all tools",
    rules: ["NT2"],
    file: "packages/core/src/jobs/reading-tools.ts",
    find: "tools.tools.filter(({ name }) => names.includes(name))",
    replace: "tools.tools",
    run: sidekick,
  },
  {
    name: "a sidekick that finds what its Session sees",
    rules: ["NT2"],
    file: "packages/core/src/session/effects/session-history.ts",
    find: "(summary.parent?.session ?? session) : session",
    replace: "session : session",
    run: sidekick,
  },
  {
    name: "a finding without a source",
    rules: ["NT2"],
    file: "packages/recall/src/sidekick.ts",
    find: '["No statement names its source."]',
    replace: "[]",
    run: sidekick,
  },
  {
    name: "a finding without an end",
    rules: ["NT2"],
    file: "packages/recall/src/sidekick.ts",
    find: "said.length > findingCharactersMax ?",
    replace: "said.length < 0 ?",
    run: judged,
  },
  {
    name: "an interrupt that waits for the sidekick",
    rules: ["NT2"],
    file: "packages/core/src/session/hint/finding.ts",
    find: "Effect.raceFirst(ask(lead.session, asking), stopped)",
    replace: "ask(lead.session, asking)",
    run: sidekick,
  },
  {
    name: "a job that goes on when nobody waits",
    rules: ["NT2"],
    file: "packages/core/src/jobs/runner.ts",
    find: "        Effect.andThen(\n          stop,",
    replace: "        Effect.succeed(\n          stop,",
    run: sidekick,
  },
  {
    name: "an edited prompt forgets the sidekick",
    rules: ["NT2"],
    file: "packages/store/src/sqlite/reader.ts",
    find: '(body.type === "prompt.admitted" ? body : eventAt(source, admittedSeq, "prompt.admitted")?.fact)',
    replace: '(body.type === "prompt.admitted" ? body : undefined)',
    run: sidekick,
  },
]
