/**
 * Plots as SVG: text in, text out, no script. They are read on a screen and on paper, so that what matters
 * is told by place and shape, and colour only helps.
 */
import { promptTokens, type Row, writtenTokens } from "@holdfast/foreign"
import { count } from "../figures.ts"
import { causeText, dollarsText, markupText, timeText } from "./words.ts"

const width = 960
const left = 64
/** Room for half a mark, so that the last one is whole. */
const right = 6
const top = 18
const bottom = 26

/** Bars of one plot; of more requests several share a bar. */
const barsMax = 400

interface Bar {
  readonly read: number
  readonly written: number
  readonly plain: number
  readonly label: string
  readonly broken: string | null
}

/** Tokens of each request, from below: read from the cache, written to it, neither; breaks are marked above. */
export function tokensPlot(rows: readonly Row[]): string {
  const bars = barsOf(rows)
  const height = 220
  const most = Math.max(1, ...bars.map(({ read, written, plain }) => read + written + plain))
  const y = scale(most, height)
  const step = (width - left - right) / Math.max(1, bars.length)
  const drawn = bars.map((bar, index) => {
    const x = left + index * step
    const ends = [bar.read, bar.read + bar.written, bar.read + bar.written + bar.plain]
    const kinds = ["read", "written", "plain"]
    const rects = ends.map((end, at) => rect(kinds[at] ?? "", x, y(end), step, y(ends[at - 1] ?? 0) - y(end)))
    const mark = bar.broken === null ? "" : triangle(x + step / 2)
    return `<g><title>${markupText(bar.label)}</title>${rects.join("")}${mark}</g>`
  })
  const label = `Tokens of ${count(rows.length, "request")}; the largest has ${count(most)}.`
  return svg(height, label, [
    grid(most, height, (value) => tokens(value)),
    ...drawn,
    axis(height, `requests 1 to ${count(rows.length)}`),
  ])
}

/** What was spent up to each moment, input and output together; a break steps up. */
export function costPlot(rows: readonly Row[]): string {
  const timed = rows
    .filter(({ request, cost }) => request.at !== null && cost !== null)
    .toSorted((a, b) => (a.request.at ?? 0) - (b.request.at ?? 0))
  const [first] = timed
  const last = timed.at(-1)
  if (first === undefined || last === undefined) return ""
  const height = 180
  const from = first.request.at ?? 0
  const span = Math.max(1, (last.request.at ?? 0) - from)
  let sum = 0
  const points = timed.map(({ request, cost }) => {
    sum += (cost?.input ?? 0) + (cost?.output ?? 0)
    return { x: left + (((request.at ?? 0) - from) / span) * (width - left - right), dollars: sum }
  })
  const y = scale(Math.max(sum, 1e-9), height)
  const path = thinned(points).map(
    ({ x, dollars }, at) =>
      `${at === 0 ? `M${fixed(x)} ${fixed(y(0))}` : `H${fixed(x)}`}V${fixed(y(dollars))}`,
  )
  const label = `Cost from ${timeText(from)} to ${timeText(last.request.at)}: ${dollarsText(sum)}.`
  return svg(height, label, [
    grid(Math.max(sum, 1e-9), height, (value) => dollarsText(value)),
    `<path class="line" d="${path.join("")}"/>`,
    axis(height, `${timeText(from)} to ${timeText(last.request.at)} (UTC)`),
  ])
}

/** Several requests in one bar: the largest of them is shown, and a break of any. */
function barsOf(rows: readonly Row[]): readonly Bar[] {
  const each = Math.max(1, Math.ceil(rows.length / barsMax))
  return Array.from({ length: Math.ceil(rows.length / each) }, (_, at) => {
    const group = rows.slice(at * each, (at + 1) * each)
    const size = ({ request }: Row) => promptTokens(request.tokens)
    const [head] = group
    const shown = group.reduce<Row | undefined>(
      (best, row) => (best && size(best) >= size(row) ? best : row),
      head,
    )
    const broken = group.find(({ cause }) => cause !== null)
    return barOf(broken ?? shown, broken)
  })
}

function barOf(row: Row | undefined, broken: Row | undefined): Bar {
  if (row === undefined) return { read: 0, written: 0, plain: 0, label: "", broken: null }
  const { tokens: used, at } = row.request
  const written = writtenTokens(used)
  const said =
    broken === undefined || broken.cause === null ? null : causeText({ ...broken, cause: broken.cause })
  const parts = `${count(used.cacheRead)} read, ${count(written)} written, ${count(used.input)} neither`
  const label = `Request ${row.number}, ${timeText(at)}: ${parts}${said === null ? "" : `. Break: ${said}`}`
  return { read: used.cacheRead, written, plain: used.input, label, broken: said }
}

const thinned = <A>(points: readonly A[]): readonly A[] => {
  const each = Math.max(1, Math.ceil(points.length / (barsMax * 2)))
  return points.filter((_, at) => at % each === 0 || at === points.length - 1)
}

const fixed = (value: number): string => value.toFixed(1)

const scale =
  (most: number, height: number) =>
  (value: number): number =>
    height - bottom - (value / most) * (height - top - bottom)

const rect = (kind: string, x: number, y: number, w: number, h: number): string =>
  h <= 0
    ? ""
    : `<rect class="${kind}" x="${fixed(x)}" y="${fixed(y)}" width="${fixed(Math.max(0.6, w * 0.92))}" height="${fixed(h)}"/>`

const triangle = (x: number): string =>
  `<path class="break" d="M${fixed(x - 4)} ${top - 14}h8l-4 8z"/><path class="drop" d="M${fixed(x)} ${top - 6}v${6}"/>`

/** Lines at round figures, at most six of them. */
function grid(most: number, height: number, text: (value: number) => string): string {
  const y = scale(most, height)
  const step = roundStep(most)
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, at) => at * step)
    .map((value) => {
      const line = fixed(y(value))
      return `<path class="grid" d="M${left} ${line}H${width - right}"/><text x="${left - 6}" y="${line}" dy="0.32em" text-anchor="end">${markupText(text(value))}</text>`
    })
    .join("")
}

/** The smallest of 1, 2, 5, 10, 20, … that divides a height into at most five. */
function roundStep(most: number): number {
  const unit = 10 ** Math.floor(Math.log10(most / 5))
  return [1, 2, 5, 10].map((times) => times * unit).find((step) => most / step <= 5) ?? unit * 10
}

const axis = (height: number, name: string): string =>
  `<text x="${left}" y="${height - 8}">${markupText(name)}</text>`

const tokens = (value: number): string =>
  value >= 1_000 ? `${count(Math.round(value / 1_000))}k` : count(Math.round(value))

const svg = (height: number, label: string, parts: readonly string[]): string =>
  `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${markupText(label)}">${parts.join("")}</svg>`
