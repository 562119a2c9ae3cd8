/** Lies about masks: what is hidden, when, and what becomes of a mask. */
import { type Mutant, tests } from "../mutant.ts"

export const secretMutants: readonly Mutant[] = [
  {
    name: "a secret in a prompt",
    rules: ["AU1"],
    file: "packages/core/src/secrets/masked-input.ts",
    find: "const text = masks.text(given.text)",
    replace: "const { text } = given",
    run: tests("test/session/secrets/masks.test.ts"),
  },
  {
    name: "a repeat known by its masked text",
    rules: ["PR2"],
    file: "packages/core/src/secrets/masked-input.ts",
    find: "given: hashBody(given) }",
    replace: "given: hashBody({ text }) }",
    run: tests("test/session/secrets/masks.test.ts"),
  },
  {
    name: "a secret in two pieces",
    rules: ["AU1"],
    file: "packages/core/src/secrets/mask.ts",
    find: "buffer.length - cut > heldMax ? buffer.length : cut",
    replace: "buffer.length",
    run: tests("packages/core/test/secrets/mask.test.ts"),
  },
  {
    name: "a mask that is written into a file",
    rules: ["AU1"],
    file: "packages/core/src/tools/registry.ts",
    find: "if (held !== null) return",
    replace: "if (held === call.name) return",
    run: tests("test/session/secrets/masks.test.ts"),
  },
  {
    name: "an example taken for a secret",
    rules: ["AU1"],
    file: "packages/core/src/secrets/shapes.ts",
    find: "!examplePattern.test(secret) && ",
    replace: "",
    run: tests("packages/core/test/secrets/mask.test.ts"),
  },
  {
    name: "a word taken for a key",
    rules: ["AU1"],
    file: "packages/core/src/secrets/masks.ts",
    find: "secret.length >= secretLengthMin && (",
    replace: "secret.length >= secretLengthMin || (",
    run: tests("packages/core/test/secrets/mask.test.ts"),
  },
  {
    name: "a secret in an answer",
    rules: ["AU1"],
    file: "packages/core/src/secrets/masked-input.ts",
    find: "return fact.text === null ? fact : { ...fact, text: masks.text(fact.text) }",
    replace: "return fact",
    run: tests("test/session/secrets/masks.test.ts"),
  },
  {
    name: "a secret in the call of a prompt",
    rules: ["AU1"],
    file: "packages/core/src/secrets/masked-input.ts",
    find: "({ ...call, argument: masks.text(call.argument) })",
    replace: "({ ...call })",
    run: tests("test/session/secrets/masks.test.ts"),
  },
]
