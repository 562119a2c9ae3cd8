/**
 * Strings that are planted in sessions, in what the user says, the model answers and tools put out: search finds each
 * of them, also where the window of the session has long cut or folded it.
 *
 *   HOLDFAST_PLANTED_CALLS   recorded answers played of each session, real ones too (40 of the invented ones)
 */
import { Effect } from "effect"
import { expect, test } from "vitest"
import { makeSearch } from "@holdfast/core/search/search"
import { projectDirectory } from "../stage/virtual.ts"
import { inventedRecordings, type RecordedAnswer, realRecordings } from "./recording.ts"
import { makeScript } from "./script.ts"
import { Stage } from "./stage.ts"

const answersMax = Number(process.env["HOLDFAST_PLANTED_CALLS"] ?? 40)
const contextTokens = 40_000
/** Of the results that search gives, the first. */
const limit = 1

const recordings = process.env["HOLDFAST_PLANTED_CALLS"] === undefined ? [] : realRecordings()

/** Each text gets a string of its own in front; results too, as far as nobody cuts them there. */
function plant(answers: readonly RecordedAnswer[]) {
  const planted: string[] = []
  const mark = (text: string): string => {
    const string = `canary-${planted.length}x${(planted.length * 7919).toString(36)} sang`
    planted.push(string)
    return `${string}\n${text}`
  }
  const marked = answers.map(({ inputs, blocks }) => ({
    inputs: inputs.map(mark),
    blocks: blocks.map((block) => {
      if (block.type === "text") return { ...block, text: mark(block.text) }
      if (block.type !== "call") return block
      return { ...block, call: { ...block.call, result: mark(block.call.result) } }
    }),
  }))
  return { planted, marked }
}

for (const { name, answers } of [...inventedRecordings(), ...recordings]) {
  test(
    `[SE1 SE2] finds every string that was planted in ${name}, whatever left the window`,
    { timeout: 600_000 },
    () => {
      const { planted, marked } = plant(answers.slice(0, answersMax))
      const stage = new Stage(makeScript({ name, answers: marked }, answersMax), {
        seed: 1,
        contextTokens,
        death: null,
      })
      try {
        const session = stage.play()
        expect(session).not.toBeNull()
        const last = stage.outside().sent.at(-1)?.body.toString() ?? ""
        const missing = stage.judge((store) =>
          Effect.filter(planted, (text) =>
            Effect.map(
              makeSearch(store)({ text, projectRoot: projectDirectory, limit }),
              ({ found }) => found[0]?.exact !== true || !found[0].text.includes(text),
            ),
          ),
        )
        expect(missing).toEqual([])
        // A short one of the real sessions fits into the window whole.
        const gone = planted.filter((text) => !last.includes(text))
        if (name.startsWith("invented")) expect(gone).not.toEqual([])
      } finally {
        stage.close()
      }
    },
  )
}
