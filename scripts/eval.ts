/**
 * `npm run eval -- window [--data FILE…] [--window TOKENS] [--json]`: how much of what is used later a
 * small window still holds. Without files, the sessions of the repository and those beside it.
 */
import { parseArgs } from "node:util"
import type { CallId, MessageId, PromptId, TurnId } from "@holdfast/schema/id"
import type { Message, Part } from "@holdfast/schema/message"
import { inventedRecordings, readRecording, realRecordings } from "../test/transcripts/recording.ts"
import type { Recording } from "../test/transcripts/recording.ts"
import { boundOutput, outputLimitsDefault } from "@holdfast/core/tools/index"
import { addFates, evaluateWindow, type Fate, noFate, type WindowFigures } from "./eval/window.ts"
import { inventedSessions } from "./eval/invented.ts"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: "string", multiple: true },
    window: { type: "string", default: "60000" },
    json: { type: "boolean", default: false },
  },
})

if (positionals[0] !== "window") {
  console.error("There is one evaluation: npm run eval -- window [--data FILE…] [--window TOKENS] [--json]")
  process.exit(2)
}

const files = [...(values.data ?? []), ...positionals.slice(1)]
const recordings: readonly Recording[] =
  files.length > 0
    ? files.map(readRecording)
    : [...inventedSessions(), ...inventedRecordings(), ...realRecordings()]
const contextTokens = Number(values.window)
const figures = recordings.map((recording) =>
  evaluateWindow(recording.name, messagesOf(recording), contextTokens),
)
if (values.json)
  console.log(JSON.stringify({ contextTokens, sessions: figures, total: totalOf(figures) }, null, 2))
else print(figures)

/** As the runtime would record it. */
function messagesOf({ answers }: Recording): readonly Message[] {
  const messages: Message[] = []
  let calls = 0
  const base = () => ({ id: `msg_${messages.length + 1}` as MessageId, seq: messages.length + 1 })
  for (const { inputs, blocks } of answers) {
    for (const text of inputs)
      messages.push({ ...base(), kind: "user", prompt: `p${messages.length}` as PromptId, text })
    const parts = blocks.flatMap((block): Part[] => {
      if (block.type === "text") return [{ type: "text", text: block.text, interrupted: false }]
      if (block.type !== "call") return []
      const { name, input, result, failed } = block.call
      const state = failed ? "failed" : "done"
      const output = boundOutput(result, outputLimitsDefault).text
      const outcome = { state, output, truncated: null, errorCode: null } as const
      const call = `call_${(calls += 1)}` as CallId
      return [{ type: "call", call, nativeId: call, name, input, state, outcome }]
    })
    const indexed = parts.map((part, index) => ({ index, part }))
    messages.push({ ...base(), kind: "assistant", turn: `trn_${messages.length}` as TurnId, parts: indexed })
  }
  return messages
}

function totalOf(all: readonly WindowFigures[]) {
  const recall = all.map((one) => one.recall).reduce(addFates, noFate)
  const truncation = all.map((one) => one.truncation as Fate).reduce(addFates, noFate)
  return { recall: { ...recall, ...shares(recall) }, truncation }
}

function facts({ inWindow, oneExpand, lost }: Fate["spoken"]): number {
  return inWindow + oneExpand + lost
}

function shares(fate: Fate["spoken"]) {
  const all = Math.max(1, facts(fate))
  return { inWindowShare: fate.inWindow / all, reachableShare: (fate.inWindow + fate.oneExpand) / all }
}

function print(all: readonly WindowFigures[]): void {
  console.log(`Facts used later whose last mention has left the tail, window of ${contextTokens} tokens\n`)
  console.log(
    "session            answers  cuts  average   facts  in window  or one expand   lost │  spoken  in window  or one expand │ truncated: average    lost",
  )
  for (const one of all) console.log(line(one.name, one, one.recall, one.truncation))
  const total = totalOf(all)
  const sum = (of: (one: WindowFigures) => number) => all.reduce((tokens, one) => tokens + of(one), 0)
  const answers = Math.max(
    1,
    sum((one) => one.answers),
  )
  const average = (of: (one: WindowFigures) => number) =>
    Math.round(sum((one) => of(one) * one.answers) / answers)
  const whole = {
    answers: sum((one) => one.answers),
    cuts: sum((one) => one.cuts),
    averageTokens: average((one) => one.averageTokens),
  }
  const cut = { ...total.truncation, averageTokens: average((one) => one.truncation.averageTokens) }
  console.log(line("together", whole, total.recall, cut))
}

function line(
  name: string,
  { answers, cuts, averageTokens }: Pick<WindowFigures, "answers" | "cuts" | "averageTokens">,
  fate: Fate,
  truncation: WindowFigures["truncation"],
): string {
  return [
    name.padEnd(18),
    String(answers).padStart(7),
    String(cuts).padStart(5),
    String(averageTokens).padStart(8),
    String(facts(fate)).padStart(7),
    percentOf(fate, "inWindowShare").padStart(10),
    percentOf(fate, "reachableShare").padStart(14),
    String(fate.lost).padStart(6),
    "│",
    String(facts(fate.spoken)).padStart(7),
    percentOf(fate.spoken, "inWindowShare").padStart(10),
    percentOf(fate.spoken, "reachableShare").padStart(14),
    "│",
    String(truncation.averageTokens).padStart(18),
    String(truncation.lost).padStart(7),
  ].join(" ")
}

function percentOf(fate: Fate["spoken"], share: "inWindowShare" | "reachableShare"): string {
  return facts(fate) === 0 ? "–" : `${(100 * shares(fate)[share]).toFixed(1)} %`
}
