/** Lies about the historian that a model is, and about the jobs that run it. */
import { contract, type Mutant, tests } from "../mutant.ts"

const chunk = tests("packages/recall/test/historian/chunk.test.ts")
const task = tests("packages/recall/test/historian/task.test.ts")
const trigger = tests("packages/recall/test/historian/trigger.test.ts")
const session = tests("test/session/jobs/historian.test.ts")

export const historianMutants: readonly Mutant[] = [
  {
    name: "a historian that reads notices",
    rules: ["HI10"],
    file: "packages/recall/src/historian/chunk.ts",
    find: 'message.kind === "user" || message.kind === "assistant" ? show(message) : null',
    replace: 'message.kind !== "assistant" ? show({ ...message, kind: "user" } as never) : show(message)',
    run: chunk,
  },
  {
    name: "parts that overlap",
    rules: ["HI1"],
    file: "packages/recall/src/historian/validate.ts",
    find: "else if (part.from < expected)",
    replace: "else if (part.from < 1)",
    run: task,
  },
  {
    name: "gaps of any size are healed",
    rules: ["HI1"],
    file: "packages/recall/src/historian/validate.ts",
    find: "if (to - from + 1 <= gapMax) return true",
    replace: "if (to >= from) return true",
    run: task,
  },
  {
    name: "a draft that forgets the user's words",
    rules: ["HI1"],
    file: "packages/recall/src/historian/draft.ts",
    find: "return [...held, ...paraphrase(part.tiers[at], left)]",
    replace: "return [...paraphrase(part.tiers[at], left)]",
    run: task,
  },
  {
    name: "a draft in the user's mouth",
    rules: ["PR7"],
    file: "packages/recall/src/historian/draft.ts",
    find: "clipLine(`H ${line}`, left - 1)",
    replace: "clipLine(line, left - 1)",
    run: task,
  },
  {
    name: "the last part is kept",
    rules: ["HI3"],
    file: "packages/recall/src/historian/validate.ts",
    find: "following <= followingMax && !emergency",
    replace: "following < 0 && !emergency",
    run: task,
  },
  {
    name: "a quarantine that goes unseen",
    rules: ["HI4"],
    file: "packages/recall/src/history/publish.ts",
    find: 'if (message.kind !== "system" && message.quarantined !== undefined) return [message.id]',
    replace: "",
    run: task,
  },
  {
    name: "two clusters are enough",
    rules: ["HI2"],
    file: "packages/recall/src/historian/trigger.ts",
    find: "const commitClusters = 3",
    replace: "const commitClusters = 2",
    run: trigger,
  },
  {
    name: "a range over a call that runs",
    rules: ["HI2"],
    file: "packages/recall/src/historian/trigger.ts",
    find: "const settled = open === -1 ? fresh.length : open",
    replace: "const settled = open === -1 ? fresh.length : fresh.length",
    run: trigger,
  },
  {
    name: "every failure moves down the list",
    rules: ["HI8"],
    file: "packages/core/src/jobs/verdict.ts",
    find: 'return { kind: "failed", reason, movesOn }',
    replace: 'return { kind: "failed", reason, movesOn: movesOn || true }',
    run: { ...session, title: "HI8" },
  },
  {
    name: "a range that changed is published",
    rules: ["HI6"],
    file: "packages/core/src/historian/historian.ts",
    find: "return rangeContent(inside) === content",
    replace: 'return rangeContent(inside) !== "" || content === ""',
    run: { ...session, title: "HI6" },
  },
  {
    name: "a job with a budget of its own",
    rules: ["DR9"],
    file: "packages/core/src/jobs/runner.ts",
    find: "budget.tokens - (input + output + cacheRead + cacheWrite)",
    replace: "budget.tokens + (input + output + cacheRead + cacheWrite)",
    run: { ...session, title: "DR9" },
  },
  {
    name: "a job that is seen",
    rules: ["MD1"],
    file: "packages/store/src/sqlite/input-commands.ts",
    find: "  removeSession(connection, job)\n",
    replace: "",
    run: contract("MD1"),
  },
]
