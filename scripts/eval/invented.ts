/**
 * Coding sessions of our own making for the window evaluation: a user who sets rules early and goes on
 * for hours, files that are read and changed, errors, and later answers that use what was said long
 * before. The same every time.
 */
import type { RecordedAnswer, RecordedCall, Recording } from "../../test/transcripts/recording.ts"
import { World } from "../../test/stage/scheduler.ts"

const areas = ["billing", "ledger", "search", "upload", "session", "webhook", "report", "export"]
const verbs = ["parse", "merge", "flush", "index", "verify", "render", "split", "retry"]
const nouns = ["Invoice", "Cursor", "Shard", "Token", "Batch", "Quota", "Draft", "Window"]

export const inventedSessions = (): readonly Recording[] =>
  [1, 2, 3].map((seed) => ({ name: `coding-${seed}`, answers: answersOf(new World(seed)) }))

const tasks = 60
const stepsPerTask = 5

function answersOf(world: World): readonly RecordedAnswer[] {
  const pick = <A>(from: readonly A[]): A => from[world.below(from.length)] as A
  const name = () => `${pick(verbs)}${pick(nouns)}${world.below(900) + 100}`
  const path = () =>
    `packages/${pick(areas)}/src/${pick(verbs)}-${pick(nouns).toLowerCase()}-${world.below(90)}.ts`
  const known: { readonly path: string; readonly name: string; readonly port: number }[] = []
  const answers: RecordedAnswer[] = []
  for (let task = 0; task < tasks; task++) {
    const fact = { path: path(), name: name(), port: 10_000 + world.below(50_000) }
    // Every third task goes back to something that was settled long before.
    const old = task > 5 && task % 3 === 0 ? known[world.below(Math.max(1, known.length - 4))] : undefined
    known.push(fact)
    answers.push({
      inputs: [
        old === undefined
          ? `Add ${fact.name} to ${fact.path}. It must listen on port ${fact.port}, never on another one.`
          : `Now look again at what we did with ${old.name}; make ${fact.name} in ${fact.path} agree with it.`,
      ],
      blocks: [
        { type: "text", text: `I will look at ${fact.path} first.` },
        { type: "call", call: read(fact.path, code(world, name)) },
      ],
    })
    for (let step = 1; step < stepsPerTask; step++) {
      const used = old ?? fact
      answers.push({ inputs: [], blocks: [{ type: "call", call: stepOf(world, step, fact, used, name) }] })
    }
    const end = old === undefined ? "" : ` It follows ${old.path} on port ${old.port}.`
    answers.push({
      inputs: [],
      blocks: [{ type: "text", text: `${fact.name} is in place and the tests pass.${end}` }],
    })
  }
  return answers
}

interface Known {
  readonly path: string
  readonly name: string
  readonly port: number
}

function stepOf(world: World, step: number, fact: Known, used: Known, name: () => string): RecordedCall {
  if (step === 1)
    return { name: "grep", input: { pattern: used.name }, result: code(world, name), failed: false }
  if (step === 2)
    return {
      name: "edit",
      input: { path: fact.path, old: "// todo", new: `export const ${fact.name} = listen(${used.port})` },
      result: `Edited ${fact.path}.`,
      failed: false,
    }
  const failed = step === 3 && world.below(2) === 0
  const command = `npx vitest run ${fact.path.replace("src", "test")}`
  const result = failed
    ? `Error: ${fact.name} is not a function\n    at ${fact.path}:${world.below(300)}`
    : `ok ${world.below(90)} tests`
  return { name: "bash", input: { command }, result, failed }
}

const read = (path: string, result: string): RecordedCall => ({
  name: "read",
  input: { path },
  result,
  failed: false,
})

const code = (world: World, name: () => string): string =>
  Array.from(
    { length: 40 + world.below(80) },
    (_, line) => `${line + 1}: const ${name()} = ${name()}(${world.below(1_000)})`,
  ).join("\n")
