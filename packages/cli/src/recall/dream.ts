/** `holdfast dream`: what is remembered of a project is kept small and true, and what that changed (DM1, SU4). */
import type {
  DreamDifference,
  DreamedChange,
  DreamReport,
  DreamRun,
  HoldfastClient,
  RevertedDream,
} from "@holdfast/sdk"
import { age, clip, count, money } from "../figures.ts"
import { pasteable } from "../hint.ts"
import { refuseInCalls, withProject } from "../memory/options.ts"
import type { Opened, SharedOptions } from "../opened.ts"
import { exitCode } from "../outcome/exit-code.ts"
import { UsageError } from "../outcome/outcome.ts"
import { untilStopped } from "../outcome/stopping.ts"
import { printable, type Terminal } from "../terminal.ts"
import { differentLines } from "./line-difference.ts"

export interface DreamOptions extends SharedOptions {
  readonly dryRun?: boolean
}

/** What a model is asked costs money, so that a call of an agent cannot begin it. */
export async function dreamNow(terminal: Terminal, options: DreamOptions): Promise<number> {
  const { dryRun = false } = options
  if (!dryRun) await refuseInCalls(terminal)
  const run = async ({ dreams }: HoldfastClient, directory: string, opened: Opened) => {
    const beganAt = Date.now()
    const report = await untilStopped(terminal, {
      opened,
      json: options.json,
      work: () => dreams.run({ directory, dryRun }),
      soFar: async () => stoppedRunText((await dreams.list({ directory })).runs, beganAt),
    })
    if (report === null) return exitCode.interrupted
    terminal.write(
      options.json === true
        ? `${JSON.stringify(report)}\n`
        : `${pasteable(dreamText(terminal, report), options)}\n`,
    )
    return report.outcome === "done" || report.outcome === "planned" ? 0 : 1
  }
  return withProject(terminal, options, run, dryRun ? "look" : "work")
}

/** Of the newest run, if it is the one that was stopped. */
export function stoppedRunText([newest]: readonly DreamRun[], beganAt: number): string {
  const ours = newest !== undefined && newest.outcome === null && newest.startedAt >= beganAt - clockMs
  const made = ours ? (newest.changes ?? 0) : 0
  if (!ours || made === 0) return "Nothing was changed. Repeat the command to begin again."
  return `${count(made, "change")} ${made === 1 ? "is" : "are"} made and ${made === 1 ? "stays" : "stay"}. Repeat the command to go on, or take it back: holdfast dream revert ${newest.run}`
}

/** A server may run on a clock of its own. */
const clockMs = 60_000

export const listDreams = (terminal: Terminal, options: SharedOptions): Promise<number> =>
  withProject(terminal, options, async ({ dreams }, directory) => {
    const { runs } = await dreams.list({ directory })
    const now = Date.now()
    if (options.json === true) for (const run of runs) terminal.write(`${JSON.stringify(run)}\n`)
    else if (runs.length === 0) terminal.write("The dreamer has not run in this project yet.\n")
    else terminal.write(`${runs.map((run) => runLine(run, now)).join("\n")}\n`)
  })

export const showDream = (terminal: Terminal, run: string, options: SharedOptions): Promise<number> =>
  withProject(terminal, options, async ({ dreams }, directory) => {
    const detail = await dreams.get({ runID: run, directory })
    if (options.json === true) return terminal.write(`${JSON.stringify(detail)}\n`)
    const lines = detail.differences.map((one) => changeText(terminal, one))
    const over = detail.differences.length === 0 || detail.run.takenBack === true
    const end = over ? [] : [`Take it back: holdfast dream revert ${run}`]
    const failed = undone(detail.run.tasks, false)
    const text = [runLine(detail.run, Date.now()), ...lines, ...failed, ...end].join("\n")
    terminal.write(`${pasteable(text, options)}\n`)
  })

export async function revertDream(
  terminal: Terminal,
  run: string,
  only: readonly string[],
  options: SharedOptions,
): Promise<number> {
  await refuseInCalls(terminal)
  return withProject(terminal, options, async ({ dreams }, directory) => {
    if (only.length > 0) refuseUnknown(run, only, (await dreams.get({ runID: run, directory })).differences)
    const reverted = await dreams.revert({
      runID: run,
      directory,
      ...(only.length === 0 ? {} : { only }),
    })
    terminal.write(
      options.json === true
        ? `${JSON.stringify(reverted)}\n`
        : `${pasteable(revertedText(reverted, only), options)}\n`,
    )
  })
}

const known = (memories: number): string => `${count(memories)} ${memories === 1 ? "memory" : "memories"}`

const textCharactersMax = 160

function dreamText(terminal: Terminal, report: DreamReport): string {
  const { run, outcome, changes, flags, tasks, memoriesBefore, memoriesAfter, cost } = report
  if (outcome === "elsewhere")
    return "Another process is tending memory in this store. Try again when it is done."
  const planned = outcome === "planned"
  const lines = changes.map((change) => changeText(terminal, change))
  const flagged = flags.map(
    ({ memory, text, reason }) =>
      `${terminal.paint("yellow", "look at")} ${memory} ${shown(text)} (${shown(reason)})`,
  )
  const failed = undone(tasks, planned)
  const asked = tasks.filter(({ task }) => task !== "tidy").map(({ task }) => task)
  const end = planned
    ? `${known(memoriesBefore)}, ${count(changes.length, "change")} planned; nothing was changed.${
        asked.length === 0 ? "" : ` A run would ask a model to ${asked.join(", ")} too.`
      }`
    : `${known(memoriesBefore)} before, ${count(memoriesAfter)} now; ${count(changes.length, "change")} for ${cost === null ? "an unknown price" : money(cost)}.${
        run === null || changes.length === 0 ? "" : ` Take it back: holdfast dream revert ${run}`
      }`
  return [...lines, ...flagged, ...failed, end].join("\n")
}

/** What tasks failed at or had to leave, and which were left out. */
export function undone(tasks: DreamReport["tasks"], planned: boolean): readonly string[] {
  const left = planned
    ? "more, which one run may not do: they follow with later runs"
    : "beyond what one run may do, or no longer possible"
  const told = tasks.flatMap(({ task, outcome, reason, refused }) => {
    if (outcome === "failed") return [`${task} failed: ${shown(reason ?? "")}`]
    if (refused === 0) return []
    const why = reason === null || outcome !== "done" ? left : `left out: ${shown(reason)}`
    return [`${task}: ${count(refused, "change")} ${why}.`]
  })
  const skipped = planned ? [] : tasks.filter(({ outcome }) => outcome === "skipped")
  const groups = Map.groupBy(skipped, ({ reason }) => reason ?? "")
  return [
    ...told,
    ...[...groups].map(
      ([reason, group]) => `${group.map(({ task }) => task).join(", ")} left out: ${shown(reason)}`,
    ),
  ]
}

type Shown = DreamDifference & { readonly task?: DreamedChange["task"] }

function changeText(terminal: Terminal, { task, kind, of, before, after, made, reason }: Shown): string {
  const why = reason === "" ? "" : ` (${shown(reason)})`
  const into = made === undefined ? "" : ` into ${made.join(", ")}`
  const from = task === undefined ? "" : ` ${terminal.paint("dim", task)}`
  const named = of.join(", ")
  const title = terminal.paint("bold", kind)
  const head = {
    sign: "",
    text: `${title}${named === kind || named === "" ? "" : ` ${printable(named)}`}${into}${why}${from}`,
  } as const
  return [head, ...(kind === "document" ? documentLines(before, after) : wholeLines(before, after))]
    .map(({ sign, text }) => (sign === "" ? text : signed(terminal, sign, text)))
    .join("\n")
}

interface SignedLine {
  readonly sign: "" | "-" | "+"
  readonly text: string
}

const signed = (terminal: Terminal, sign: "-" | "+", text: string): string =>
  terminal.paint(sign === "-" ? "red" : "green", `  ${sign} ${shown(text)}`)

const wholeLines = (before: readonly string[], after: readonly string[]): readonly SignedLine[] => [
  ...before.map((text) => ({ sign: "-", text }) as const),
  ...after.map((text) => ({ sign: "+", text }) as const),
]

const documentLinesMax = 80

function documentLines(
  [before = ""]: readonly string[],
  [after = ""]: readonly string[],
): readonly SignedLine[] {
  const all = differentLines(before, after)
  const lines = all
    .slice(0, documentLinesMax)
    .flatMap(({ kind, text, apart }): readonly SignedLine[] => [
      ...(apart ? [{ sign: "", text: "  …" } as const] : []),
      { sign: kind === "gone" ? "-" : "+", text },
    ])
  const more = all.length - documentLinesMax
  return more > 0 ? [...lines, { sign: "", text: `  … ${count(more, "line")} more` }] : lines
}

const shown = (text: string): string => clip(printable(text), textCharactersMax)

export function runLine(
  { run, by, startedAt, outcome, tasks, changes, takenBack, cost }: DreamRun,
  now: number,
): string {
  const made = changes ?? tasks.reduce((sum, task) => sum + task.changes, 0)
  const began = age(now - startedAt)
  return `${run}  ${began === "now" ? "just now" : `${began} ago`}  by ${by === "person" ? "a person" : "the timer"}  ${outcome ?? "at work"}  ${count(made, "change")}${takenBack === true ? ", taken back" : ""}  ${cost === null ? "price unknown" : money(cost)}`
}

/** One that is misspelt would else be told as one that is taken back. */
function refuseUnknown(run: string, only: readonly string[], differences: readonly DreamDifference[]): void {
  const names = new Set(differences.flatMap(namesOf))
  const unknown = only.filter((name) => !names.has(name))
  if (unknown.length === 0) return
  const there = names.size === 0 ? "It changed nothing." : `Name one of ${[...names].join(", ")}.`
  throw new UsageError(`${run} has no change named ${printable(unknown.join(", "))}. ${printable(there)}`)
}

const namesOf = ({ kind, of, made = [], after }: DreamDifference): readonly string[] => [
  ...of,
  ...made,
  ...(kind === "key-files" ? after : []),
]

export function revertedText(
  { run, reverted, expired = [], documents, others = [], kept, already = [], remaining = [] }: RevertedDream,
  only: readonly string[],
): string {
  const named = [...documents, ...others]
  const back = only.length === 0 ? known(reverted.length) : reverted.join(", ")
  const done = [
    ...(reverted.length === 0 ? [] : [back]),
    ...(named.length === 0 ? [] : [printable(named.join(", "))]),
  ]
  const which = only.length === 0 ? run : `${printable(only.join(", "))} of ${run}`
  const is = only.length > 1 ? "are" : "is"
  const stays = [
    ...kept.map(({ of, reason }) => `${of} stays: ${shown(reason)}`),
    ...expired.map(
      (id) => `${id} has expired and is shown to no model: holdfast memory edit ${id} --expires never`,
    ),
    ...(remaining.length === 0
      ? []
      : [
          `The rest of ${run} stays as it is: ${shown(remaining.join(", "))}. Take it back: holdfast dream revert ${run}`,
        ]),
  ]
  if (done.length > 0)
    return [`${which} ${is} taken back: ${done.join(" and ")} as before, for ${money(0)}.`, ...stays].join(
      "\n",
    )
  const nothing =
    already.length > 0
      ? `${which} ${is} taken back already.`
      : `There is nothing left to take back of ${run}.`
  return [nothing, ...stays].join("\n")
}
