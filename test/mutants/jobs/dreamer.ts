/** Lies about the dreamer: its bounds, its lease, its hours, and what can be taken back. */
import { contract, type Mutant, tests } from "../mutant.ts"

const tidy = tests("packages/recall/test/dreamer/tidy.test.ts")
const revert = tests("packages/recall/test/dreamer/revert.test.ts")
const dreams = tests("test/session/jobs/dreams.test.ts")
const hours = tests("test/session/jobs/dream-hours.test.ts")

export const dreamerMutants: readonly Mutant[] = [
  {
    name: "a dreamer that may end all",
    rules: ["DM1"],
    file: "packages/recall/src/dreamer/plan.ts",
    find: "const changedShareMax = 0.2",
    replace: "const changedShareMax = 1",
    run: dreams,
  },
  {
    name: "a dreamer that ends what a person said",
    rules: ["DM1"],
    file: "packages/recall/src/dreamer/plan.ts",
    find: 'memory.source.by !== "person" && ',
    replace: "",
    run: dreams,
  },
  {
    name: "numbers do not make two rules",
    rules: ["DM1"],
    file: "packages/recall/src/dreamer/tidy.ts",
    find: "/[\\d_/\\\\.@$=<>#:-]/",
    replace: "/[_/\\\\.@$=<>#:-]/",
    run: tidy,
  },
  {
    name: "a file that nobody knew counts as deleted",
    rules: ["DM1"],
    file: "packages/recall/src/dreamer/tidy.ts",
    find: 'state: states.every((state) => state === "deleted") ? "deleted" : "unknown"',
    replace: 'state: "deleted"',
    run: tidy,
  },
  {
    name: "a revert over what others changed",
    rules: ["DM1"],
    file: "packages/recall/src/dreamer/revert.ts",
    find: "memory !== undefined && seqs.has(memory.changedSeq)",
    replace: "memory !== undefined",
    run: revert,
  },
  {
    name: "a run takes a later one back",
    rules: ["DM1"],
    file: "packages/recall/src/dreamer/revert.ts",
    find: "seq > start && seq < next &&",
    replace: "seq > start &&",
    run: revert,
  },
  {
    name: "what was taken back is done again",
    rules: ["DM1"],
    file: "packages/core/src/dreamer/dreams.ts",
    find: "theirs.has(memory.id) ? {",
    replace: "false ? {",
    run: dreams,
  },
  {
    name: "a breaker that never opens",
    rules: ["DM1"],
    file: "packages/core/src/dreamer/tasks.ts",
    find: "failures.length >= failuresMax",
    replace: "failures.length > 100",
    run: dreams,
  },
  {
    name: "a dreamer without a fence",
    rules: ["DM2"],
    file: "packages/store/src/sqlite/memory/change.ts",
    find: "namedLease(connection, under.name)?.token !== under.token",
    replace: "namedLease(connection, under.name) === undefined",
    run: contract("DM2"),
  },
  {
    name: "a name that anybody takes",
    rules: ["DM2"],
    file: "packages/store/src/sqlite/lease/named.ts",
    find: "held === null || (held.token === dead?.token && held.beat === dead.beat)",
    replace: "held === null || held.token === dead?.token",
    run: contract("DM2"),
  },
  {
    name: "dreams without a lease",
    rules: ["DM2"],
    file: "packages/core/src/dreamer/lease.ts",
    find: 'if (verdict === "lives") return null',
    replace: 'if (verdict === "lives") return outcome.lease',
    run: hours,
  },
  {
    name: "due at every tick",
    rules: ["DM2"],
    file: "packages/core/src/dreamer/schedule.ts",
    find: "&& now - last.time >= dueAfterMs",
    replace: "",
    run: hours,
  },
  {
    name: "a project that nobody opened",
    rules: ["DM2"],
    file: "packages/core/src/dreamer/schedule.ts",
    find: 'type === "create-session" || type === "admit" || type === "move-session"',
    replace: "event.command.session !== undefined",
    run: hours,
  },
]
