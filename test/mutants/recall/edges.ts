/** Lies about the edges of recall: pages of what is read back, spans that are made anew, and what is counted twice or not at all. */
import { type Mutant, tests } from "../mutant.ts"

const pages = tests("packages/recall/test/expand.test.ts")
const parts = tests("packages/recall/test/history/rebuild.test.ts")
const table = tests("packages/recall/test/reduce/reduce.test.ts")

export const edgeMutants: readonly Mutant[] = [
  {
    name: "what is not known counts as changed",
    rules: ["HB3"],
    file: "packages/recall/src/memory.ts",
    find: "if (known === null || known === undefined) return false",
    replace: "if (known === null || known === undefined) return true",
    run: tests("packages/recall/test/properties.test.ts"),
  },
  {
    name: "memory is told by an execute that was put off and finds nothing",
    rules: ["PS4", "PS7"],
    file: "packages/recall/src/pass.ts",
    find: 'one.kind !== "execute" && applied.consumes',
    replace: "applied.consumes",
    run: tests("packages/recall/test/execute.test.ts"),
  },
  {
    name: "a third page that begins like the second",
    rules: ["TG4"],
    file: "packages/recall/src/expand.ts",
    find: "offset: skipped + shown",
    replace: "offset: shown",
    run: pages,
  },
  {
    name: "pages of one size for every window",
    rules: ["TL4", "TG4"],
    file: "packages/recall/src/history/page-room.ts",
    find: "Math.min(pageBytesMax, Math.max(pageBytesMin, bytes))",
    replace: "Math.max(pageBytesMax, bytes)",
    run: tests("test/session/builtin/pages.test.ts"),
  },
  {
    name: "a page of nothing past the end",
    rules: ["TG4"],
    file: "packages/recall/src/expand.ts",
    find: 'skipped > 0 && body === ""',
    replace: 'skipped < 0 && body === ""',
    run: pages,
  },
  {
    name: "a page that ends within a character",
    rules: ["TG4"],
    file: "packages/recall/src/expand.ts",
    find: 'return cut.endsWith("\\uFFFD") ? cut.slice(0, -1) : cut',
    replace: "return cut",
    run: pages,
  },
  {
    name: "a rebuild of more than the span that was named",
    rules: ["HI7"],
    file: "packages/recall/src/history/rebuild.ts",
    find: "one.toSeq > within.toSeq",
    replace: "one.fromSeq > within.toSeq",
    run: parts,
  },
  {
    name: "a fresh Baseline that empties the Delta",
    rules: ["HB4"],
    file: "packages/recall/src/slots.ts",
    find: "{ ...markers, updates: [], owes: false }, added)",
    replace: "{ ...markers, updates: [], owes: false }, [])",
    run: parts,
  },
  {
    name: "what lies before the first part is in none",
    rules: ["HB4"],
    file: "packages/recall/src/historian/validate.ts",
    find: "else parts.push({ ...part, from: 1 })",
    replace: "else parts.push(part)",
    run: tests("packages/recall/test/historian/task.test.ts"),
  },
  {
    name: "both of two equal calls go",
    rules: ["MD2"],
    file: "packages/recall/src/reduce/heuristics.ts",
    find: "if (key !== null && !unit.dropped) newest",
    replace: "if (key !== null) newest",
    run: table,
  },
  {
    name: "an image that goes with its call counts twice",
    rules: ["EG1"],
    file: "packages/recall/src/reduce/emergency.ts",
    find: "tokensOfUnits([...chosen])",
    replace: "[...chosen].reduce((sum, unit) => sum + unit.tokens, 0)",
    run: table,
  },
  {
    name: "what was dropped counts as room",
    rules: ["ND1"],
    file: "packages/recall/src/reduce/nudge.ts",
    find: "const active = tokensOfUnits(units.filter(({ dropped }) => !dropped))",
    replace: "const active = tokensOfUnits(units)",
    run: tests("packages/recall/test/reduce/nudge.test.ts"),
  },
  {
    name: "a Delta that is never full",
    rules: ["HB3"],
    file: "packages/recall/src/pass.ts",
    find: "return isOverfull(slotTokens(judged), budgetOf(question.limits))",
    replace: "return false && isOverfull(slotTokens(judged), budgetOf(question.limits))",
    run: tests("packages/recall/test/pass.property.test.ts"),
  },
]
