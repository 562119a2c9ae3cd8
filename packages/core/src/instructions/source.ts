/**
 * Instructions source: all instruction files in force, as one Context Source.
 *
 * One aggregate, not one source per file: their order is part of their meaning, and a change of one
 * restates the set so that the model never has to merge two lists (IN2). An emptied set loads as
 * absent, which emits the removal text stored when the set was admitted (SC8).
 */
import { Effect, Schema } from "effect"
import { singleLine } from "../context/single-line.ts"
import { absent, make, unavailable, type SystemContext, type Unavailable } from "../context/system-context.ts"
import { discoverInstructions, type Instruction, type InstructionSettings } from "./discovery.ts"

export const instructionsKey = "core/instructions"

/** The files are found and read anew at each observation. */
export const instructionsSource = (settings: InstructionSettings): SystemContext =>
  sourceOfInstructions(discoverInstructions(settings))

export function sourceOfInstructions(
  discovered: Effect.Effect<readonly Instruction[] | Unavailable>,
): SystemContext {
  return make({
    key: instructionsKey,
    codec: InstructionSet,
    mayBeUnavailable: true,
    load: Effect.map(discovered, (found) => {
      if (found === unavailable) return unavailable
      return found.length === 0 ? absent : found
    }),
    baseline: (set) => `${baselineIntroduction}\n\n${fileBlocks(set)}`,
    update: (set) => `${updateIntroduction}\n\n${fileBlocks(set)}`,
    removal: () => removalText,
  })
}

export const InstructionSet = Schema.Array(Schema.Struct({ path: Schema.String, text: Schema.String }))

const order = "They go from the most general to the most specific; where two disagree, follow the later one."
const baselineIntroduction = `Follow the instructions in these files. ${order}`
const updateIntroduction = `The instruction files have changed. The complete set below supersedes every set given earlier. ${order}`
const removalText =
  "The instruction files given earlier no longer apply, and no others have taken their place."

function fileBlocks(set: readonly Instruction[]): string {
  return set.map(({ path, text }) => `## ${singleLine(path)}\n\n${text}`).join("\n\n")
}
