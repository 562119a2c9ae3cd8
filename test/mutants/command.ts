/** Lies about what a person sees and types, and about tools: marks, ids, titles, what was allowed, what they leave. */
import { type Mutant, tests } from "./mutant.ts"

export const commandMutants: readonly Mutant[] = [
  {
    name: "a failing command that looks done",
    rules: ["SU1"],
    file: "packages/cli/src/conversation/call-line.ts",
    find: 'outcome.state !== "done" || badEnd(outcome) !== null',
    replace: 'outcome.state !== "done"',
    run: tests("packages/cli/test/transcript.test.ts"),
  },
  {
    name: "the first of several ids",
    rules: ["SU1"],
    file: "packages/cli/src/input/ids.ts",
    find: "return ids.length === 1 ?",
    replace: "return ids.length > 0 ?",
    run: tests("packages/cli/test/input/ids.test.ts"),
  },
  {
    name: "a title from every prompt",
    rules: ["SS2"],
    file: "packages/schema/src/state/summary.ts",
    find: "title === null && turns === 0 ?",
    replace: "turns === 0 ?",
    run: tests("packages/sdk/test/session-details.test.ts"),
  },
  {
    name: "allowed tools for every Session",
    rules: ["DR2"],
    file: "packages/core/src/host/samples.ts",
    find: 'offered === "remembered" ? allow : offered',
    replace: 'offered === "remembered" ? allowedTools : offered',
    run: tests("packages/sdk/test/session-details.test.ts"),
  },
  {
    name: "bytes that are guessed at",
    rules: ["SU1"],
    file: "packages/cli/src/input/standard-input.ts",
    find: "if (isUtf8(bytes)) return",
    replace: "if (bytes.length > 0) return",
    run: tests("packages/cli/test/input/standard-input.test.ts"),
  },
  {
    name: "a Session that goes with a refused prompt",
    rules: ["LL7", "SS1"],
    file: "packages/cli/src/run.ts",
    find: "if (made && refused) await",
    replace: "if (refused) await",
    run: tests("packages/cli/test/images.test.ts"),
  },
  {
    name: "characters cut in two by a piece of the file",
    rules: ["TL1"],
    file: "packages/core/src/tools/read.ts",
    find: "decoder.decode(bytes, { stream: bytes.length > 0 })",
    replace: "decoder.decode(bytes)",
    run: tests("packages/core/test/tools/files.process.test.ts"),
  },
  {
    name: "processes that outlive a killed launcher",
    rules: ["TL3"],
    file: "packages/core/src/tools/launcher.ts",
    find: "  yield* killCallProcesses(launch.callId, sweepMaxMs)\n",
    replace: "",
    run: tests("packages/core/test/tools/launcher.process.test.ts"),
  },
]
