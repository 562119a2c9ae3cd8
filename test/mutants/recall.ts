/** Lies about what a cut leaves of a long history: the historian, decay, compartments, and the tools on them. */
import { type Mutant, tests } from "./mutant.ts"

const survival = tests("packages/recall/test/history/survival.test.ts")
const places = tests("packages/recall/test/pass.property.test.ts")
const decay = tests("packages/recall/test/history/decay.test.ts")
const extract = tests("packages/recall/test/historian/extract.test.ts")
const session = tests("test/session/builtin/recall.test.ts")

export const recallMutants: readonly Mutant[] = [
  {
    name: "a compartment over what stays raw",
    rules: ["HB4"],
    file: "packages/recall/src/history/publish.ts",
    find: "between({ fromSeq: from, toSeq: below - 1 }, kept)",
    replace: "between({ fromSeq: from, toSeq: below - 1 }, [])",
    run: places,
  },
  {
    name: "what an earlier cut kept goes nowhere",
    rules: ["HB4"],
    file: "packages/recall/src/history/publish.ts",
    find: "...counted(publishing), ...left(publishing), ...fresh(publishing)",
    replace: "...counted(publishing), ...fresh(publishing)",
    run: places,
  },
  {
    name: "archives beside what they replace",
    rules: ["HB4"],
    file: "packages/schema/src/state/items.ts",
    find: "!replaced.has(id) && !isWithin(one, fact)",
    replace: "!replaced.has(id) || isWithin(one, fact)",
    run: survival,
  },
  {
    name: "a cut that publishes nothing",
    rules: ["TU6"],
    file: "packages/recall/src/pass.ts",
    find: "const records = [...published, applied]",
    replace: "const records = [applied]",
    run: session,
  },
  {
    name: "archives that forget the user",
    rules: ["DK1"],
    file: "packages/recall/src/history/archive.ts",
    find: 'const order = ["D", "T", "U", "E", "A", "F", "N"]',
    replace: 'const order = ["U", "E", "A", "F", "N", "D", "T"]',
    run: survival,
  },
  {
    name: "importance that ages faster",
    rules: ["DK1"],
    file: "packages/recall/src/history/decay.ts",
    find: "2 ** ((bounded - 50) / 25)",
    replace: "2 ** ((50 - bounded) / 25)",
    run: decay,
  },
  {
    name: "history without a budget",
    rules: ["DK1"],
    file: "packages/recall/src/history/decay.ts",
    find: "round <= archived && tokens > budgetTokens",
    replace: "round < 0 && tokens > budgetTokens",
    run: decay,
  },
  {
    name: "a tail that is protected the fuller it is",
    rules: ["TA1"],
    file: "packages/recall/src/history/tail.ts",
    find: "0.3 * usableTokens * (1 - Math",
    replace: "0.3 * usableTokens * (1 + Math",
    run: decay,
  },
  {
    name: "notices in the user's mouth",
    rules: ["HI1", "PR7"],
    file: "packages/recall/src/historian/items.ts",
    find: 'kind: "notice",',
    replace: 'kind: "user",',
    run: extract,
  },
  {
    name: "lines that break out of their compartment",
    rules: ["HI1"],
    file: "packages/recall/src/historian/words.ts",
    find: '.replaceAll(unprintable, " ")',
    replace: '.replaceAll("\\0", " ")',
    run: extract,
  },
  {
    name: "pages without an end",
    rules: ["TL4"],
    file: "packages/recall/src/expand.ts",
    find: "pageBytesMax - bytes, pageLinesMax - lines",
    replace: "Infinity, Infinity",
    run: session,
  },
  {
    name: "expanding from the window alone",
    rules: ["TG4"],
    file: "packages/core/src/session/effects/session-history.ts",
    find: "({ seq }) => seq <= toSeq && !isReverted(items, seq),",
    replace:
      "({ seq }) => seq <= toSeq && seq >= loaded.state.summary.windowFrom && !isReverted(items, seq),",
    run: session,
  },
]
