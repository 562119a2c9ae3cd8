/** Lies about what a person said: who may turn it round, and whose it stays. */
import { type Mutant, tests } from "../mutant.ts"

const person = tests("packages/schema/test/memory-person.test.ts")
const fold = tests("packages/schema/test/memory-fold.test.ts")

export const personMutants: readonly Mutant[] = [
  {
    name: "an agent turns a person's rule round",
    rules: ["MM1"],
    file: "packages/schema/src/memory/fold.ts",
    find: 'turnsRound(one, text) && sayerOf(one) === "person"',
    replace: 'turnsRound(one, text) && sayerOf(one) !== "person"',
    run: person,
  },
  {
    name: "an update turns round what it rewrites",
    rules: ["MM1"],
    file: "packages/schema/src/memory/fold.ts",
    find: "turnedRound(text, source, [found, ...others])",
    replace: "turnedRound(text, source, [])",
    run: person,
  },
  {
    name: "a value of a person is a rule of theirs",
    rules: ["MM1"],
    file: "packages/schema/src/memory/contradiction.ts",
    find: 'claimOf(category, text)?.says === "" && ',
    replace: "",
    run: fold,
  },
  {
    name: "what an agent filed anew is the agent's",
    rules: ["MM1"],
    file: "packages/schema/src/memory/fold.ts",
    find: '? { ...source, wordsOf: "person" } : source',
    replace: "? { ...source } : source",
    run: person,
  },
  {
    name: "the dreamer changes words of a person that an agent filed anew",
    rules: ["DM1"],
    file: "packages/core/src/dreamer/dreams.ts",
    find: ' || memory.source.wordsOf === "person"',
    replace: "",
    run: tests("test/session/memory/person.test.ts"),
  },
  {
    name: "who parts leaves what a person turned round",
    rules: ["MM1"],
    file: "packages/schema/src/memory/parting.ts",
    find: "expiresAt, source, beside: true }",
    replace: "expiresAt, source }",
    run: tests("packages/schema/test/parting.test.ts"),
  },
]
