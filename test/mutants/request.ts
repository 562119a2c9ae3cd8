/** Lies about what a model is sent and how its answer is read: recall, wires, tool output. */
import { type Mutant, tests } from "./mutant.ts"

const encode = tests("packages/llm/test/encode.test.ts")
const decode = tests("packages/llm/test/decode.test.ts")
const lint = tests("packages/llm/test/lint.test.ts")
const gate = tests("packages/recall/test/gate.test.ts")
const bound = tests("packages/core/test/tools/bound.test.ts")
const registry = tests("packages/core/test/tools/registry.test.ts")

export const requestMutants: readonly Mutant[] = [
  {
    name: "the runtime in the user's voice",
    rules: ["PR7"],
    file: "packages/llm/src/request/lowering.ts",
    find: 'wrap("notice", entry.text)',
    replace: "entry.text",
    run: encode,
  },
  {
    name: "a hint among the user's words",
    rules: ["PR7"],
    file: "packages/recall/src/render.ts",
    find: 'const unfinished: Entry = { kind: "notice", text: unfinishedNotice }',
    replace: 'const unfinished: Entry = { kind: "user", text: unfinishedNotice }',
    run: tests("packages/recall/test/render.test.ts"),
  },
  {
    name: "the system role wherever it stands",
    rules: ["LL2"],
    file: "packages/llm/src/anthropic-messages/encode.ts",
    find: ' && before === "user" && opensAnswer(said[i + 1])) {',
    replace: ' && before === "user") {',
    run: encode,
  },
  {
    name: "results behind other content",
    rules: ["LL3"],
    file: "packages/llm/src/grammar/conversation.ts",
    find: "  if (!state.leading) tell(",
    replace: "  if (!state.leading && state.role !== state.role) tell(",
    run: lint,
  },
  {
    name: "the last role unchecked",
    rules: ["LL3"],
    file: "packages/llm/src/grammar/conversation.ts",
    find: 'else if (state.role === "assistant" && !paused) tell("role-last"',
    replace: 'else if (state.role === "assistant" && paused) tell("role-last"',
    run: lint,
  },
  {
    name: "signed for somebody else",
    rules: ["LL4"],
    file: "packages/llm/src/request/lowering.ts",
    find: "JSON.stringify([of.provider, of.model, of.endpoint])",
    replace: "JSON.stringify([of.provider])",
    run: encode,
  },
  {
    name: "markers too far apart",
    rules: ["LL5"],
    file: "packages/llm/src/anthropic-messages/place.ts",
    find: "export const blocksBetweenMax = 15",
    replace: "export const blocksBetweenMax = 25",
    run: tests("packages/llm/test/place.test.ts"),
  },
  {
    name: "no event that is not known",
    rules: ["LL6"],
    file: "packages/llm/src/anthropic-messages/decode.ts",
    find: "      // `ping`, and whatever the provider adds.\n      return [state, []]",
    replace:
      '      return type === "ping" ? [state, []] : broken(state, "malformed_stream", `unknown event ${name}`)',
    run: decode,
  },
  {
    name: "the newest input cut away",
    rules: ["TU6"],
    file: "packages/recall/src/gate.ts",
    find: "kept: view.newestInputs.filter((seq) => seq < keepFrom)",
    replace: "kept: []",
    run: gate,
  },
  {
    name: "output that is not reserved",
    rules: ["TU6"],
    file: "packages/recall/src/gate.ts",
    find: "limits.contextTokens - limits.outputTokens",
    replace: "limits.contextTokens",
    run: gate,
  },
  {
    name: "a shallow cut",
    rules: ["TU6"],
    file: "packages/recall/src/gate.ts",
    find: "export const reductionShares = [0.3, 0.15, 0.05] as const",
    replace: "export const reductionShares = [0.6, 0.3, 0.05] as const",
    run: tests("test/session/window.test.ts"),
  },
  {
    name: "characters counted as bytes",
    rules: ["TO1"],
    file: "packages/core/src/tools/bound.ts",
    find: "  const bytes = Buffer.byteLength(legal)\n",
    replace: "  const bytes = legal.length\n",
    run: bound,
  },
  {
    name: "the end left out unsaid",
    rules: ["TO2"],
    file: "packages/core/src/tools/bound.ts",
    find: 'return tail === "" ? above + marker : `${above}${marker}\\n${tail}`',
    replace: 'return tail === "" ? above + marker : `${above}${tail}`',
    run: bound,
  },
  {
    name: "failures without a limit",
    rules: ["TO2"],
    file: "packages/core/src/tools/registry.ts",
    find: 'settle("failed", boundOutput(message, limits))',
    replace: 'settle("failed", { text: message, truncated: null })',
    run: registry,
  },
  {
    name: "interrupted between success and settlement",
    rules: ["TO5"],
    file: "packages/core/src/tools/registry.ts",
    find: "Effect.forkScoped({ uninterruptible: true })",
    replace: "Effect.forkScoped()",
    run: { ...registry, title: "right after success" },
  },
  {
    name: "a refusal that teaches nothing",
    rules: ["TU5"],
    file: "packages/recall/src/learned-window.ts",
    find: "same ? Math.min(least, learned.contextTokens) : least",
    replace: "same ? least : least",
    run: tests("test/session/window.test.ts"),
  },
]
