/** Whether the user's own rules and the tasks can be told from the window after many Folds, with every historian. */
import { expect, test } from "vitest"
import {
  judgeAnswer,
  type HistorianTask,
  prepareTask,
  trigger,
  usageShare,
  writeExtract,
} from "@holdfast/recall"
import type { Message } from "@holdfast/schema/message"
import type { SignalId } from "@holdfast/schema/id"
import { assistant, call, text, user } from "../history.ts"
import { ask, grown, historyOf, planned, publishedTo, type Talk, talk } from "../talk.ts"
import { answers, answersTask, early, middle, tasks, tasksTold } from "./told.ts"

type Writer = (task: HistorianTask) => string

const answerOf = ({ chunk }: HistorianTask, words: string): string => {
  const last = chunk.entries.length
  return `<history><part from="1" to="${last}" title="Work" importance="20" kind="talk"><p1>${words}</p1></part><next>${last + 1}</next></history>`
}

const writers: readonly (readonly [string, Writer | null])[] = [
  ["that needs no model", null],
  ["that writes well", (task) => answerOf(task, "The importer was mended; the totals are right again.")],
  ["that answers junk", () => "Sure! I will now implement it."],
  ["that answers nothing", () => ""],
]

function considered(now: Talk, write: Writer | null): Talk {
  if (write === null) return now
  const { limits } = now
  const inputTokensMax = limits.contextTokens - limits.outputTokens
  const { encoded } = planned(now, { mode: "job" })
  const usedTokens = Math.round(usageShare(encoded.tokens, limits) * inputTokensMax)
  const triggered = trigger({
    messages: now.messages,
    historyEnd: now.historyEnd,
    inputTokensMax,
    usedTokens,
  })
  const { compartments } = historyOf(now)
  const more = { contextTokens: 32_000, compartments, memory: [], history: now.messages }
  const task = triggered && prepareTask({ session: "s", triggered, ...more })
  if (task === null) return now
  const judged = judgeAnswer(task, write(task))
  return publishedTo(now, judged.kind === "taken" ? judged.published : writeExtract(task))
}

/** What tools print is full of names. */
const output = (seq: number, tokens: number): string =>
  Array.from(
    { length: 60 },
    (_, n) => `export const value_${seq}_${n} = load_${seq}("mod${n}.ts", ${seq * n})`,
  )
    .join("\n")
    .padEnd(tokens * 3, "and so on in the log ")

const middleSeq = 141

function lived(contextTokens: number, folds: number, write: Writer | null) {
  const limits = { contextTokens, outputTokens: 4_000, answered: null }
  const first = [...early.messages, tasksTold]
  const mid = middle(middleSeq)
  let all: readonly Message[] = first
  let now = ask(talk(first, { limits })).after
  let folded = 0
  for (let seq = 101; folded < folds; seq += seq === 131 ? 100 : 3) {
    const added = [
      ...(seq === 131 ? mid.messages : []),
      user(seq + (seq === 131 ? 60 : 0), `Continue with batch ${seq}.`),
      assistant(seq + (seq === 131 ? 61 : 1), call(seq, output(seq, contextTokens / 4))),
      assistant(seq + (seq === 131 ? 62 : 2), text(`Batch ${seq} is done.`)),
    ]
    all = [...all, ...added]
    const { pass, after } = ask(considered(grown(now, ...added), write))
    expect(pass.kind).not.toBe("stuck")
    if (pass.kind === "fold") folded += 1
    now = after
  }
  return {
    now,
    all,
    told: [...early.told, ...mid.told].filter(({ seq }) => all.some((one) => one.seq === seq)),
  }
}

const shownBy = ({ frozen: { slots } }: Talk): string => `${slots?.baseline ?? ""}\n${slots?.delta ?? ""}`

function missing({ now, all, told }: ReturnType<typeof lived>): readonly string[] {
  const shown = shownBy(now)
  return [
    ...told.filter((one) => !answers(shown, all, one)).map(({ words }) => words),
    ...tasks.filter((one) => !answersTask(shown, one)).map(({ content }) => content),
  ]
}

test.each(writers)(
  "[HI1 DK1] what the user asked for in any way and tasks can be told from the window after ten Folds with a historian %s",
  (_, write) => {
    expect(missing(lived(40_000, 10, write))).toEqual([])
  },
)

const folds = Number(process.env["HOLDFAST_RECALL_FOLDS"] ?? 30)

test(`[HI1 DK1] and after ${folds} Folds`, () => {
  expect(missing(lived(40_000, folds, null))).toEqual([])
})

test("[HI1 DK1] and in a window of 200,000 tokens", () => {
  expect(missing(lived(200_000, 10, null))).toEqual([])
})

test("[HI1 DK1] and where a person folds by hand", () => {
  const before = lived(40_000, 1, null)
  const { pass, after } = ask(before.now, { signals: ["sig_asked" as SignalId] })
  expect(pass.kind).toBe("fold")
  expect(missing({ ...before, now: after })).toEqual([])
})

test("[HI1 PR7] nothing that a tool, a notice or a hint said is among the user's words", () => {
  const { now, all } = lived(40_000, 10, null)
  const own = new Set(all.flatMap(({ kind, seq }) => (kind === "user" ? [seq] : [])))
  const lines = shownBy(now)
    .split("\n")
    .filter((line) => /^[DU] /.test(line))
  const handles = lines.flatMap((line) => (/^. ((?:#\d+ ?)+)/.exec(line)?.[1] ?? "").match(/\d+/g) ?? [])
  expect(handles.length).toBeGreaterThan(15)
  expect(handles.filter((handle) => !own.has(Number(handle)))).toEqual([])
})
