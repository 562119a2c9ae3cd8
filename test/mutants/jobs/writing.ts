/** Lies about the historian's edges, what a rebuild says of itself, and what keeps or prices a cache. */
import { type Mutant, tests } from "../mutant.ts"

const edges = tests("test/session/jobs/historian-edges.test.ts")
const figures = tests("test/session/jobs/rebuild-figures.test.ts")
const moments = tests("packages/core/test/session/lifetimes.test.ts")
const warmth = tests("test/session/cost/keep-warm.test.ts")
const told = tests("packages/cli/test/conversation/receipt.test.ts")
const trigger = tests("packages/recall/test/historian/trigger.test.ts")
const task = tests("packages/recall/test/historian/task.test.ts")

export const writingMutants: readonly Mutant[] = [
  {
    name: "a secret in a fact of the historian's",
    rules: ["AU1"],
    file: "packages/core/src/historian/historian.ts",
    find: "text: ports.masks.kept(text) }",
    replace: "text }",
    run: edges,
  },
  {
    name: "a historian in trouble for ever",
    rules: ["FA1"],
    file: "packages/core/src/historian/historian.ts",
    find: "    degradations.clear(historianPart)\n",
    replace: "",
    run: edges,
  },
  {
    name: "an editor with all models of the list",
    rules: ["HI9"],
    file: "packages/core/src/historian/ask.ts",
    find: "settings.models.slice(0, 1)",
    replace: "settings.models",
    run: edges,
  },
  {
    name: "a turn that waits for job after job",
    rules: ["EG1"],
    file: "packages/core/src/historian/wait.ts",
    find: "      waited = true\n",
    replace: "",
    run: edges,
  },
  {
    name: "a rebuild that counts what stayed",
    rules: ["HI7", "SU4"],
    file: "packages/core/src/historian/rebuild.ts",
    find: "done.messages += published ? messages.length : 0",
    replace: "done.messages += messages.length",
    run: figures,
  },
  {
    name: "a rebuild after which nothing is left",
    rules: ["HI7", "SU4"],
    file: "packages/core/src/historian/rebuild.ts",
    find: "      done.compartmentsAfter += range.replaces.length\n",
    replace: "",
    run: figures,
  },
  {
    name: "lives by a price of nothing",
    rules: ["LL5"],
    file: "packages/core/src/session/request/lifetimes.ts",
    find: "price === null || price.input <= 0",
    replace: "price === null",
    run: moments,
  },
  {
    name: "input without marks at the price of a cache",
    rules: ["TU7"],
    file: "packages/core/src/session/request/price-expected.ts",
    find: "if (end === undefined) return price.input",
    replace: "if (end === undefined) return price.cacheWrite",
    run: moments,
  },
  {
    name: "keep-warm for an unknown price",
    rules: ["LL5"],
    file: "packages/core/src/warmth/keep-warm.ts",
    find: "cost === null || rhythm.warmedCost",
    replace: "rhythm.warmedCost",
    run: warmth,
  },
  {
    name: "a fold that promises what no break does",
    rules: ["SU4"],
    file: "packages/cli/src/recall/fold.ts",
    find: "if (after.break !== null && after.tokens < whole)",
    replace: "if (after.tokens < whole)",
    run: told,
  },
  {
    name: "each commit a cluster",
    rules: ["HI2"],
    file: "packages/recall/src/historian/trigger.ts",
    find: 'commits || (inside && shown.speaker === "A")',
    replace: "commits",
    run: trigger,
  },
  {
    name: "a last part that the run itself did not reach behind",
    rules: ["HI3"],
    file: "packages/recall/src/historian/task.ts",
    find: "following + uncovered, emergency",
    replace: "following, emergency",
    run: task,
  },
]
