/**
 * The audit as one page: everything is in the file, plots are SVG, nothing is loaded and nothing runs.
 * It is for a browser and for paper.
 */
import { promptTokens, type Report, type SessionReport, writtenTokens } from "@holdfast/foreign"
import { count } from "../figures.ts"
import { costPlot, tokensPlot } from "./plots.ts"
import {
  agentNames,
  causeText,
  dollarsText,
  markupText,
  nameText,
  pricePlaces,
  remarks,
  shareText,
  shortId,
  subject,
  timeText,
} from "./words.ts"

/** Sessions that have a plot of their own, the dearest; and breaks that are listed. */
const plotsMax = 20
const breaksMax = 50

export function auditPage(report: Report, now: number): string {
  const { totals, sessions } = report
  const rows = sessions.flatMap((session) => session.rows)
  const dearest = sessions
    .toSorted((a, b) => spent(b) - spent(a))
    .filter((session) => session.rows.length > 0)
  const cost = costPlot(rows)
  const body = [
    `<h1>What these sessions cost</h1><p>${markupText(subject(report))}. Made ${timeText(now)} UTC.</p>`,
    summary(report),
    `<h2>Tokens</h2>${tokensTable(report)}`,
    ...(totals.listDollars === 0 ? [] : [`<h2>Where the input’s price went</h2>${placesTable(report)}`]),
    ...(cost === "" ? [] : [`<h2>Cost over time</h2><figure>${cost}</figure>`]),
    `<h2>Breaks</h2>${breaksTable(report)}`,
    `<h2>Tokens of each request</h2>${legend}`,
    ...dearest.slice(0, plotsMax).map(sessionSection),
    ...(dearest.length > plotsMax
      ? [
          `<p>${count(dearest.length - plotsMax, "session")} that cost less have no plot here; audit one with --session.</p>`,
        ]
      : []),
    ...remarks(report).map((remark) => `<p class="remark">${markupText(remark)}</p>`),
  ]
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Audit: ${markupText(subject(report))}</title><style>${style}</style></head>
<body>
${body.join("\n")}
</body></html>
`
}

const spent = ({ rows }: SessionReport): number =>
  rows.reduce((sum, { cost }) => sum + (cost === null ? 0 : cost.input + cost.output), 0)

function summary({ totals, breaks }: Report): string {
  const { inputDollars, listDollars, outputDollars, idealDollars } = totals
  const priced = listDollars > 0
  const figures = [
    ["read from cache", shareText(totals.cacheRead, promptTokens(totals))],
    ...(priced
      ? [
          ["input, of its list price", shareText(inputDollars, listDollars)],
          ["input", dollarsText(inputDollars)],
          ["output", dollarsText(outputDollars)],
          ["input, had the prefix only grown and lived long enough", dollarsText(idealDollars)],
        ]
      : []),
    ["breaks", count(breaks.length)],
  ]
  return `<dl>${figures.map(([name = "", value = ""]) => `<div><dt>${markupText(name)}</dt><dd>${markupText(value)}</dd></div>`).join("")}</dl>`
}

function tokensTable({ totals }: Report): string {
  const whole = promptTokens(totals)
  return table(
    ["", "Tokens", "Of input"],
    [
      ["read from cache", count(totals.cacheRead), shareText(totals.cacheRead, whole)],
      ["written to cache", count(writtenTokens(totals)), shareText(writtenTokens(totals), whole)],
      ["neither read nor written", count(totals.input), shareText(totals.input, whole)],
      ["input in all", count(whole), ""],
      ["output", count(totals.output), ""],
    ],
  )
}

const placesTable = (report: Report): string =>
  table(
    ["", "Times", "Price", "Share"],
    pricePlaces(report).map(({ name, times, dollars }) => [
      name,
      times === null ? "" : count(times),
      dollarsText(dollars),
      shareText(dollars, report.totals.inputDollars),
    ]),
  )

function breaksTable({ breaks }: Report): string {
  if (breaks.length === 0) return "<p>None: every request read what it could.</p>"
  const shown = breaks.slice(0, breaksMax)
  const rest = breaks.length - shown.length
  const rows = shown.map((broken) => [
    shortId(broken.account.id),
    causeText(broken),
    timeText(broken.at),
    String(broken.request),
    count(broken.tokens),
    dollarsText(broken.dollars),
  ])
  const more =
    rest === 0 ? "" : `<p>${count(rest, "break")} that cost less ${rest === 1 ? "is" : "are"} not listed.</p>`
  return `<p>A break is a request that sent again what the cache should have given; the price is what that cost more than reading.</p>${table(
    ["Session", "Cause", "Time (UTC)", "Request", "Tokens sent again", "Price"],
    rows,
    2,
  )}${more}`
}

function sessionSection(session: SessionReport): string {
  const { account, rows } = session
  const named = nameText(account, 80)
  const where = [agentNames[account.agent], account.directory ?? "", count(rows.length, "request")]
  const cost = spent(session) > 0 ? [dollarsText(spent(session))] : []
  const said = [...where, ...cost].filter((part) => part !== "").join(" · ")
  return `<section><h3>${markupText(named === "" ? shortId(account.id) : `${shortId(account.id)}: ${named}`)}</h3><p>${markupText(said)}</p><figure>${tokensPlot(rows)}</figure></section>`
}

/** The first columns are words, the rest figures. */
function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>, words = 1): string {
  const cells = (tag: string, row: readonly string[]) =>
    row
      .map((cell, at) => `<${tag}${at < words ? "" : ' class="figure"'}>${markupText(cell)}</${tag}>`)
      .join("")
  const lines = rows.map((row) => `<tr>${cells("td", row)}</tr>`).join("\n")
  return `<div class="wide"><table><thead><tr>${cells("th", head)}</tr></thead><tbody>${lines}</tbody></table></div>`
}

const legend = `<p class="legend"><span class="read">read from cache</span> <span class="written">written to cache</span> <span class="plain">neither</span> <span class="break">▼ break</span></p>`

const style = `
:root{color-scheme:light dark;--read:#8ab6d6;--written:#e0892f;--plain:#5b6470;--break:#b3261e;--line:#2b6ca3;--soft:#8884}
@media(prefers-color-scheme:dark){:root{--read:#4f86ac;--written:#d98a3d;--plain:#aab2bd;--break:#ff7b72;--line:#7fb3dd}}
body{font:15px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.6rem;margin-bottom:0}h2{font-size:1.15rem;margin:2rem 0 .5rem}h3{font-size:1rem;margin:1.5rem 0 0}
p{margin:.25rem 0}figure{margin:.5rem 0}.wide,figure{overflow-x:auto}
dl{display:flex;flex-wrap:wrap;gap:.5rem 2rem}dl div{max-width:14rem}dt{font-size:.85rem;opacity:.75}dd{margin:0;font-size:1.35rem;font-variant-numeric:tabular-nums}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}th,td{text-align:left;padding:.15rem 1.25rem .15rem 0;border-bottom:1px solid var(--soft);vertical-align:top}
th{font-weight:600}.figure{text-align:right;white-space:nowrap}
svg{width:100%;min-width:40rem;height:auto;display:block}svg text{font-size:11px;fill:currentColor;opacity:.75}
.grid{stroke:var(--soft);fill:none}.line{stroke:var(--line);stroke-width:2;fill:none}
rect.read{fill:var(--read)}rect.written{fill:var(--written)}rect.plain{fill:var(--plain)}path.break{fill:var(--break)}path.drop{stroke:var(--break)}
.legend span{margin-right:1rem}.legend span::before{content:"";display:inline-block;width:.8em;height:.8em;margin-right:.35em;vertical-align:-.05em}
.legend .read::before{background:var(--read)}.legend .written::before{background:var(--written)}.legend .plain::before{background:var(--plain)}.legend .break{color:var(--break)}.legend .break::before{display:none}
.remark{margin-top:1rem;font-size:.9rem}
@media print{.wide,figure{overflow:visible}svg{min-width:0}:root{color-scheme:light;--read:#cfe0ec;--written:#d07a1f;--plain:#444;--break:#000;--line:#000}body{margin:0;font-size:11px;max-width:none}section,figure,tr{break-inside:avoid}h2,h3{break-after:avoid}rect{print-color-adjust:exact}.legend span::before{print-color-adjust:exact}}
`
