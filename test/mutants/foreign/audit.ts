/** Lies about sessions of other agents: what is counted, and why a request broke. */
import { type Mutant, tests } from "../mutant.ts"

const readers = tests("packages/foreign/test/readers.test.ts")
const causes = tests("packages/foreign/test/causes.test.ts")
const account = tests("packages/foreign/test/report.test.ts")
const command = tests("packages/cli/test/audit/audit.test.ts")

export const foreignMutants: readonly Mutant[] = [
  {
    name: "the first line holds",
    rules: ["IM2"],
    file: "packages/foreign/src/accounting/collect.ts",
    find: "known.tokens = tokens",
    replace: "known.tokens = known.tokens",
    run: readers,
  },
  {
    name: "a fork of Codex is paid twice",
    rules: ["IM2"],
    file: "packages/foreign/src/codex/codex.ts",
    find: "`codex:${origin}:",
    replace: "`codex:${origin}${line}:",
    run: readers,
  },
  {
    name: "a fork of OpenCode is paid twice",
    rules: ["IM2"],
    file: "packages/foreign/src/opencode/message.ts",
    find: "const name = JSON.stringify([",
    replace: "const name = JSON.stringify([\n      place.id,",
    run: tests("packages/foreign/test/store.test.ts"),
  },
  {
    name: "a store without its log",
    rules: ["IM2"],
    file: "packages/foreign/src/opencode/store.ts",
    find: "`${copy}-wal`",
    replace: "`${copy}-log`",
    run: tests("packages/foreign/test/store.test.ts"),
  },
  {
    name: "an hour's prefix lapses like any other",
    rules: ["IM2"],
    file: "packages/foreign/src/accounting/breaks.ts",
    find: 'tokens.cacheWrite1h > tokens.cacheWrite5m ? "1h" : shortest',
    replace: "shortest",
    run: causes,
  },
  {
    name: "a cause is made up",
    rules: ["IM2"],
    file: "packages/foreign/src/accounting/breaks.ts",
    find: 'return changed("effort") ? "effort changed" : "prefix changed, cause not recorded"',
    replace: 'return changed("effort") ? "effort changed" : "idle"',
    run: causes,
  },
  {
    name: "a price is guessed",
    rules: ["IM2"],
    file: "packages/foreign/src/accounting/price.ts",
    find: " || prompt + tokens.output > facts.contextTokensMax",
    replace: "",
    run: account,
  },
  {
    name: "an ideal that forgets the clock",
    rules: ["IM2"],
    file: "packages/foreign/src/accounting/ideal.ts",
    find: "const read = gapMs >= lifeMs(own) ? 0 : repeated",
    replace: "const read = repeated",
    run: account,
  },
  {
    name: "markup of a title",
    rules: ["AU1"],
    file: "packages/schema/src/markup/escape.ts",
    find: '"<": "&lt;",',
    replace: '"<": "<",',
    run: command,
  },
  {
    name: "a page over a session",
    rules: ["IM2"],
    file: "packages/cli/src/audit/audit.ts",
    find: "source?.ino === there?.ino",
    replace: "sources.every(({ path }) => path === page && path === '')",
    run: command,
  },
]
