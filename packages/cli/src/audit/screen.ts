/** The audit for a person: one screen of at most 80 columns. */
import { promptTokens, type Report, writtenTokens } from "@holdfast/foreign"
import { count } from "../figures.ts"
import { formatTable } from "../table.ts"
import { printable, type Terminal } from "../terminal.ts"
import { wrapFor } from "../text-width.ts"
import {
  causeText,
  dollarsText,
  pricePlaces,
  remarks,
  shareText,
  shortId,
  subject,
  timeText,
} from "./words.ts"

const columnsMax = 80
const breaksMax = 10

/** `searched` are the usual places, where no path was named. */
export function auditScreen(terminal: Terminal, report: Report, searched: readonly string[] | null): string {
  const { totals } = report
  if (totals.calls === 0) return nothing(report, searched)
  const bold = (text: string) => terminal.paint("bold", text)
  const blocks = [
    bold(wide(`${subject(report)}.`)),
    tokensTable(report),
    ...(totals.listDollars === 0 ? [] : [bold(wide(verdict(report))), placesTable(report)]),
    ...(report.breaks.length === 0
      ? [wide("No break: every request read what it could.")]
      : [breaksTable(report)]),
    ...remarks(report).map((remark) => wide(printable(remark))),
  ]
  return `${blocks.join("\n\n")}\n`
}

const wide = (text: string): string => wrapFor({ interactive: true, columns: columnsMax }, text)

function nothing(report: Report, searched: readonly string[] | null): string {
  const looked = searched === null ? "in what was named" : `in ${searched.join(", ")}`
  const said = `No request of another agent was found ${looked}. Name a file or a folder: holdfast audit PATH.`
  return `${[said, ...remarks(report)].map((line) => wide(printable(line))).join("\n")}\n`
}

function tokensTable({ totals }: Report): string {
  const whole = promptTokens(totals)
  const rows = [
    ["read from cache", totals.cacheRead],
    ["written to cache", writtenTokens(totals)],
    ["neither read nor written", totals.input],
  ] as const
  return formatTable(
    [{ title: "TOKENS" }, { title: "COUNT", right: true }, { title: "OF INPUT", right: true }],
    [
      ...rows.map(([name, tokens]) => [name, count(tokens), shareText(tokens, whole)]),
      ["input in all", count(whole), ""],
      ["output", count(totals.output), ""],
    ],
  )
}

function verdict({ totals }: Report): string {
  const { listDollars, inputDollars, outputDollars, idealDollars } = totals
  const saved = inputDollars - idealDollars
  const could =
    saved < 0.005
      ? "An append-only prefix with the right lifetime would not have been cheaper."
      : `With an append-only prefix and the right lifetime: ${dollarsText(idealDollars)}, ${shareText(idealDollars, listDollars)} of list; ${dollarsText(saved)} less.`
  return `Input cost ${dollarsText(inputDollars)}, which is ${shareText(inputDollars, listDollars)} of its list price (${dollarsText(listDollars)}); output ${dollarsText(outputDollars)}. ${could}`
}

const placesTable = (report: Report): string =>
  formatTable(
    [
      { title: "WHERE THE INPUT'S PRICE WENT" },
      { title: "TIMES", right: true },
      { title: "PRICE", right: true },
      { title: "SHARE", right: true },
    ],
    pricePlaces(report).map(({ name, times, dollars }) => [
      name,
      times === null ? "" : count(times),
      dollarsText(dollars),
      shareText(dollars, report.totals.inputDollars),
    ]),
    columnsMax,
  )

function breaksTable({ breaks }: Report): string {
  const shown = breaks.slice(0, breaksMax)
  const title =
    breaks.length > breaksMax ? `The ${breaksMax} dearest of ${count(breaks.length)} breaks:` : "Breaks:"
  const table = formatTable(
    [
      { title: "SESSION" },
      { title: "TIME (UTC)" },
      { title: "TOKENS", right: true },
      { title: "PRICE", right: true },
      { title: "CAUSE", below: "cause" },
    ],
    shown.map((broken) => [
      printable(shortId(broken.account.id)),
      timeText(broken.at),
      count(broken.tokens),
      dollarsText(broken.dollars),
      causeText(broken),
    ]),
    columnsMax,
  )
  return `${title}\n${table}`
}
