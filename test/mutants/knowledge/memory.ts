/** Lies about project memory: what is written once, whose it is, and when a window tells it. */
import { type Mutant, tests } from "../mutant.ts"

const window = tests("packages/recall/test/memory.test.ts")
const session = tests("test/session/builtin/memory.test.ts")
const project = tests("packages/core/test/memory/project.test.ts")
const secrets = tests("packages/core/test/memory/masked.test.ts")
const isolation = tests("packages/store/test/memory/isolation.property.test.ts")
const fold = tests("packages/schema/test/memory-fold.test.ts")

export const memoryMutants: readonly Mutant[] = [
  {
    name: "the same is written twice",
    rules: ["MM1"],
    file: "packages/schema/src/memory/fold.ts",
    find: 'if (same !== null && (same.status === "active" || source.by !== "person"))',
    replace: 'if (same !== null && same.status !== "active" && source.by !== "person")',
    run: session,
  },
  {
    name: "memory that waits breaks the prefix",
    rules: ["HB3"],
    file: "packages/recall/src/memory.ts",
    find: "known.epoch > marker.seq",
    replace: "known.seq > marker.seq",
    run: window,
  },
  {
    name: "an edit from outside waits",
    rules: ["HB3"],
    file: "packages/recall/src/memory.ts",
    find: "known.epoch > marker.seq",
    replace: "known.epoch > marker.seq + 1_000",
    run: window,
  },
  {
    name: "a Baseline over its budget",
    rules: ["HB2"],
    file: "packages/recall/src/memory.ts",
    find: "    left -= tokens\n    chosen.add(memory.id)",
    replace: "    chosen.add(memory.id)",
    run: window,
  },
  {
    name: "changes of what no Baseline holds",
    rules: ["HB2"],
    file: "packages/recall/src/memory.ts",
    find: "!held.has(id) && changedSeq > seq",
    replace: "changedSeq > seq + 1_000 && !held.has(id)",
    run: window,
  },
  {
    name: "many changes stay in the Delta",
    rules: ["HB3"],
    file: "packages/recall/src/pass.ts",
    find: "if (breaks && addsMuchMemory(slots)) return true",
    replace: "",
    run: window,
  },
  {
    name: "a copy takes the memory of the original",
    rules: ["MM2"],
    file: "packages/core/src/memory/project.ts",
    find: "alike.filter((project) => !exists(project.root))",
    replace: "alike",
    run: project,
  },
  {
    name: "a worktree has a memory of its own",
    rules: ["MM1"],
    file: "packages/core/src/memory/project.ts",
    find: 'return basename(common) === ".git" ? dirname(common) : common',
    replace: "return projectRoot",
    run: project,
  },
  {
    name: "a secret in a memory",
    rules: ["MM1"],
    file: "packages/core/src/memory/masked.ts",
    find: "return { ...change, text: masks.text(change.text) }",
    replace: "return change",
    run: secrets,
  },
  {
    name: "any agent lists all of the memory",
    rules: ["MM3"],
    file: "packages/core/src/tools/context/memory.ts",
    find: 'return "Only the dreamer lists all of the memory. What is known of the project stands in your history."',
    replace: "return []",
    run: session,
  },
  {
    name: "a note surfaces again",
    rules: ["NT1"],
    file: "packages/schema/src/memory/note-fold.ts",
    find: 'status: "surfaced", surfacedIn: fact.session',
    replace: 'status: "ready", surfacedIn: fact.session',
    run: session,
  },
  {
    name: "a note is told before its condition is true",
    rules: ["NT1"],
    file: "packages/schema/src/memory/note-fold.ts",
    find: 'condition === null ? "ready" : "waiting"',
    replace: '"ready"',
    run: session,
  },
  {
    name: "a secret in a note",
    rules: ["NT1"],
    file: "packages/core/src/memory/masked.ts",
    find: "return { ...change, text: hidden(change.text), condition: hidden(change.condition) }",
    replace: "return change",
    run: secrets,
  },
  {
    name: "memories of every project in one list",
    rules: ["MM2"],
    file: "packages/store/src/sqlite/memory/read.ts",
    find: "WHERE memory.project = ?1 AND memory.number > ?2",
    replace: "WHERE memory.project >= ?1 AND memory.number > ?2",
    run: isolation,
  },
  {
    name: "another's memory without a fold",
    rules: ["HB3"],
    file: "packages/recall/src/memory.ts",
    find: "const moved = marker.scope !== undefined && marker.scope !== (known.scope ?? marker.scope)",
    replace: "const moved = false",
    run: session,
  },
  {
    name: "a person's new value waits for a break",
    rules: ["HB3"],
    file: "packages/schema/src/memory/fold.ts",
    find: 'fact.type === "memory.written" ? fact.supersedes.length > 0',
    replace: 'fact.type === "memory.written" ? false',
    run: fold,
  },
  {
    name: "a copy asks nobody",
    rules: ["MM1"],
    file: "packages/core/src/memory/project.ts",
    find: "else if (alike.length > 0)",
    replace: "else if (alike.length > 99)",
    run: project,
  },
]
