/** Lies about sessions of other agents: whose words they are, whose result it is, and what is new. */
import type { Mutant } from "../mutant.ts"

const facts = { files: ["packages/foreign/test/facts/facts.test.ts"] }
const growth = { files: ["packages/foreign/test/facts/growth.test.ts"] }
const store = { files: ["packages/foreign/test/store.test.ts"] }
const figures = { files: ["packages/cli/test/replay/figures.test.ts"] }
const choices = { files: ["packages/cli/test/import/candidates.test.ts"] }
const commands = { files: ["packages/cli/test/import/import.test.ts"] }

export const importMutants: readonly Mutant[] = [
  {
    name: "result-of-the-newest-call",
    rules: ["TG7", "IM1"],
    file: "packages/foreign/src/facts/items.ts",
    find: "same.find(({ result }) => result === null)",
    replace: "same.findLast(({ result }) => result === null)",
    run: facts,
  },
  {
    name: "reminder-is-a-prompt",
    rules: ["PR7", "IM1"],
    file: "packages/foreign/src/facts/log.ts",
    find: 'item.record.by === "person"',
    replace: 'item.record.by !== "summary"',
    run: facts,
  },
  {
    name: "lost-result-is-done",
    rules: ["IM1"],
    file: "packages/foreign/src/facts/log.ts",
    find: 'state: "interrupted", output: noResult',
    replace: 'state: "done", output: noResult',
    run: facts,
  },
  {
    name: "branch-shares-nothing",
    rules: ["IM1"],
    file: "packages/foreign/src/facts/chains.ts",
    find: "found.chain.records.slice(0, found.length)",
    replace: "[]",
    run: facts,
  },
  {
    name: "imported-prompts-twice",
    rules: ["IM1"],
    file: "packages/foreign/src/facts/extend.ts",
    find: "if (isKnown(item, known, writing)) {",
    replace: 'if (item.kind === "turn" && isKnown(item, known, writing)) {',
    run: growth,
  },
  {
    name: "late-result-is-lost",
    rules: ["IM1"],
    file: "packages/foreign/src/facts/extend.ts",
    find: "if (!known.unsettled.has(own) || known.inputs.has(id)) continue",
    replace: "if (known.unsettled.has(own) || known.inputs.has(id)) continue",
    run: growth,
  },
  {
    name: "summary-is-cut-with-the-rest",
    rules: ["IM1"],
    file: "packages/foreign/src/opencode/message.ts",
    find: 'nameOf(asked["tail_start_id"]) ?? place.id',
    replace: 'nameOf(asked["tail_start_id"])',
    run: store,
  },
  {
    name: "side-chain-in-the-list",
    rules: ["IM1"],
    file: "packages/foreign/src/facts/growing-log.ts",
    find: "if (aside && !archived)",
    replace: "if (aside && archived)",
    run: growth,
  },
  {
    name: "replay-without-a-window",
    rules: ["IM2"],
    file: "packages/core/src/replay/replay.ts",
    find: "limits: windowLimits(this.#state, selection),",
    replace: "limits: { ...windowLimits(this.#state, selection), contextTokens: 1e9 },",
    run: commands,
  },
  {
    name: "replay-without-recorded-times",
    rules: ["IM2"],
    file: "packages/core/src/replay/replay.ts",
    find: "atMs: event.time,",
    replace: "atMs: 0,",
    run: commands,
  },
  {
    name: "one-of-several-is-meant",
    rules: ["IM1"],
    file: "packages/cli/src/import/candidates.ts",
    find: "if (second !== undefined)",
    replace: "if (second === null)",
    run: choices,
  },
  {
    name: "recorded-costs-what-ours-costs",
    rules: ["IM2"],
    file: "packages/cli/src/replay/figures.ts",
    find: "costUnits(recorded, multipliers)",
    replace: "costUnits(counted, multipliers)",
    run: figures,
  },
  {
    name: "fork-asks-for-what-it-copied",
    rules: ["IM2"],
    file: "packages/cli/src/replay/recorded.ts",
    find: 'origin?.kind === "fork" ? origin.seq : 0',
    replace: "0",
    run: figures,
  },
  {
    name: "replay-sizes-by-the-name-of-a-pass",
    rules: ["IM2"],
    file: "packages/cli/src/replay/oracle.ts",
    find: "before.model === model.model && found === null",
    replace: "before.model === model.model && found !== null",
    run: figures,
  },
  {
    name: "replay-writes-every-head",
    rules: ["IM2"],
    file: "packages/cli/src/replay/oracle.ts",
    find: "asked.length === 0 && recorded !== null && recorded.cacheRead > 0",
    replace: "asked.length === 0 && recorded === null",
    run: figures,
  },
]
