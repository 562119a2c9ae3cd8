/**
 * A script: the recording as the model, the tools and the user that a runtime meets.
 *
 * The model plays the recorded answers in order; which one is due follows from the turns on record,
 * so an answer that a crash cut off is played again. A tool gives back what was recorded for its
 * input. What the user said while tools ran is admitted by the tool that ran then.
 */
import { Effect } from "effect"
import type { Reply, ReplyBlock } from "@holdfast/provider-sim"
import type { Json } from "@holdfast/schema/json"
import { type Tool, ToolFailure } from "@holdfast/core/tools/index"
import { callsOf, type RecordedAnswer, type RecordedCall, type Recording } from "./recording.ts"

export interface ScriptedInput {
  readonly id: string
  readonly text: string
}

/** Inputs that are sent together while nothing runs. */
export type Round = readonly ScriptedInput[]

export interface Script {
  readonly answers: readonly RecordedAnswer[]
  readonly rounds: readonly Round[]
  /** What the user says while the calls of an answer run, by the answer's index. */
  readonly steers: ReadonlyMap<number, Round>
}

export function makeScript(recording: Recording, answersMax: number): Script {
  const answers = recording.answers.slice(0, answersMax)
  const rounds: Round[] = []
  const steers = new Map<number, Round>()
  for (const [at, answer] of answers.entries()) {
    if (answer.inputs.length === 0) continue
    const inputs = answer.inputs.map((text, n) => ({ id: `input-${at}-${n}`, text }))
    const before = answers[at - 1]
    if (before !== undefined && callsOf(before).length > 0) steers.set(at - 1, inputs)
    else rounds.push(inputs)
  }
  return { answers, rounds, steers }
}

const chunkChars = 2_000
const framesPerWrite = 8

/** What the model says when it is asked for more than was recorded. */
export const lastWords = "There is nothing more on record."

export function replyOf(answer: RecordedAnswer | undefined): Reply {
  const blocks: readonly ReplyBlock[] =
    answer === undefined
      ? [{ type: "text", text: lastWords }]
      : answer.blocks.map((block) =>
          block.type === "call"
            ? { type: "tool_use", name: block.call.name, input: block.call.input }
            : block,
        )
  // A count of its own keeps the provider from cutting the answer at the output limit.
  return { blocks, chunkChars, framesPerWrite, outputTokens: 1 }
}

export interface ToolHooks {
  /** Index of the answer that is being played. */
  readonly playing: () => number
  readonly delayMs: () => number
  readonly onStart: (callId: string) => void
  readonly steer: (input: ScriptedInput) => Effect.Effect<void>
}

export function scriptTools(script: Script, hooks: ToolHooks): readonly Tool[] {
  const calls = script.answers.flatMap((answer, at) => callsOf(answer).map((call) => ({ at, call })))
  const byInput = Map.groupBy(calls, ({ call }) => keyOf(call.name, call.input))
  const names = [...new Set(calls.map(({ call }) => call.name))]
  return names.map((name) => ({
    name,
    description: `Gives back what was recorded for ${name}.`,
    inputSchema: { type: "object", properties: {} },
    repeatable: false,
    run: Effect.fnUntraced(function* (input: Json, context) {
      hooks.onStart(context.callId)
      const playing = hooks.playing()
      yield* Effect.sleep(hooks.delayMs())
      const found = byInput.get(keyOf(name, input))?.find(({ at }) => at === playing)
      if (found === undefined) return yield* Effect.die(`no record of ${keyOf(name, input).slice(0, 200)}`)
      yield* Effect.forEach(script.steers.get(found.at) ?? [], hooks.steer, { discard: true })
      return yield* resultOf(found.call)
    }),
  }))
}

const keyOf = (name: string, input: Json): string => `${name} ${JSON.stringify(input)}`

const resultOf = ({ result, failed }: RecordedCall) =>
  failed
    ? Effect.fail(new ToolFailure({ code: "recorded", message: result }))
    : Effect.succeed({ text: result })
