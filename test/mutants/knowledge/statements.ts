/** Lies about what is hidden in that which is kept beyond a Session. */
import { type Mutant, tests } from "../mutant.ts"

const secrets = tests("packages/core/test/memory/masked.test.ts")

export const statementMutants: readonly Mutant[] = [
  {
    name: "what is kept is masked no more strictly than what is said",
    rules: ["MM1"],
    file: "packages/core/src/secrets/masks.ts",
    find: "[shapesOfExamples, shapesOfStatements]",
    replace: "[shapesOfExamples]",
    run: secrets,
  },
  {
    name: "a word that describes a passphrase is one",
    rules: ["MM1"],
    file: "packages/core/src/secrets/stated-values.ts",
    find: "!descriptions.has(word) && ",
    replace: "",
    run: secrets,
  },
  {
    name: "how many signs a password has is one, in another language",
    rules: ["MM1"],
    file: "packages/core/src/secrets/stated-values.ts",
    find: "^\\p{L}+[-–]\\d{1,2}$/u",
    replace: "^$/u",
    run: secrets,
  },
  {
    name: "a number of lines of code is a code",
    rules: ["MM1"],
    file: "packages/core/src/secrets/statements.ts",
    find: "${groups}${codeEnd}",
    replace: "${groups}",
    run: secrets,
  },
  {
    name: "what has a title is a key",
    rules: ["MM1"],
    file: "packages/core/src/secrets/stated-values.ts",
    find: "isKey(value) && (!isTitle(value) || isScrambled(value))",
    replace: "isKey(value)",
    run: secrets,
  },
  {
    name: "a key of letters alone is a name",
    rules: ["MM1"],
    file: "packages/core/src/secrets/stated-values.ts",
    find: ": value.length >= 10 && pieces >= 5 && value.length / pieces <= 2.7",
    replace: ": false",
    run: secrets,
  },
  {
    name: "a number among words is no part of a phrase",
    rules: ["MM1"],
    file: "packages/core/src/secrets/stated-values.ts",
    find: "words.length >= 2 &&",
    replace: "words.length > 99 &&",
    run: secrets,
  },
  {
    name: "what counts something is part of a phrase",
    rules: ["MM1"],
    file: "packages/core/src/secrets/stated-values.ts",
    find: " && !measures.has(word)",
    replace: "",
    run: secrets,
  },
  {
    name: "a password is named with nothing before it",
    rules: ["MM1"],
    file: "packages/core/src/secrets/statements.ts",
    find: "isMade, given)",
    replace: "() => false, given)",
    run: secrets,
  },
]
