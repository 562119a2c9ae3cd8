/** Lies about sources: their algebra, the registry, the built-in ones and instructions. */
import { type Mutant, tests } from "./mutant.ts"

const folder = "packages/core/test/context"
const generation = tests(`${folder}/generation.test.ts`)
const algebra = tests(`${folder}/system-context.test.ts`)
const observation = tests(`${folder}/observation.test.ts`)
const registry = tests(`${folder}/registry.test.ts`)
const builtin = tests(`${folder}/builtin.test.ts`)
const instructions = tests("packages/core/test/instructions/source.test.ts")

export const contextMutants: readonly Mutant[] = [
  {
    name: "an address that does not answer takes its text back",
    rules: ["IN4"],
    file: "packages/core/src/host/fetched-instructions.ts",
    find: "known: known !== null })\n      return known",
    replace: "known: known !== null })\n      return null",
    run: tests("packages/core/test/host/fetched-instructions.test.ts"),
  },
  {
    name: "addresses before configured files",
    rules: ["IN1"],
    file: "packages/core/src/host/configured-instructions.ts",
    find: "return [...named,",
    replace: "return [...(yield* fetched), ...named,",
    run: tests("packages/core/test/host/fetched-instructions.test.ts"),
  },
  {
    name: "instructions of a place that was left",
    rules: ["IN3"],
    file: "packages/core/src/instructions/nested.ts",
    find: "seq > summary.movedSeq",
    replace: "seq > 0",
    run: tests("packages/core/test/host/nested-instructions.test.ts"),
  },
  {
    name: "skills in the user's home are not looked for",
    rules: ["SK1"],
    file: "packages/core/src/markdown/places.ts",
    find: "[own, ...others]",
    replace: "[own]",
    run: tests("packages/core/test/skills/skills.test.ts"),
  },
  {
    name: "skills before what is registered",
    rules: ["SK3"],
    file: "packages/core/src/host/samples.ts",
    find: "combine([registered, skills(location.projectRoot, agent, rules)])",
    replace: "combine([skills(location.projectRoot, agent, rules), registered])",
    run: tests("packages/core/test/skills/skills.test.ts"),
  },
  {
    name: "plan is offered what writes",
    rules: ["TL6"],
    file: "packages/core/src/agent/definition.ts",
    find: '(!readOnly || tool.readOnly === true || tool.name === "bash")',
    replace: "true",
    run: tests("packages/core/test/agent/agents.test.ts"),
  },
  {
    name: "a project takes a built-in name",
    rules: ["TL6"],
    file: "packages/core/src/agent/load.ts",
    find: 'before.origin === "built-in" && origin === "user"',
    replace: 'before.origin === "built-in"',
    run: tests("packages/core/test/agent/agents.test.ts"),
  },
  {
    name: "an agent overrules the model of the Session",
    rules: ["CA3"],
    file: "packages/core/src/session/look.ts",
    find: "model ?? agent.model ?? null",
    replace: "agent.model ?? model",
    run: tests("test/session/models/agents.test.ts"),
  },
  {
    name: "the agent in force is chosen again",
    rules: ["CO4"],
    file: "packages/core/src/caller/change.ts",
    find: "agent !== undefined && agent !== row.agent && { agent }",
    replace: "agent !== undefined && { agent }",
    run: tests("test/session/models/agents.test.ts"),
  },
  {
    name: "the value itself in the snapshot",
    rules: ["SC1"],
    file: "packages/core/src/context/system-context.ts",
    find: "    const encoded = encode(value)\n",
    replace: "    encode(value)\n    const encoded = JSON.parse(JSON.stringify(value)) as Json\n",
    run: algebra,
  },
  {
    name: "the later of two sources wins",
    rules: ["SC2"],
    file: "packages/core/src/context/system-context.ts",
    find: "  if (duplicate !== undefined) throw duplicate\n",
    replace: "",
    run: algebra,
  },
  {
    name: "sources in order of their keys",
    rules: ["SC3"],
    file: "packages/core/src/context/system-context.ts",
    find: "compose(contexts.flatMap((context) => context[sealedSources]))",
    replace:
      "compose(contexts.flatMap((context) => context[sealedSources]).sort((a, b) => (a.key < b.key ? -1 : 1)))",
    run: algebra,
  },
  {
    name: "only the first unavailable key",
    rules: ["SC4"],
    file: "packages/core/src/context/generation.ts",
    find: 'Result.succeed({ kind: "blocked", keys })',
    replace: 'Result.succeed({ kind: "blocked", keys: keys.slice(0, 1) })',
    run: generation,
  },
  {
    name: "a withdrawal that stays in the snapshot",
    rules: ["SC5", "SC8"],
    file: "packages/core/src/context/generation.ts",
    find: "changes: Object.fromEntries(said.map(({ key, entry }) => [key, entry])),",
    replace:
      "changes: Object.fromEntries(said.flatMap(({ key, entry }) => (entry === null ? [] : [[key, entry]]))),",
    run: tests(`${folder}/generation.test.ts`, `${folder}/generation.property.test.ts`),
  },
  {
    name: "a newcomer told as a change",
    rules: ["SC6"],
    file: "packages/core/src/context/generation.ts",
    find: 'unavailable ? undefined : say(source.key, "baseline", loaded)',
    replace: 'unavailable ? undefined : say(source.key, "update", loaded)',
    run: generation,
  },
  {
    name: "values compared as text",
    rules: ["SC7"],
    file: "packages/core/src/context/generation.ts",
    find: "return equalJson(stored.value, loaded.encoded) ?",
    replace: "return JSON.stringify(stored.value) === JSON.stringify(loaded.encoded) ?",
    run: generation,
  },
  {
    name: "unavailable taken for absent",
    rules: ["SC8"],
    file: "packages/core/src/context/generation.ts",
    find: `  if (loaded === unavailable) return undefined
  if (loaded === absent)`,
    replace: "  if (loaded === unavailable || loaded === absent)",
    run: generation,
  },
  {
    name: "a farewell made up",
    rules: ["SC9"],
    file: "packages/core/src/context/generation.ts",
    find: 'removal === undefined ? incompatible : { kind: "withdraw", key, removal }',
    replace: '({ kind: "withdraw", key, removal: removal ?? `${key} no longer applies.` })',
    run: generation,
  },
  {
    name: "an unreadable value told as a change",
    rules: ["SC10"],
    file: "packages/core/src/context/generation.ts",
    find: "  if (Option.isNone(stored)) return incompatible // SC10\n",
    replace: `  if (Option.isNone(stored)) {
    return loaded === absent || loaded === unavailable ? undefined : say(source.key, "update", loaded)
  }
`,
    run: generation,
  },
  {
    name: "a replacement that does not wait",
    rules: ["SC11"],
    file: "packages/core/src/context/generation.ts",
    find: ".filter((key) => snapshot[key] !== undefined)",
    replace: ".filter((key) => snapshot[key] === undefined)",
    run: generation,
  },
  {
    name: "hint of the old date",
    rules: ["SC12"],
    file: "packages/core/src/context/builtin.ts",
    find: "`The date has changed: today is ${weekday}, ${date}.`",
    replace:
      '`The date has changed from ${calendarOf("UTC")(Date.parse(date) - 86_400_000).date}: today is ${weekday}, ${date}.`',
    run: builtin,
  },
  {
    name: "empty removal",
    rules: ["SC13"],
    file: "packages/core/src/context/generation.ts",
    find: 'typeof text === "string" && text.trim() !== ""',
    replace: 'typeof text === "string" && (renderer === "removal" || text.trim() !== "")',
    run: generation,
  },
  {
    name: "an empty Baseline segment",
    rules: ["SC14"],
    file: "packages/llm/src/request/lowering.ts",
    find: "isBlank(segments[segment]) ? [] : [one(segment, segments[segment], by)],",
    replace: "[one(segment, segments[segment], by)],",
    run: tests("packages/llm/test/encode.test.ts"),
  },
  {
    name: "unavailable without being declared so",
    rules: ["SC15"],
    file: "packages/core/src/context/observation.ts",
    find: "  if (loaded === unavailable && !mayBeUnavailable) {",
    replace: "  if (loaded === unavailable && mayBeUnavailable === undefined) {",
    run: observation,
  },
  {
    name: "order of arrival",
    rules: ["RG1"],
    file: "packages/core/src/context/registry.ts",
    find: "[...all.keys()].sort().map(",
    replace: "[...all.keys()].map(",
    run: registry,
  },
  {
    name: "a source by the path that was given",
    rules: ["RG1"],
    file: "packages/core/src/host/samples.ts",
    find: "yield* hold(location.directory)",
    replace: "yield* hold(directory)",
    run: tests("packages/sdk/test/capabilities.test.ts"),
  },
  {
    name: "a registry that tells of changes",
    rules: ["RG3"],
    file: "packages/core/src/context/registry.ts",
    find: "    current: currentOver([]),",
    replace: "    ...{ onChange: (_: () => void) => {} },\n    current: currentOver([]),",
    run: registry,
  },
  {
    name: "a hook on the Baseline",
    rules: ["RG4"],
    file: "packages/core/src/context/index.ts",
    find: 'export { singleLine } from "./single-line.ts"\n',
    replace: `export { singleLine } from "./single-line.ts"
export const rewriteBaseline = (baseline: string, hook: (text: string) => string): string => hook(baseline)
`,
    run: registry,
  },
  {
    name: "the date of Greenwich",
    rules: ["BS1"],
    file: "packages/core/src/context/builtin.ts",
    find: "  const year = parts.get(",
    replace: `  if (timeZone === undefined || timeZone !== "") {
    return { date: new Date(nowMs).toISOString().slice(0, 10), weekday: parts.get("weekday")! }
  }
  const year = parts.get(`,
    run: builtin,
  },
  {
    name: "whatever the port says of the environment",
    rules: ["BS2"],
    file: "packages/core/src/context/builtin.ts",
    find: "    codec: EnvironmentFacts,\n",
    replace: "    codec: Schema.Any as never,\n",
    run: builtin,
  },
  {
    name: "a symlink out of the project",
    rules: ["IN1"],
    file: "packages/core/src/instructions/discovery.ts",
    find: "allows(candidate, real)",
    replace: "allows(candidate, path)",
    run: tests("packages/core/test/instructions/node-files.process.test.ts"),
  },
  {
    name: "instructions from the Location up",
    rules: ["IN1"],
    file: "packages/core/src/instructions/discovery.ts",
    find: "    ...directoriesDown(root, location).flatMap(",
    replace: "    ...directoriesDown(root, location).toReversed().flatMap(",
    run: instructions,
  },
  {
    name: "a second set beside the first",
    rules: ["IN2"],
    file: "packages/core/src/instructions/source.ts",
    find: "`${updateIntroduction}\\n\\n${fileBlocks(set)}`",
    replace: "`${baselineIntroduction}\\n\\n${fileBlocks(set)}`",
    run: instructions,
  },
]
