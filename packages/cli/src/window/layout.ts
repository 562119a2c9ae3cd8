/**
 * The window of a Session on one screen of 80 columns and 24 lines (SU2). Pure: values in, lines out.
 * What is drawn is as wide as that; words and figures take the columns that there are, in a pipe all.
 *
 * A bar is as long as its segment is large, beside the largest one; its full part is what the
 * provider is expected to have in its cache. What does not fit is counted, never left out in silence.
 */
import type { Spent } from "@holdfast/schema/model"
import { costText, count, type KnownSpent, money, percent, tokensText } from "../figures.ts"
import { columnsOf, fill, fit, wrap } from "../text-width.ts"
import { printable, type Style } from "../terminal.ts"

export interface WindowView {
  readonly session: string
  readonly title: string | null
  readonly state: string
  /** As `provider/model`. */
  readonly model: string
  /** The most that fits into a request; null where it is not known. */
  readonly limitTokens: number | null
  /** What the next request has to say of itself: that nothing is due, or why it would not be sent. */
  readonly note: string
  readonly segments: readonly SegmentView[]
  /** Parts of the history, and what waits for the next break; null where nothing is known of it. */
  readonly recall: RecallView | null
  readonly lastBreak: { readonly turn: number; readonly cause: string } | null
  /** Why the next request would stop repeating the one before it, if it were sent now. */
  readonly nextBreak: { readonly cause: string } | null
  /** What its input is expected to cost, in dollars; null where nothing could be planned. */
  readonly nextPrice: NextPrice | null
  readonly lastTurn: Spent | null
  readonly spent: KnownSpent
  readonly turns: number
  /** Those of them that another program sent. */
  readonly turnsImported?: number
}

export interface RecallView {
  readonly parts: readonly PartView[]
  readonly messagesHidden: number
  readonly tags: number
  readonly tagsDropped: number
  /** Shares of what may be sent. */
  readonly usage: number
  readonly threshold: number
  readonly tokensLeft: number
  /** What rides on the next break, in words. */
  readonly waiting: string
}

export interface NextPrice {
  readonly cost: number | null
  /** The provider's cache is gone by itself. */
  readonly lapsed: boolean
  /** Without what recall takes out of it; null where it takes out nothing, or has to. */
  readonly leftAsItIs: number | null
  /** Had the cache held all of the last request; null where it does, and where it is left otherwise. */
  readonly cached: number | null
}

export interface PartView {
  readonly id: string
  /** From 1, the fullest, to 4; null where it is not shown. */
  readonly tier: number | null
  /** It stands for parts that decay has passed. */
  readonly archived?: boolean
}

export interface SegmentView {
  readonly name: string
  readonly tokens: number
  /** Of these, expected to be read from the cache. */
  readonly cachedTokens: number
  /** What it came from. */
  readonly source: string
  /** Why it is in the request. */
  readonly why: string
}

type Paint = (style: Style, text: string) => string

export const screenColumns = 80
export const screenLines = 24
const columnsMin = 60
/** Lines beside header, segments and records: gauge 1, heading 1, sum 1, blanks 2; and one for the prompt below. */
const otherLines = 6

export function layoutWindow(
  view: WindowView,
  paint: Paint,
  columnsGiven = screenColumns,
): readonly string[] {
  const columns = Math.max(columnsMin, Math.min(screenColumns, columnsGiven))
  const widths = { columns, words: Math.max(columns, columnsGiven) }
  const recordedLeast = records({ ...view, recall: null }, paint, widths, recordLinesLeast)
  const segmentsLeast = Math.min(view.segments.length, segmentLinesMin)
  const head = header(view, paint, widths, screenLines - otherLines - recordedLeast.length - segmentsLeast)
  if (view.segments.length === 0) return [...head, "", "Nothing would be sent."]
  const others = otherLines + head.length
  const whole = records(view, paint, widths, recordLinesMax)
  // Segments come first: what recall says is also in `--parts` and `--json`.
  const roomy = view.segments.length <= screenLines - others - whole.length
  const recorded = roomy ? whole : recordedLeast
  const { shown, hidden, shape } = choose(view, screenLines - others - recorded.length)
  const largest = Math.max(1, ...shown.map(({ tokens }) => tokens))
  const barColumns = shortBar(shown, widths)
  return [
    ...head,
    gauge(view, paint, columns),
    "",
    paint("dim", headLine(shape === "short" ? barColumns : null)),
    ...shown.flatMap((segment) =>
      shape === "short"
        ? [shortLine(segment, largest, paint, { words: widths.words, barColumns })]
        : fullLines(segment, largest, paint, widths),
    ),
    ...(hidden === null ? [] : [paint("dim", fit(hidden, widths.words))]),
    ...sum(view.segments, paint, columns),
    "",
    ...recorded,
  ]
}

/** What is drawn takes 80 columns at most; what is said takes those that there are, in a pipe any number. */
interface Widths {
  readonly columns: number
  readonly words: number
}

interface Choice {
  readonly shown: readonly SegmentView[]
  readonly hidden: string | null
  /** With a line below each segment that tells where it comes from, or with what fits beside it. */
  readonly shape: "full" | "short"
}

/** All segments, or as many of the largest as fit, in their order. */
function choose({ segments }: WindowView, room: number): Choice {
  if (2 * segments.length <= room) return { shown: segments, hidden: null, shape: "full" }
  if (segments.length <= room) return { shown: segments, hidden: null, shape: "short" }
  const kept = new Set([...segments].sort((a, b) => b.tokens - a.tokens).slice(0, room - 1))
  const rest = segments.filter((segment) => !kept.has(segment))
  const tokens = totalOf(rest, ({ tokens: each }) => each)
  return {
    shown: segments.filter((segment) => kept.has(segment)),
    hidden: `… and ${count(rest.length)} smaller ones, ${count(tokens)} tokens in all`,
    shape: "short",
  }
}

function header(view: WindowView, paint: Paint, widths: Widths, linesMax: number): readonly string[] {
  const used = totalOf(view.segments, ({ tokens }) => tokens)
  const fullness =
    view.limitTokens === null
      ? `${count(used)} tokens, limit unknown`
      : `about ${count(used)} of ${count(view.limitTokens)} tokens · ${percent(used, view.limitTokens)}`
  const noteLines = Math.min(noteLinesMax, linesMax - titleLines)
  const isBeside = noteLines < 1 || columnsOf(printable(view.note)) <= sideColumns(widths.columns)
  return [
    split(view.title ?? "(no title)", view.state, widths, (text) => paint("bold", text)),
    split(view.session, view.model, widths, (text) => paint("dim", text)),
    ...(isBeside
      ? [split(fullness, view.note, widths, (text) => text)]
      : [fullness, ...wrapped(view.note, widths.words, noteLines)]),
  ]
}

/** A reason why nothing would be sent is read to its end where segments leave it so much. */
const noteLinesMax = 4
const titleLines = 3
/** So many lines of segments are there in any case, the one that counts the rest among them. */
const segmentLinesMin = 7

/** What the right one of two texts on a line may take. */
const sideColumns = (columns: number): number => Math.floor(columns / 2)

/** At most so many lines, of which the last is cut. */
function wrapped(text: string, columns: number, linesMax: number): readonly string[] {
  const lines = wrap(printable(text).replaceAll(/\s+/g, " "), columns)
  const last = fit(lines.slice(linesMax - 1).join(" "), columns)
  return [...lines.slice(0, linesMax - 1).map((line) => fit(line, columns)), ...(last === "" ? [] : [last])]
}

/** How full the window is, over the whole width: cached, then new, then room. */
function gauge({ segments, limitTokens }: WindowView, paint: Paint, columns: number): string {
  const used = totalOf(segments, ({ tokens }) => tokens)
  const cached = totalOf(segments, ({ cachedTokens }) => cachedTokens)
  const limit = Math.max(limitTokens ?? used, used, 1)
  const full = Math.round((columns * used) / limit)
  const solid = Math.min(full, Math.round((columns * cached) / limit))
  // Something is always visible: a window that is not empty must not look empty.
  const light = Math.max(full - solid, full === 0 && used > 0 ? 1 : 0)
  return (
    paint("green", cachedMark.repeat(solid)) +
    paint("yellow", freshMark.repeat(light)) +
    paint("dim", roomMark.repeat(columns - solid - light))
  )
}

const cachedMark = "█"
const freshMark = "▒"
const roomMark = "·"
const nameColumns = 17
const tokensColumns = 9
const cachedColumns = 6
/** Columns before the bar, with the blanks between them. */
const leadColumns = nameColumns + tokensColumns + cachedColumns + 4
/** Beside reasons: as long as they leave it. */
const shortBarColumnsMax = 18
const shortBarColumnsMin = 6
const barGap = 2

function fullLines(
  segment: SegmentView,
  largest: number,
  paint: Paint,
  { columns, words }: Widths,
): readonly string[] {
  const drawn = bar(segment, largest, columns - leadColumns, paint)
  return [
    `${lead(printable(segment.name), count(segment.tokens), cachedText(segment))}${drawn.painted}`,
    paint("dim", `  ${detail(segment, words - 2)}`),
  ]
}

/** Where it comes from and why it is there; of the two the former is cut first. */
function detail({ source, why }: SegmentView, columns: number): string {
  const reason = fit(printable(why), columns - sourceColumnsMin)
  if (source === "" || reason === "") return fit(printable(source + why), columns)
  return `${fit(printable(source), columns - columnsOf(reason) - 3)} · ${reason}`
}

const sourceColumnsMin = 20

interface ShortShape {
  readonly words: number
  readonly barColumns: number
}

function shortLine(segment: SegmentView, largest: number, paint: Paint, shape: ShortShape): string {
  const { words, barColumns } = shape
  const { plain, painted } = bar(segment, largest, barColumns, paint)
  const blanks = " ".repeat(barColumns - columnsOf(plain) + barGap)
  const reason = fit(reasonOf(segment), words - leadColumns - barColumns - barGap)
  const begin = lead(printable(segment.name), count(segment.tokens), cachedText(segment))
  return `${begin}${painted}${blanks}${reason}`.trimEnd()
}

/** A reason is read to its end; the bar gives way to it. */
function shortBar(shown: readonly SegmentView[], { columns, words }: Widths): number {
  const longest = Math.max(0, ...shown.map((segment) => columnsOf(reasonOf(segment))))
  const left = words - leadColumns - barGap - longest
  return Math.max(shortBarColumnsMin, Math.min(shortBarColumnsMax, columns, left))
}

const reasonOf = ({ source, why }: SegmentView): string => printable(why === "" ? source : why)

const headLine = (barColumns: number | null): string =>
  `${lead("SEGMENT", "TOKENS", "CACHED")}${barColumns === null ? "" : `${" ".repeat(barColumns + barGap)}WHY`}`.trimEnd()

const lead = (name: string, tokens: string, cached: string): string =>
  `${fill(name, nameColumns)} ${fill(tokens, tokensColumns, "left")} ${fill(cached, cachedColumns, "left")}  `

/** At least one mark for a segment that is not empty. */
function bar({ tokens, cachedTokens }: SegmentView, largest: number, columns: number, paint: Paint) {
  const length = tokens === 0 ? 0 : Math.max(1, Math.round((columns * tokens) / largest))
  const solid = tokens === 0 ? 0 : Math.round((length * cachedTokens) / tokens)
  const [cached, fresh] = [cachedMark.repeat(solid), freshMark.repeat(length - solid)]
  const painted = (solid === 0 ? "" : paint("green", cached)) + (fresh === "" ? "" : paint("yellow", fresh))
  return { plain: cached + fresh, painted }
}

function cachedText({ tokens, cachedTokens }: SegmentView): string {
  if (cachedTokens === 0) return "no"
  return cachedTokens >= tokens ? "yes" : percent(cachedTokens, tokens)
}

function sum(segments: readonly SegmentView[], paint: Paint, columns: number): readonly string[] {
  const used = totalOf(segments, ({ tokens }) => tokens)
  const cached = totalOf(segments, ({ cachedTokens }) => cachedTokens)
  const legend = `${cachedMark} cached ${count(cached)} · ${freshMark} new ${count(used - cached)}`
  const line = lead("together", count(used), "")
  const fitted = fit(legend, columns - columnsOf(line))
  return [
    paint("bold", line) +
      fitted.replace(cachedMark, paint("green", cachedMark)).replace(freshMark, paint("yellow", freshMark)),
  ]
}

function records(view: WindowView, paint: Paint, { words }: Widths, linesMax: number): readonly string[] {
  const { lastBreak, lastTurn, spent, turns, turnsImported = 0, recall } = view
  const broken =
    lastBreak === null
      ? neverLost(turns, turnsImported)
      : `in turn ${lastBreak.turn}, because ${lastBreak.cause}`
  const next = nextText(view)
  const lines = (label: string, text: string) => record(label, text, paint, words, linesMax)
  return [
    ...(recall === null
      ? []
      : [...lines("history", historyText(recall)), ...lines("next fold", foldText(recall))]),
    ...lines("cache lost", broken),
    ...(next === "" ? [] : lines("next turn", next)),
    ...lines("last turn", lastTurn === null ? "none has settled yet" : spentText(lastTurn)),
    ...lines("Session", `${spentText(spent)} · ${count(turns, "turn")}`),
  ]
}

/** What the input of the next request costs, and why that is more than from the cache. */
function nextText({ nextPrice, nextBreak }: WindowView): string {
  const why = [
    ...(nextPrice?.lapsed === true ? ["the cache has lapsed"] : []),
    ...(nextBreak === null ? [] : [`loses the cache, because ${nextBreak.cause}`]),
  ].join("; ")
  if (nextPrice === null) return why
  const { cost, leftAsItIs, cached } = nextPrice
  const price = [
    cost === null ? "input of unknown price" : `about ${money(cost)} for its input`,
    ...(leftAsItIs === null ? [] : [`left as it is ${money(leftAsItIs)}`]),
    ...(cached === null ? [] : [`from the cache ${money(cached)}`]),
  ].join(", ")
  return why === "" ? price : `${price}: ${why}`
}

/** How an imported turn was sent, and whether a cache was lost by it, is not on record. */
function neverLost(turns: number, imported: number): string {
  if (imported === 0) return "never: every request repeated the one before it (no break)"
  const known = imported === turns ? "not known" : "never since the import (no break)"
  return `${known}: ${count(imported, "imported turn")} cannot be judged`
}

/** Which parts stand for older messages, and how full each is told. */
function historyText({ parts, messagesHidden, tags, tagsDropped }: RecallView): string {
  const tagged = `${count(tags, "tag")}${tagsDropped === 0 ? "" : `, ${count(tagsDropped)} dropped`}`
  if (parts.length === 0) return `all of it is shown as it was · ${tagged}`
  const tiers = [1, 2, 3, 4].flatMap((tier) => {
    const found = parts.filter((part) => part.tier === tier && part.archived !== true).length
    return found === 0 ? [] : [`tier ${tier} ×${found}`]
  })
  const hidden = parts.filter(({ tier }) => tier === null).length
  const archives = parts.filter(({ tier, archived }) => tier !== null && archived === true).length
  const old = archives === 0 ? [] : [`archived ×${archives}`]
  const told = [...tiers, ...old, ...(hidden === 0 ? [] : [`${hidden} not shown`])].join(", ")
  return `${count(parts.length, "part")} for ${count(messagesHidden, "message")}: ${told} · ${tagged}`
}

/** Of what may be sent, which leaves room for the answer, and as the provider counts it: another measure than the estimates above. */
function foldText({ usage, threshold, tokensLeft, waiting }: RecallView): string {
  // As it is planned: what a fold can take out is out.
  const left = usage > 1 ? "more than a fold can take out" : `${count(tokensLeft)} tokens more`
  return `at ${percent(threshold, 1)} of what may be sent, now ${percent(usage, 1)}: ${left}${waiting === "" ? "" : ` · waits: ${waiting}`}`
}

/** As many lines as it takes: figures and causes are read to their end. */
function record(
  label: string,
  text: string,
  paint: Paint,
  columns: number,
  linesMax: number,
): readonly string[] {
  return wrapped(text, columns - labelColumns, linesMax).map((line, at) =>
    at === 0 ? paint("dim", fill(label, labelColumns)) + line : " ".repeat(labelColumns) + line,
  )
}

const labelColumns = 12
const recordLinesMax = 3
/** Where there are many segments: figures come first. */
const recordLinesLeast = 2

const spentText = (spent: KnownSpent): string => {
  const cost = costText(spent)
  return `${cost === "unknown" ? "cost unknown" : cost} · ${tokensText(spent)}`
}

/** Two texts at both ends of a line; where they do not fit, the left one gives way. */
function split(
  left: string,
  right: string,
  { columns, words }: Widths,
  style: (text: string) => string,
): string {
  const [begin, end] = [oneLine(left), oneLine(right)]
  const blanks = columns - columnsOf(begin) - columnsOf(end)
  if (blanks >= 2 || columnsOf(begin) + columnsOf(end) + 2 <= words)
    return `${style(begin)}${" ".repeat(Math.max(2, blanks))}${end}`.trimEnd()
  const cut = fit(end, sideColumns(words))
  return `${style(fill(begin, words - columnsOf(cut) - 2))}  ${cut}`.trimEnd()
}

const oneLine = (text: string): string => fit(printable(text), Infinity)

const totalOf = (segments: readonly SegmentView[], of: (segment: SegmentView) => number): number =>
  segments.reduce((total, segment) => total + of(segment), 0)
