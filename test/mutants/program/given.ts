/** Lies about what a program gives: its options, its calls, its tools and its facts. */
import { type Mutant, tests } from "../mutant.ts"

const badInput = tests("packages/sdk/test/bad-input.test.ts")
const capabilities = tests("packages/sdk/test/capabilities.test.ts")

export const givenMutants: readonly Mutant[] = [
  {
    name: "everywhere over a directory",
    rules: ["RG1"],
    file: "packages/core/src/context/registry.ts",
    find: "new Map([...below(), ...over, ...contributions.current()])",
    replace: "new Map([...contributions.current(), ...below(), ...over])",
    run: capabilities,
  },
  {
    name: "a key is free everywhere while another hides it",
    rules: ["SC2"],
    file: "packages/core/src/host/samples.ts",
    find: "...everywhere.all()",
    replace: "...everywhere.current()",
    run: tests("packages/core/test/context/registered-sources.test.ts"),
  },
  {
    name: "a key of the runtime's own, beside the registry",
    rules: ["SC2"],
    file: "packages/core/src/host/samples.ts",
    find: "...builtInSourceKeys, recallKey, skillsKey",
    replace: "...builtInSourceKeys, recallKey",
    run: capabilities,
  },
  {
    name: "a number that JSON cannot say is sent as null",
    rules: ["CO3"],
    file: "packages/client/src/given/json-text.ts",
    find: "Number.isFinite(Number(value)) ? null : String(value)",
    replace: "null",
    run: badInput,
  },
  {
    name: "a deny among what is allowed is passed over",
    rules: ["CO3"],
    file: "packages/sdk/src/known-options.ts",
    find: "  return unreadableRule(options as HoldfastOptions)",
    replace: "  return null",
    run: badInput,
  },
  {
    name: "a tool is registered unseen by the linters",
    rules: ["CO3"],
    file: "packages/sdk/src/embedded/capabilities.ts",
    find: "  await requireSendable(tool)\n",
    replace: "",
    run: capabilities,
  },
  {
    name: "tools of a program come behind what goes on",
    rules: ["DR5"],
    file: "packages/sdk/src/embedded/open.ts",
    find: "      registers,\n",
    replace: "",
    run: capabilities,
  },
  {
    name: "options of a call that nobody reads",
    rules: ["CO3"],
    file: "packages/client/src/given/call-options.ts",
    find: "if (unknown !== undefined)",
    replace: "if (false)",
    run: badInput,
  },
]
