/** Lies about what a request costs: how long caches live, what is told and asked for, and what keeps them. */
import type { Mutant } from "./mutant.ts"

const chooser = { files: ["packages/llm/test/anthropic/cache-lifetime.test.ts"] }
const prices = { files: ["test/session/cost/price.test.ts"] }
const warmth = { files: ["test/session/cost/keep-warm.test.ts"] }

export const costMutants: readonly Mutant[] = [
  {
    name: "lifetime-hour-after-five-minutes",
    rules: ["LL5"],
    file: "packages/llm/src/request/markers.ts",
    find: '=== "tail" || tail === "1h" ? tail : standing',
    replace: '=== "tail" ? tail : standing',
    run: chooser,
  },
  {
    name: "lifetime-anchor-out-of-sight",
    rules: ["LL5"],
    file: "packages/llm/src/cache-lifetime.ts",
    find: "const anchorBlocksMax = 10",
    replace: "const anchorBlocksMax = 100",
    run: chooser,
  },
  {
    name: "lifetime-hour-for-all-that-is-new",
    rules: ["LL5"],
    file: "packages/llm/src/cache-lifetime.ts",
    find: "const isDue = atRisk >= added * apart",
    replace: "const isDue = atRisk >= apart",
    run: chooser,
  },
  {
    name: "lifetime-anchor-outlives-break",
    rules: ["LL5"],
    file: "packages/schema/src/state/rhythm.ts",
    find: "found.block <= anchor.block",
    replace: "found.block < anchor.block",
    run: { files: ["packages/schema/test/rhythm.test.ts"] },
  },
  {
    name: "lifetime-group-written-with-other-life",
    rules: ["LL5"],
    file: "packages/llm/src/request/body.ts",
    find: "`${lifetime}@${block}`",
    replace: "`${lifetime.slice(9)}@${block}`",
    run: { files: ["packages/llm/test/place.test.ts"] },
  },
  {
    name: "price-cold-cache-counts-as-warm",
    rules: ["TU7"],
    file: "packages/core/src/session/request/cache-expected.ts",
    find: "if (!left.alive)",
    replace: "if (!left.alive && left.tokens > 0)",
    run: prices,
  },
  {
    name: "price-asked-after-sending",
    rules: ["PE3"],
    file: "packages/core/src/session/limits/price-ask.ts",
    find: 'return state.summary.onAsk === "wait" ? { kind: "asking", reason: askingReason } : "again"',
    replace: 'return "go"',
    run: prices,
  },
  {
    name: "keep-warm-without-end",
    rules: ["LL5"],
    file: "packages/schema/src/state/rhythm.ts",
    find: "{ warmedAt: time, warmedInRow: inRow }",
    replace: "{ warmedAt: time, warmedInRow: inRow, askedAt: time }",
    run: warmth,
  },
  {
    name: "keep-warm-under-a-prompt",
    rules: ["LL5"],
    file: "packages/core/src/warmth/keep-warm.ts",
    find: ": FiberMap.remove(keeping, session)",
    replace: ": Effect.void",
    run: warmth,
  },
  {
    name: "keep-warm-asks-for-an-answer",
    rules: ["TU7"],
    file: "packages/core/src/session/request/repeat.ts",
    find: "reasoning.tokens + 1 : 1",
    replace: "reasoning.tokens + 1 : options.generation.outputTokensMax",
    run: warmth,
  },
]
