/**
 * The extractive historian: a stretch of messages becomes compartments, by no model (HI1).
 *
 * It cuts where the user spoke, and keeps of each part what may be asked for again: their words,
 * tasks, errors and what mended them, decisions, files with their last state, and names, chosen by
 * what they are, by how often and by whom they were used. Each of the four tiers is bounded, and
 * shorter than what it stands for. The same messages always give the same compartments.
 */
import type { Compartment } from "@holdfast/schema/fact/recall"
import type { Message } from "@holdfast/schema/message"
import { findItems, type Found, type Item, type ItemKind, type Named } from "./items.ts"
import { clip, oneLine, tokensOf } from "./words.ts"

/** A message that goes, and what it weighed in the window. */
export interface Weighed {
  readonly message: Message
  readonly tokens: number
}

/** What a compartment covers: all of the log from one sequence to another. */
export interface Span {
  readonly fromSeq: number
  readonly toSeq: number
}

/** A compartment is about so large, and no cut makes more of them than this. */
export const stretchTokens = 10_000
export const compartmentsPerCutMax = 24

/** Of what it stands for, and at most; a tier never exceeds either. */
const tierShares = [0.065, 0.024, 0.009, 0.0035] as const
const tierTokensMin = [110, 60, 32, 0] as const
const shareMax = 0.4

/** The span is covered from its beginning to its end. */
export function extract(weighed: readonly Weighed[], { fromSeq, toSeq }: Span): readonly Compartment[] {
  const stretches = divide(weighed)
  return stretches.map((stretch, at) => {
    const before = stretches[at - 1]?.at(-1)?.message.seq
    const last = at === stretches.length - 1
    return compartmentOf(stretch, {
      fromSeq: before === undefined ? fromSeq : before + 1,
      toSeq: last ? toSeq : (stretch.at(-1)?.message.seq ?? toSeq),
    })
  })
}

/** Its id says what it covers: nobody has to look it up. */
export const compartmentId = ({ fromSeq, toSeq }: Span): string => `c${fromSeq}-${toSeq}`

/** Parts of about the same size, each beginning with the user's words where those are near. */
function divide(weighed: readonly Weighed[]): readonly (readonly Weighed[])[] {
  const total = weighed.reduce((sum, { tokens }) => sum + tokens, 0)
  const aim = Math.max(stretchTokens, Math.ceil(total / compartmentsPerCutMax))
  const stretches: Weighed[][] = []
  let tokens = 0
  for (const one of weighed) {
    const pivots = one.message.kind === "user" && tokens >= aim * 0.5
    const full = tokens >= aim * 0.25 && tokens + one.tokens > aim * 1.3
    if (stretches.length === 0 || pivots || full) {
      stretches.push([])
      tokens = 0
    }
    stretches.at(-1)?.push(one)
    tokens += one.tokens
  }
  return stretches
}

function compartmentOf(stretch: readonly Weighed[], span: Span): Compartment {
  const found = findItems(stretch.map(({ message }) => message))
  const tokens = stretch.reduce((sum, one) => sum + one.tokens, 0)
  return {
    id: compartmentId(span),
    ...span,
    title: titleOf(found, stretch),
    tiers: tiersOf(found, tokens),
    importance: importanceOf(found),
    episode: episodeOf(found),
  }
}

function tiersOf(found: Found, tokens: number): Compartment["tiers"] {
  const names = rankNames(found.names)
  const tier = (at: 0 | 1 | 2 | 3): string => {
    const wanted = Math.max(tierTokensMin[at], tokens * tierShares[at])
    const budget = Math.floor(Math.min(wanted, tokens * shareMax * (1 - at * 0.2), tierTokensMax[at]))
    return tierText(found.items, names, budget, at)
  }
  return [tier(0), tier(1), tier(2), tier(3)]
}

/** A compartment over one huge stretch is not larger than others. */
const tierTokensMax = [1_000, 380, 140, 40] as const
/** How much of a tier the lines may take; names fill the rest. */
const linesShare = [0.55, 0.5, 0.6, 1] as const

/** The best lines that fit, in the order of time, and the names that stand in none of them. */
function tierText(
  items: readonly Item[],
  names: readonly string[],
  tokensMax: number,
  at: 0 | 1 | 2 | 3,
): string {
  const whole = at < 2
  let left = tokensMax * linesShare[at]
  const chosen: { readonly item: Item; readonly line: string }[] = []
  for (const item of items.toSorted((a, b) => b.score - a.score || b.seq - a.seq)) {
    if (at === 3 && item.kind !== "user" && item.kind !== "task") continue
    const full = lineOf(item, item.text)
    const line = whole && tokensOf(full) + 1 <= left ? full : lineOf(item, item.short)
    const cost = tokensOf(line) + 1
    if (cost > left) continue
    left -= cost
    chosen.push({ item, line })
  }
  const lines = chosen.toSorted((a, b) => a.item.seq - b.item.seq).map(({ line }) => line)
  const used = tokensMax * linesShare[at] - left
  const named = at === 3 ? "" : nameLine(names, lines.join("\n"), tokensMax - used)
  return [...lines, ...(named === "" ? [] : [named])].join("\n")
}

const marks: Readonly<Record<ItemKind, string>> = {
  user: "U",
  said: "A",
  error: "E",
  task: "T",
  run: "R",
  file: "F",
  notice: "S",
}

const lineOf = ({ kind, seq }: Item, text: string): string => `${marks[kind]} #${seq} ${text}`

function nameLine(names: readonly string[], said: string, tokensMax: number): string {
  const shown: string[] = []
  let left = tokensMax - 2
  for (const name of names) {
    const cost = (Buffer.byteLength(name) + 1) / 3.5
    if (cost > left) continue
    if (said.includes(name) || shown.some((other) => other.includes(name))) continue
    left -= cost
    shown.push(name)
    if (left < 2) break
  }
  return shown.length === 0 ? "" : `N ${shown.join(" ")}`
}

/** The likeliest to be asked for again first: often used by the model or the user, and late. */
function rankNames(names: ReadonlyMap<string, Named>): readonly string[] {
  return [...names]
    .filter(([, { weight }]) => weight >= nameWeightMin)
    .map(([name, named]) => ({ name, named, score: scoreOf(name, named) }))
    .toSorted((a, b) => b.score - a.score || b.named.lastSeq - a.named.lastSeq || (a.name < b.name ? -1 : 1))
    .slice(0, namesRankedMax)
    .map(({ name }) => name)
}

const nameWeightMin = 2
const namesRankedMax = 400

/** By what it costs to show: a long name has to be worth it. */
const scoreOf = (name: string, { weight, messages }: Named): number =>
  (Math.log2(1 + weight) * (1 + 0.5 * Math.log2(messages))) / Math.sqrt(4 + Buffer.byteLength(name) / 3.5)

function titleOf({ items }: Found, stretch: readonly Weighed[]): string {
  const spoken = stretch.find(({ message }) => message.kind === "user")?.message
  const words = spoken?.kind === "user" && spoken.quarantined === undefined ? oneLine(spoken.text) : ""
  if (words !== "") return clip(words, titleTokens)
  const best = items.toSorted((a, b) => b.score - a.score || a.seq - b.seq)[0]
  return best === undefined ? "work without words" : clip(best.short, titleTokens)
}

const titleTokens = 12

function importanceOf({ directives, edits, errors, calls }: Found): number {
  const idle = calls > 0 && edits === 0 && directives === 0 ? 10 : 0
  const value = 45 + Math.min(25, 6 * directives) + Math.min(12, 2 * edits) + Math.min(6, errors) - idle
  return Math.max(1, Math.min(100, value))
}

function episodeOf({ directives, edits, errors, calls }: Found): string {
  if (edits > 0) return errors > edits ? "debugging" : "change"
  if (errors > 2) return "debugging"
  if (calls > 0) return "exploration"
  return directives > 0 ? "directive" : "talk"
}
