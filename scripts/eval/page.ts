/** The figures of a window evaluation as a page of its own: bars for each session and way, no script, no network. */
import { factsOf, percent, type Report, type Way, ways } from "./report.ts"
import type { WindowFigures } from "./window.ts"

const titles: Readonly<Record<Way, string>> = {
  recall: "recall",
  words: "4,000 tokens of rare words",
  summary: "one summary",
  truncation: "truncation",
}
const colours = { inWindow: "#2f7d4f", oneExpand: "#9cc9a8", lost: "#d9534f" } as const
const barUnits = 420
const rowUnits = 18

export function pageOf(report: Report): string {
  const counted = [report.total, ...report.sessions].filter(({ recall }) => factsOf(recall.fate) > 0)
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Window evaluation</title>
<style>body{font:14px system-ui,sans-serif;margin:2rem;max-width:60rem}text{font:12px system-ui,sans-serif}h2{font-size:1rem;margin:1.2rem 0 .2rem}</style>
<h1>What a window of ${report.contextTokens} tokens still holds</h1>
<p>Facts used later whose last mention has left the tail: <b style="color:${colours.inWindow}">in the window</b>,
<b style="color:${colours.oneExpand}">one expand away</b>, <b style="color:${colours.lost}">lost</b>.</p>
${counted.map(sectionOf).join("\n")}
</html>
`
}

function sectionOf(one: WindowFigures): string {
  const bars = ways.map((way, at) => barOf(one, way, at)).join("")
  const height = ways.length * rowUnits
  return `<h2>${escaped(one.name)}: ${factsOf(one.recall.fate)} facts, ${one.answers} answers, ${one.cuts} cuts</h2>
<svg width="860" height="${height}" viewBox="0 0 860 ${height}" role="img">${bars}</svg>${recordedOf(one)}`
}

function barOf(one: WindowFigures, way: Way, at: number): string {
  const { fate, averageTokens } = one[way]
  const all = Math.max(1, factsOf(fate))
  let x = 190
  const parts = (["inWindow", "oneExpand", "lost"] as const).map((name) => {
    const width = (barUnits * fate[name]) / all
    const rect = `<rect x="${x.toFixed(1)}" y="${at * rowUnits + 2}" width="${width.toFixed(1)}" height="${rowUnits - 5}" fill="${colours[name]}"/>`
    x += width
    return rect
  })
  const y = at * rowUnits + 13
  const said = `${percent(fate, "inWindow")}, ${percent(fate, "reachable")} with expand, average ${averageTokens}`
  return `<text x="0" y="${y}">${titles[way]}</text>${parts.join("")}<text x="${200 + barUnits}" y="${y}">${said}</text>`
}

const recordedOf = ({ recorded }: WindowFigures): string =>
  recorded === null
    ? ""
    : `<p>Behind its own compaction the agent had lost ${recorded.lostByAgent} of ${recorded.facts} facts that had left its window; recall has lost ${recorded.lostByRecall} of the same.</p>`

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
