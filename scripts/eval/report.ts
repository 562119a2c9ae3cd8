/** The figures of a window evaluation, in total and as a table. */
import { addBoth, addFates, type Both, type Counts, type Fate } from "./window.ts"
import { type KeptFigures, noBoth, noFate, type WindowFigures } from "./window.ts"

export interface Report {
  readonly contextTokens: number
  readonly sessions: readonly WindowFigures[]
  readonly total: WindowFigures
  readonly shares: Readonly<Record<Way, Shares>>
}

export const ways = ["recall", "words", "summary", "truncation"] as const
export type Way = (typeof ways)[number]

interface Shares {
  readonly inWindow: number | null
  readonly reachable: number | null
  /** Of what the user or the model had said or a call had asked for. */
  readonly spokenInWindow: number | null
  readonly spokenReachable: number | null
}

export function reportOf(contextTokens: number, sessions: readonly WindowFigures[]): Report {
  const total = totalOf(sessions)
  const shares = Object.fromEntries(
    ways.map((way): [Way, Shares] => {
      const { fate } = total[way]
      return [
        way,
        {
          inWindow: shareOf(fate, "inWindow"),
          reachable: shareOf(fate, "reachable"),
          spokenInWindow: shareOf(fate.spoken, "inWindow"),
          spokenReachable: shareOf(fate.spoken, "reachable"),
        },
      ]
    }),
  ) as Record<Way, Shares>
  return { contextTokens, sessions, total, shares }
}

export const factsOf = ({ inWindow, oneExpand, lost }: Counts): number => inWindow + oneExpand + lost

/** Null where there is nothing to share. */
function shareOf(counts: Counts, what: "inWindow" | "reachable"): number | null {
  const facts = factsOf(counts)
  if (facts === 0) return null
  return (counts.inWindow + (what === "reachable" ? counts.oneExpand : 0)) / facts
}

function totalOf(sessions: readonly WindowFigures[]): WindowFigures {
  const sum = (of: (one: WindowFigures) => number) => sessions.reduce((all, one) => all + of(one), 0)
  const answers = sum((one) => one.answers)
  const kept = (way: Way): KeptFigures => ({
    averageTokens: Math.round(sum((one) => one[way].averageTokens * one.answers) / Math.max(1, answers)),
    fate: sessions.map((one): Fate => one[way].fate).reduce(addFates, noFate),
  })
  const compacted = sessions.some(({ recorded }) => recorded !== null)
  const recorded = (of: "facts" | "lostByAgent" | "lostByRecall") => sum((one) => one.recorded?.[of] ?? 0)
  return {
    name: "together",
    answers,
    cuts: sum((one) => one.cuts),
    recall: kept("recall"),
    truncation: kept("truncation"),
    summary: kept("summary"),
    words: kept("words"),
    recorded: compacted
      ? {
          facts: recorded("facts"),
          lostByAgent: recorded("lostByAgent"),
          lostByRecall: recorded("lostByRecall"),
        }
      : null,
    both: sessions.every(({ both }) => both === null)
      ? null
      : sessions.map(({ both }) => both ?? noBoth).reduce(addBoth, noBoth),
  }
}

/** A column: its two lines of head, how wide it is, and what stands in it. */
type Column = readonly [group: string, head: string, width: number, cell: (one: WindowFigures) => string]

const columns: readonly Column[] = [
  ["", "session", -15, ({ name }) => name],
  ["", "answers", 7, ({ answers }) => `${answers}`],
  ["", "cuts", 4, ({ cuts }) => `${cuts}`],
  ["recall:", "average", 8, ({ recall }) => `${recall.averageTokens}`],
  ["", "facts", 5, ({ recall }) => `${factsOf(recall.fate)}`],
  ["", "window", 7, ({ recall }) => percent(recall.fate, "inWindow")],
  ["", "+expand", 7, ({ recall }) => percent(recall.fate, "reachable")],
  ["", "lost", 4, ({ recall }) => `${recall.fate.lost}`],
  ["spoken:", "facts", 7, ({ recall }) => `${factsOf(recall.fate.spoken)}`],
  ["", "window", 7, ({ recall }) => percent(recall.fate.spoken, "inWindow")],
  ["", "+expand", 7, ({ recall }) => percent(recall.fate.spoken, "reachable")],
  ["words:", "average", 8, ({ words }) => `${words.averageTokens}`],
  ["", "window", 7, ({ words }) => percent(words.fate, "inWindow")],
  ["", "spoken", 7, ({ words }) => percent(words.fate.spoken, "inWindow")],
  ["summary:", "average", 8, ({ summary }) => `${summary.averageTokens}`],
  ["", "window", 7, ({ summary }) => percent(summary.fate, "inWindow")],
  ["truncated:", "average", 10, ({ truncation }) => `${truncation.averageTokens}`],
  ["", "lost", 4, ({ truncation }) => `${truncation.fate.lost}`],
  ["recorded:", "facts", 9, ({ recorded }) => (recorded === null ? "–" : `${recorded.facts}`)],
  ["", "lost", 4, ({ recorded }) => (recorded === null ? "–" : `${recorded.lostByAgent}`)],
  ["", "by recall", 9, ({ recorded }) => (recorded === null ? "–" : `${recorded.lostByRecall}`)],
]

export function tableOf({ contextTokens, sessions, total }: Report): string {
  const row = (cells: readonly string[]) =>
    cells
      .map((cell, at) => {
        const width = columns[at]?.[2] ?? 0
        return width < 0 ? cell.padEnd(-width) : cell.padStart(width)
      })
      .join(" ")
  return [
    `Facts used later whose last mention has left the tail, in a window of ${contextTokens} tokens.`,
    "Spoken: the user or the model had said it, or a call had asked for it; the others only a tool had put out.",
    errorsLine(total),
    "Recorded: what had left the window of the agent itself behind its own compaction.",
    "",
    row(columns.map(([group]) => group)),
    row(columns.map(([, head]) => head)),
    ...[...sessions, total].map((one) => row(columns.map(([, , , cell]) => cell(one)))),
    ...(total.both === null ? [] : ["", bothLine(total.both)]),
  ].join("\n")
}

/** Few answers go back to one, and fewer still once it has left the tail. */
const errorsLine = ({ recall: { fate } }: WindowFigures): string =>
  `Errors that a program put out are ${factsOf(fate.errors)} of them: ${fate.errors.inWindow} in the window, ${fate.errors.oneExpand} one expand away.`

const bothLine = ({ scripted, extractive }: Both): string => {
  const has = (counts: Counts) => `${percent(counts, "inWindow")} and ${percent(counts, "reachable")}`
  return `Of the ${factsOf(scripted)} facts that have left the tail with this historian and with the extractive one: ${has(scripted)} in the window and with one expand, and ${has(extractive)}.`
}

export function percent(counts: Counts, what: "inWindow" | "reachable"): string {
  const share = shareOf(counts, what)
  return share === null ? "–" : `${(100 * share).toFixed(1)} %`
}
