/** Lies about recall that only a long story of a Session shows: others who write, historians ahead, folds behind folds. */
import { type Mutant, tests } from "../mutant.ts"

const stories: Mutant["run"] = {
  files: ["test/recall/driver/driver.test.ts"],
  env: { HOLDFAST_RECALL_STORIES: "400", HOLDFAST_RECALL_FROM: "2000" },
  secondsMax: 240,
}

const historians = tests("packages/recall/test/history/historians.test.ts")
const stuck: Mutant["run"] = { files: ["test/recall/stuck/stuck.test.ts"], secondsMax: 120 }

export const storyMutants: readonly Mutant[] = [
  {
    name: "a shorter tier without what the user asked to hold",
    rules: ["HI1"],
    file: "packages/recall/src/history/layout.ts",
    find: "[own, ...missingHandles(tiers, own)]",
    replace: "[own]",
    run: historians,
  },
  {
    name: "a draft that crowds out rules",
    rules: ["HI1"],
    file: "packages/recall/src/historian/draft.ts",
    find: "[fullest, ...missingHandles(all, fullest)]",
    replace: "[fullest]",
    run: historians,
  },
  {
    name: "words of a summary in the user's mouth",
    rules: ["PR7"],
    file: "packages/recall/src/historian/draft.ts",
    find: "clipLine(`H ${line}`, left - 1)",
    replace: "clipLine(line, left - 1)",
    run: historians,
  },
  {
    name: "a refusal that names no tools",
    rules: ["TU6"],
    file: "packages/recall/src/cut.ts",
    find: '    { name: "tools", tokens: segment("tools") },\n',
    replace: "",
    run: stuck,
  },
  {
    name: "a historian's part over an input that stays",
    rules: ["HB4"],
    file: "packages/recall/src/history/publish.ts",
    find: "...split(publishing), ",
    replace: "",
    run: tests("packages/recall/test/execute.test.ts"),
  },
  {
    name: "steps that make a request too large",
    rules: ["TU6"],
    file: "packages/recall/src/record.ts",
    find: 'full ? wanted.filter(({ op }) => op !== "anchor-todo") : wanted',
    replace: "full ? wanted : wanted",
    run: { ...stories, env: { HOLDFAST_RECALL_STORIES: "20", HOLDFAST_RECALL_FROM: "2580" } },
  },
  {
    name: "tags of a plan that was overtaken",
    rules: ["TG1"],
    file: "packages/core/src/session/boundary.ts",
    find: "(inputs.length > 0 && showsTags(selection))",
    replace: "(inputs.length < 0 && showsTags(selection))",
    run: stories,
  },
  {
    name: "an execute behind an execute",
    rules: ["PS5"],
    file: "packages/recall/src/decide.ts",
    find: "if (!fresh || (!due && !waits))",
    replace: "if (!due && !waits)",
    run: tests("packages/recall/test/decide.test.ts"),
  },
  {
    name: "a Fold that brings back what was dropped",
    rules: ["TG2"],
    file: "packages/recall/src/history/fold.ts",
    find: "...cut, ...images, ...earlier, ...added",
    replace: "...cut, ...images, ...added",
    run: stories,
  },
  {
    name: "a boundary that takes the newest input along",
    rules: ["HB4"],
    file: "packages/recall/src/history/fold.ts",
    find: "  kept: keptBelow(move),\n  messages:",
    replace: "  kept: [],\n  messages:",
    run: stories,
  },
  {
    name: "a break that was planned before what was published",
    rules: ["HB6"],
    file: "packages/core/src/session/boundary.ts",
    find: "applied !== null || (inputs",
    replace: "(inputs",
    run: { ...stories, env: { HOLDFAST_RECALL_STORIES: "20", HOLDFAST_RECALL_FROM: "50" } },
  },
  {
    name: "steps that hide what leaves",
    rules: ["HB6"],
    file: "packages/recall/src/pass.ts",
    find: "plain === null || (fitting && tried.encoded.tokens < plain.encoded.tokens)",
    replace: "plain === null",
    run: { ...stories, env: { HOLDFAST_RECALL_STORIES: "20", HOLDFAST_RECALL_FROM: "1380" } },
  },
  {
    name: "a Refresh that tells a part over an input that stays",
    rules: ["HB4"],
    file: "packages/recall/src/history/fold.ts",
    find: "compartments: told, memory",
    replace: "compartments, memory",
    run: tests("packages/recall/test/execute.test.ts"),
  },
  {
    name: "parts rebuilt across the boundary",
    rules: ["HI7", "HB4"],
    file: "packages/recall/src/history/rebuild.ts",
    find: "  if (isRaw(last, window) !== isRaw(one, window)) return false\n",
    replace: "",
    run: tests("packages/recall/test/history/rebuild.test.ts"),
  },
  {
    name: "a replaced part that nobody shows",
    rules: ["HB3"],
    file: "packages/recall/src/slots.ts",
    find: "return knownCompartments(slots).some((id) => !standing.has(id))",
    replace: "return shownTiers(slots).some(({ id }) => !standing.has(id))",
    run: tests("packages/recall/test/history/rebuild.test.ts"),
  },
]
