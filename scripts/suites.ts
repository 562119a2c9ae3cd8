/**
 * The one table of test suites. `npm test` runs them side by side in lanes, the longest first; then
 * those that want the machine to themselves, one after another.
 *
 * A test file belongs to exactly one suite. Files named `*.process.test.ts` may start real
 * processes; only suites with `processes` take them. A suite that has no file yet is marked
 * `pending`; the mark has to go with its first file. Budgets are for a lane of three on a machine with
 * two cores: over its budget a suite is reported, over three times its budget it fails.
 */
import { globSync } from "node:fs"
import { matchesGlob } from "node:path"
import { currentCommit, repositoryRoot } from "./command.ts"

export interface Suite {
  readonly name: string
  readonly budgetSeconds: number
  /** Budget under `npm run prove`, where the counts are larger. */
  readonly proveSeconds?: number
  /** Test files, as globs from the root. */
  readonly files?: readonly string[]
  readonly except?: readonly string[]
  /** A script that does the work in place of test files; it prints `tests: <number>` at its end. */
  readonly command?: readonly string[]
  /** May start real child processes. */
  readonly processes?: true
  /** Has the machine to itself: it holds time or memory against a limit, or fills all cores. */
  readonly alone?: true
  /** A fresh module registry for each file: only where a file changes global state. */
  readonly isolate?: true
  /** Environment variables that say how much to do; one that is already set wins. */
  readonly counts?: Readonly<Record<string, { readonly test: number; readonly prove: number }>>
  /** An environment variable that gets a number from the commit, so that each meets other cases. */
  readonly rotates?: string
  readonly pending?: true
  /** Left out of `npm test`. Where what it needs is not there, all of it may be skipped, which is told. */
  readonly proveOnly?: true
}

/** Cores of a small machine. */
export const coresMax = 2
/** Suites under way at a time: one more, because each waits now and then. */
export const lanesMax = coresMax + 1
/** What `npm test` may take in all, on two cores. */
export const budgetSecondsMax = 8 * 60

const contextTests = ["packages/core/test/{context,instructions,skills}/**"]
const toolTests = ["packages/core/test/{tools,permission,pty}/**"]

export const suites: readonly Suite[] = [
  { name: "tidy", budgetSeconds: 10, files: ["test/tidy/**"], processes: true },
  { name: "schema", budgetSeconds: 5, files: ["packages/schema/test/**"] },
  { name: "protocol", budgetSeconds: 5, files: ["packages/protocol/test/**"] },
  { name: "client", budgetSeconds: 9, files: ["packages/{client,codegen}/test/**"] },
  { name: "llm", budgetSeconds: 25, files: ["packages/llm/test/**"] },
  {
    name: "wires",
    budgetSeconds: 15,
    proveSeconds: 300,
    files: ["test/wires/**"],
    counts: {
      HOLDFAST_WIRES_AFTER_KILL: { test: 1, prove: 5 },
      HOLDFAST_IMPORTED: { test: 1, prove: 1_000 },
    },
  },
  {
    name: "provider-sim",
    budgetSeconds: 8,
    proveSeconds: 900,
    files: ["packages/provider-sim/test/**"],
    counts: { HOLDFAST_SIM_REQUESTS: { test: 1_500, prove: 100_000 } },
  },
  {
    // The kits are installed apart, in the folder that HOLDFAST_SDKS names.
    name: "interop",
    budgetSeconds: 4,
    proveSeconds: 60,
    files: ["test/interop/**"],
    isolate: true,
    proveOnly: true,
    counts: { HOLDFAST_INTEROP: { test: 0, prove: 1 } },
  },
  {
    name: "store",
    budgetSeconds: 34,
    proveSeconds: 300,
    files: ["packages/store/test/**"],
    counts: {
      HOLDFAST_FOLD_RUNS: { test: 12, prove: 200 },
      HOLDFAST_MEMORY_RUNS: { test: 6, prove: 500 },
    },
    rotates: "HOLDFAST_FOLD_SEED",
  },
  {
    name: "store-process",
    budgetSeconds: 5,
    files: ["packages/store/test/**/*.process.test.ts"],
    processes: true,
  },
  {
    name: "foreign",
    budgetSeconds: 10,
    proveSeconds: 600,
    files: ["packages/foreign/test/**"],
    counts: {
      HOLDFAST_FOREIGN_RUNS: { test: 10, prove: 3_000 },
      HOLDFAST_FOREIGN_MEGABYTES: { test: 12, prove: 1_024 },
    },
  },
  {
    name: "recall",
    budgetSeconds: 14,
    proveSeconds: 60,
    files: ["packages/recall/test/**"],
    counts: { HOLDFAST_RECALL_FOLDS: { test: 30, prove: 120 } },
  },
  {
    name: "recall-stories",
    budgetSeconds: 13,
    proveSeconds: 7200,
    files: ["test/recall/**"],
    counts: {
      HOLDFAST_RECALL_STORIES: { test: 200, prove: 200_000 },
      HOLDFAST_STUCK_THOUSANDS: { test: 120, prove: 3_000 },
      HOLDFAST_STUCK_EDITS: { test: 16, prove: 1_000 },
    },
    rotates: "HOLDFAST_RECALL_FROM",
  },
  {
    name: "core",
    budgetSeconds: 16,
    files: ["packages/core/test/**"],
    except: [...contextTests, ...toolTests],
  },
  { name: "context", budgetSeconds: 4, files: contextTests },
  { name: "tools", budgetSeconds: 15, files: toolTests },
  {
    name: "tools-process",
    budgetSeconds: 34,
    files: ["packages/core/test/**/*.process.test.ts"],
    except: ["packages/core/test/pty/**"],
    processes: true,
  },
  {
    name: "terminals",
    budgetSeconds: 20,
    proveSeconds: 60,
    files: ["packages/{conformance/test,core/test/pty,server/test/terminals,sdk/test}/**/*.process.test.ts"],
    processes: true,
    counts: { HOLDFAST_PTY_RUNS: { test: 3, prove: 40 } },
  },
  {
    name: "flood",
    budgetSeconds: 18,
    proveSeconds: 90,
    files: ["test/flood/**"],
    processes: true,
    isolate: true,
    counts: { HOLDFAST_FLOOD_MB: { test: 10, prove: 50 } },
  },
  { name: "server", budgetSeconds: 23, files: ["packages/server/test/**"] },
  {
    name: "server-process",
    budgetSeconds: 7,
    files: ["packages/server/test/**/*.process.test.ts"],
    except: ["packages/server/test/terminals/**"],
    processes: true,
  },
  { name: "sdk", budgetSeconds: 38, files: ["packages/sdk/test/**"] },
  {
    name: "conformance",
    budgetSeconds: 48,
    proveSeconds: 600,
    files: ["packages/conformance/test/**"],
    counts: { HOLDFAST_CONFORMANCE_INPUTS: { test: 1, prove: 1_000 } },
  },
  {
    name: "cli",
    budgetSeconds: 180,
    files: ["packages/cli/test/**"],
    processes: true,
  },
  {
    name: "session",
    budgetSeconds: 44,
    proveSeconds: 300,
    files: ["test/session/**"],
    counts: {
      HOLDFAST_HYGIENE_ROUNDS: { test: 2, prove: 20 },
      HOLDFAST_DREAM_KILLS: { test: 6, prove: 600 },
    },
  },
  {
    name: "simulation",
    budgetSeconds: 62,
    proveSeconds: 7200,
    files: ["test/simulation/**"],
    isolate: true,
    counts: {
      HOLDFAST_SIM_SEEDS: { test: 110, prove: 20_000 },
      HOLDFAST_SIM_SHARDS: { test: 1, prove: 1 },
    },
    rotates: "HOLDFAST_SIM_FROM",
  },
  {
    name: "streams",
    budgetSeconds: 21,
    proveSeconds: 900,
    files: ["test/streams/**"],
    counts: { HOLDFAST_STREAMS: { test: 300, prove: 10_000 }, HOLDFAST_WRITERS: { test: 20, prove: 1_000 } },
  },
  {
    name: "streams-process",
    budgetSeconds: 18,
    proveSeconds: 600,
    files: ["test/streams/**/*.process.test.ts"],
    processes: true,
    counts: { HOLDFAST_STREAM_KILLS: { test: 5, prove: 200 } },
  },
  { name: "crash-points", budgetSeconds: 48, files: ["test/crash-points/**"] },
  {
    name: "differential",
    budgetSeconds: 11,
    proveSeconds: 1200,
    files: ["test/differential/**"],
    counts: {
      HOLDFAST_DIFFERENTIAL_RUNS: { test: 120, prove: 10_000 },
      HOLDFAST_PAIR_RUNS: { test: 5, prove: 500 },
    },
  },
  { name: "bad-input", budgetSeconds: 11, files: ["test/bad-input/**"], processes: true },
  {
    name: "security",
    budgetSeconds: 28,
    proveSeconds: 120,
    files: ["test/security/**"],
    processes: true,
    counts: { HOLDFAST_SWAPS: { test: 1_000, prove: 10_000 } },
  },
  {
    name: "processes",
    budgetSeconds: 48,
    proveSeconds: 300,
    files: ["test/processes/**"],
    processes: true,
    counts: {
      HOLDFAST_PROCESSES: { test: 10, prove: 20 },
      HOLDFAST_PROMPTS: { test: 25, prove: 50 },
      HOLDFAST_RECOVERIES: { test: 1, prove: 20 },
    },
  },
  {
    name: "growth",
    budgetSeconds: 12,
    proveSeconds: 1200,
    alone: true,
    files: ["test/growth/**"],
    processes: true,
    counts: {
      HOLDFAST_LONG_SESSION: { test: 10_000, prove: 1_000_000 },
      HOLDFAST_LONG_EXCHANGES: { test: 40, prove: 2_500 },
      HOLDFAST_SOAK_EXCHANGES: { test: 1, prove: 60 },
    },
  },
  {
    name: "kills",
    budgetSeconds: 36,
    proveSeconds: 1800,
    files: ["test/kills/**"],
    processes: true,
    counts: { HOLDFAST_KILLS: { test: 6, prove: 1_000 } },
  },
  {
    name: "transcripts",
    budgetSeconds: 32,
    proveSeconds: 5400,
    files: ["test/transcripts/**"],
    counts: {
      HOLDFAST_TRANSCRIPT_CALLS: { test: 30, prove: 1_000_000 },
      HOLDFAST_TRANSCRIPT_KILLS: { test: 20, prove: 1_000_000 },
    },
  },
  {
    // The recorded sessions lie beside the repository.
    name: "recorded",
    budgetSeconds: 60,
    proveSeconds: 300,
    files: ["test/recorded/**"],
    proveOnly: true,
  },
  { name: "bench", budgetSeconds: 2, files: ["test/bench/**"] },
  { name: "newcomer", budgetSeconds: 95, files: ["test/newcomer/**"], processes: true },
  {
    name: "tour",
    budgetSeconds: 45,
    proveSeconds: 60,
    files: ["test/tour/**"],
    processes: true,
    counts: { HOLDFAST_TOURS: { test: 1, prove: 3 } },
  },
  { name: "mutant-runner", budgetSeconds: 6, files: ["test/mutants/**"], processes: true },
  {
    name: "mutants",
    budgetSeconds: 25,
    proveSeconds: 1800,
    command: ["scripts/mutants.ts", "--sample"],
    processes: true,
    counts: { HOLDFAST_MUTANTS: { test: 1, prove: 1_000 } },
  },
]

const isTestFile = (file: string): boolean => file.endsWith(".test.ts")
export const isProcessTest = (file: string): boolean => file.endsWith(".process.test.ts")

/** What the budgets of a table come to, when its lanes are full to the end. */
export function budgetOf(table: readonly Suite[], lanes = lanesMax): number {
  const sum = (some: readonly Suite[]) => some.reduce((total, suite) => total + suite.budgetSeconds, 0)
  const shared = table.filter(({ alone }) => alone !== true)
  const longest = Math.max(...shared.map((suite) => suite.budgetSeconds))
  return sum(table.filter(({ alone }) => alone === true)) + Math.max(sum(shared) / lanes, longest)
}

export interface Assignment {
  readonly files: ReadonlyMap<string, readonly string[]>
  /** What is wrong with the table or the tree, each as a sentence that says what to do. */
  readonly complaints: readonly string[]
}

/** Every test file of the tree, from the root. */
export function findTestFiles(root = repositoryRoot): string[] {
  return globSync(["packages/*/test/**/*.test.ts", "test/**/*.test.ts"], { cwd: root })
    .filter((file) => !file.includes("node_modules"))
    .sort()
}

export function assignFiles(table: readonly Suite[], testFiles: readonly string[]): Assignment {
  const files = new Map(table.map((suite) => [suite.name, testFiles.filter((file) => takes(suite, file))]))
  const complaints = testFiles.flatMap((file) => {
    const names = table.filter((suite) => takes(suite, file)).map((suite) => suite.name)
    if (names.length === 1) return []
    if (names.length === 0) return [`${file} is in no suite: add a row to scripts/suites.ts.`]
    return [`${file} is in the suites ${names.join(", ")}: narrow their globs in scripts/suites.ts.`]
  })
  for (const suite of table) {
    if (suite.command !== undefined) continue
    const empty = files.get(suite.name)?.length === 0
    if (empty && !suite.pending) complaints.push(`The suite ${suite.name} matches no test file.`)
    if (!empty && suite.pending)
      complaints.push(`The suite ${suite.name} has files now: remove its "pending".`)
  }
  return { files, complaints }
}

/** The counts of a suite as environment; what the caller has set stands. */
export function countsOf(suite: Suite, prove: boolean): Record<string, string> {
  const chosen = Object.entries(suite.counts ?? {}).map(([name, count]) => [
    name,
    process.env[name] ?? String(prove ? count.prove : count.test),
  ])
  const rotating = ["PROPERTY_SEED", ...(suite.rotates === undefined ? [] : [suite.rotates])]
  const seeds = rotating.map((name) => [name, process.env[name] ?? String(rotation())])
  return Object.fromEntries([...chosen, ...seeds]) as Record<string, string>
}

const rotation = (): number => Number.parseInt(currentCommit(), 16) || 1

function takes(suite: Suite, file: string): boolean {
  const matches = (glob: string) => matchesGlob(file, glob)
  if (!isTestFile(file) || !(suite.files ?? []).some(matches) || (suite.except ?? []).some(matches))
    return false
  return suite.processes === true || !isProcessTest(file)
}
