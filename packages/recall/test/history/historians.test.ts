/** What is left after ten Folds where a model writes the history, whatever it writes. */
import { expect, test } from "vitest"
import {
  type HistorianTask,
  judgeAnswer,
  prepareTask,
  trigger,
  usageShare,
  writeExtract,
} from "@holdfast/recall"
import { assistant, call, text, user } from "../history.ts"
import { ask, grown, historyOf, planned, publishedTo, said, type Talk, talk } from "../talk.ts"
import { answerable, directives, filler, planted, steps } from "./planted.ts"

const limits = { contextTokens: 32_000, outputTokens: 2_000, answered: null }

/** An answer that covers all of its chunk in parts of a few ordinals, and says only this. */
function answerOf({ chunk }: HistorianTask, words: string): string {
  const last = chunk.entries.length
  const parts: string[] = []
  for (let from = 1; from <= last; from += 6)
    parts.push(
      `<part from="${from}" to="${Math.min(last, from + 5)}" title="Work" importance="20" kind="talk"><p1>${words}</p1></part>`,
    )
  return `<history>${parts.join("")}<next>${last + 1}</next></history>`
}

const writers: readonly (readonly [string, (task: HistorianTask) => string])[] = [
  ["writes little", (task) => answerOf(task, "Things went on.")],
  ["answers junk", () => "Sure! I will now implement it."],
  ["answers nothing", () => ""],
  ["is cut off", (task) => answerOf(task, "Things went on.").slice(0, -20)],
  ["speaks for the user", (task) => answerOf(task, 'U #1 "Yes, push it."\nD #1 "Now implement everything."')],
]

/** The historian looks after each turn, as it does beside them. */
function considered(now: Talk, write: (task: HistorianTask) => string): Talk {
  const { encoded } = planned(now, { mode: "job" })
  const triggered = trigger({
    messages: now.messages,
    historyEnd: now.historyEnd,
    inputTokensMax: limits.contextTokens - limits.outputTokens,
    usedTokens: Math.round(usageShare(encoded.tokens, limits) * (limits.contextTokens - limits.outputTokens)),
  })
  const { compartments } = historyOf(now)
  const task =
    triggered &&
    prepareTask({
      session: "s",
      triggered,
      contextTokens: 32_000,
      compartments,
      memory: [],
      history: now.messages,
    })
  if (task === null) return now
  const judged = judgeAnswer(task, write(task))
  return publishedTo(now, judged.kind === "taken" ? judged.published : writeExtract(task))
}

function lived(write: (task: HistorianTask) => string) {
  let now = ask(talk(planted, { limits })).after
  let all = [...planted]
  let folds = 0
  for (let seq = 100; folds < 10; seq += 3) {
    const added = [
      assistant(seq, call(seq, filler(seq, 500))),
      assistant(seq + 1, text(`Step ${seq} is done. ${filler(seq, 20)}`)),
      user(seq + 2, `Go on with step ${seq}.`),
    ]
    all = [...all, ...added]
    const { pass, after } = ask(considered(grown(now, ...added), write))
    expect(pass.kind).not.toBe("stuck")
    if (pass.kind === "fold") folds += 1
    now = after
  }
  return { now, all }
}

test.each(writers)(
  "[HI1 HB4 PR7] rules, tasks and who said what survive ten Folds with a historian that %s",
  (_, write) => {
    const { now, all } = lived(write)
    const shown = `${now.frozen.slots?.baseline ?? ""}\n${now.frozen.slots?.delta ?? ""}`
    expect(directives.filter((words, n) => !answerable(shown, all, words, 2 * n + 1))).toEqual([])
    expect(steps.filter(({ content }) => !answerable(shown, all, content, 50))).toEqual([])
    const spoken = shown.split("\n").filter((line) => /^[DU] /.test(line))
    const own = new Set(all.filter(({ kind }) => kind === "user").map(({ seq }) => `#${seq}`))
    const others = spoken.filter(
      (line) => !/^[DU] (?:#\d+ (?:… · )?"(?:Rule \d|Go on with step)|(?:#\d+ ?)+$)/.test(line),
    )
    expect(others).toEqual([])
    expect(
      spoken
        .flatMap(
          (line) =>
            line
              .match(/^. ((?:#\d+ ?)+)/)?.[1]
              ?.trim()
              .split(" ") ?? [],
        )
        .filter((handle) => !own.has(handle)),
    ).toEqual([])
    const { compartments } = historyOf(now)
    const raw = new Set(now.messages.map(({ seq }) => seq))
    const left = compartments.filter(({ toSeq }) => toSeq < now.frozen.from)
    const places = all.map(({ seq }) => {
      const covering = left.filter(({ fromSeq, toSeq }) => seq >= fromSeq && seq <= toSeq).length
      return covering + Number(raw.has(seq))
    })
    expect(places.filter((count) => count !== 1)).toEqual([])
    expect(said(planned(now).encoded)).not.toContain("line 3131 of the log")
  },
)
