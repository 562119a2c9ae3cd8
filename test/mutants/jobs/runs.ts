/** Lies about runs of the dreamer that are on record: what is told of them, how they end, and what a revert finds. */
import { type Mutant, tests } from "../mutant.ts"

const revert = tests("packages/recall/test/dreamer/revert.test.ts")
const dreams = tests("test/session/jobs/dreams.test.ts")
const text = tests("packages/cli/test/recall/dream-text.test.ts")
const hours = tests("test/session/jobs/dream-hours.test.ts")

export const runMutants: readonly Mutant[] = [
  {
    name: "what a run made and rewrote was changed by others",
    rules: ["DM1"],
    file: "packages/recall/src/dreamer/revert.ts",
    find: "found !== undefined && !left.has(memory.id)",
    replace: "found !== undefined && !first.has(memory.id)",
    run: revert,
  },
  {
    name: "of a document that was written twice the second text is brought back",
    rules: ["DM1"],
    file: "packages/recall/src/dreamer/revert.ts",
    find: "first === undefined ? fact.before : first.before",
    replace: "fact.before",
    run: revert,
  },
  {
    name: "a choice stood there before it was made",
    rules: ["DM1", "KF1", "UP1"],
    file: "packages/recall/src/dreamer/differences.ts",
    find: "event.seq < seq && event.fact.type === fact.type",
    replace: "event.seq <= seq && event.fact.type === fact.type",
    run: revert,
  },
  {
    name: "a task that is left out ends a row of failures",
    rules: ["DM1"],
    file: "packages/core/src/dreamer/tasks.ts",
    find: 'failures = outcome === "skipped" ? failures : []',
    replace: "failures = []",
    run: dreams,
  },
  {
    name: "what was brought back first counts",
    rules: ["DM1"],
    file: "packages/core/src/dreamer/dreams.ts",
    find: "of restored.toReversed()",
    replace: "of restored",
    run: dreams,
  },
  {
    name: "a plan counts a merge as the end of all that it names",
    rules: ["DM1"],
    file: "packages/core/src/dreamer/askable.ts",
    find: "change.ids.slice(1) : []",
    replace: "change.ids : []",
    run: dreams,
  },
  {
    name: "a run that was cut off after another stays at work",
    rules: ["DM1", "DM2"],
    file: "packages/core/src/dreamer/dreams.ts",
    find: "(settled?.seq ?? 0) < started.seq",
    replace: "settled === undefined",
    run: hours,
  },
  {
    name: "a line of two alike is not told as gone",
    rules: ["SU4"],
    file: "packages/cli/src/recall/line-difference.ts",
    find: "while (tail < Math.min(old.length, now.length) - head &&",
    replace: "while (tail < Math.min(old.length, now.length) &&",
    run: text,
  },
  {
    name: "a run before the one that was stopped is told as that",
    rules: ["DM1", "SU4"],
    file: "packages/cli/src/recall/dream.ts",
    find: " && newest.outcome === null",
    replace: "",
    run: text,
  },
]
