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
import { findItems, type Found, type Item, type ItemKind, type Named, type TouchedFile } from "./items.ts"
import { clipLine, oneLine, tokensOf } from "./words.ts"

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

/** A compartment is about so large; a cut aims at no more of them than this, and never makes twice as many. */
const stretchTokens = 10_000
export const compartmentsPerCutMax = 24

/** Of what it stands for, and at most; a tier never exceeds either. */
const tierShares = [0.1, 0.055, 0.03, 0.016] as const
const tierTokensMin = [110, 60, 32, 0] as const
const tierTokensMax = [1_600, 900, 480, 240] as const
const shareMax = 0.4

/** The span is covered from its beginning to its end. What stays raw needs no names. */
export function extract(
  weighed: readonly Weighed[],
  { fromSeq, toSeq }: Span,
  stays: readonly Message[] = [],
): readonly Compartment[] {
  const stretches = divide(weighed)
  const found = stretches.map((stretch) => findItems(stretch.map(({ message }) => message)))
  const names = shareNames(found, findItems(stays))
  return stretches.map((stretch, at) => {
    const before = stretches[at - 1]?.at(-1)?.message.seq
    const last = at === stretches.length - 1
    const span = {
      fromSeq: before === undefined ? fromSeq : before + 1,
      toSeq: last ? toSeq : (stretch.at(-1)?.message.seq ?? toSeq),
    }
    return compartmentOf(stretch, span, found[at] as Found, names[at] ?? [])
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

function compartmentOf(
  stretch: readonly Weighed[],
  span: Span,
  found: Found,
  names: readonly string[],
): Compartment {
  const tokens = stretch.reduce((sum, one) => sum + one.tokens, 0)
  const tier = (at: TierIndex): string => {
    const wanted = Math.max(tierTokensMin[at], tokens * tierShares[at])
    const most = Math.min(wanted, tokens * shareMax * (1 - at * 0.2), tierTokensMax[at])
    return tierText(found, names, Math.floor(most), at)
  }
  return {
    id: compartmentId(span),
    ...span,
    title: titleOf(found, stretch),
    tiers: [tier(0), tier(1), tier(2), tier(3)],
    importance: importanceOf(found),
    episode: episodeOf(found),
  }
}

type TierIndex = 0 | 1 | 2 | 3

/** How much of a tier lines and files may take; names fill the rest. Rules and tasks may take more. */
const standingShare = 0.75
const linesShare = [0.27, 0.27, 0.35, 1] as const
const filesShare = [0.18, 0.18, 0.18, 0] as const

/** The best lines that fit, in the order of time, the files, and the names that stand in neither. */
function tierText(found: Found, names: readonly string[], tokensMax: number, at: TierIndex): string {
  const lines = chooseLines(found.items, tokensMax, at)
  const files = fileLines(found.files, tokensMax * filesShare[at])
  const said = [...lines, ...files].join("\n")
  const named = at === 3 ? [] : nameLine(names, said, tokensMax - tokensOf(said) - 1)
  return [...lines, ...files, ...named].join("\n")
}

function chooseLines(items: readonly Item[], tokensMax: number, at: TierIndex): readonly string[] {
  const ranked = items.toSorted((a, b) => b.score - a.score || b.seq - a.seq)
  const chosen: { readonly item: Item; readonly line: string }[] = []
  let used = 0
  const choose = (some: readonly Item[], most: number) => {
    for (const item of some) {
      const full = lineOf(item, item.text)
      const line = at < 2 && used + tokensOf(full) + 1 <= most ? full : lineOf(item, item.short)
      const cost = tokensOf(line) + 1
      if (used + cost > most) continue
      used += cost
      chosen.push({ item, line })
    }
  }
  choose(ranked.filter(isStanding), tokensMax * (at === 3 ? 1 : standingShare))
  const others = ranked.filter((item) => !isStanding(item) && (at < 3 || item.kind === "user"))
  choose(others, tokensMax * linesShare[at])
  return chosen.toSorted((a, b) => a.item.seq - b.item.seq).map(({ line }) => line)
}

const isStanding = ({ kind }: Item): boolean => kind === "rule" || kind === "task"

/** By their directories, which are named once; the changed ones and the last ones first. */
function fileLines(files: readonly TouchedFile[], tokensMax: number): readonly string[] {
  let left = tokensMax
  const byFolder = new Map<string, string[]>()
  const ranked = files.toSorted(
    (a, b) => Number(a.state === "read") - Number(b.state === "read") || b.seq - a.seq,
  )
  for (const { path, seq, state } of ranked) {
    const end = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1
    const [folder, name] = [path.slice(0, end), path.slice(end)]
    const entry = `${name} ${state} #${seq}`
    const known = byFolder.get(folder)
    const cost = tokensOf(entry) + 1 + (known === undefined ? tokensOf(folder) + 2 : 0)
    if (cost > left) continue
    left -= cost
    if (known === undefined) byFolder.set(folder, [entry])
    else known.push(entry)
  }
  return [...byFolder].map(
    ([folder, entries]) => `F ${folder === "" ? "" : `${folder} `}${entries.join(", ")}`,
  )
}

const marks: Readonly<Record<ItemKind, string>> = {
  rule: "D",
  user: "U",
  said: "A",
  error: "E",
  task: "T",
  run: "R",
  notice: "S",
}

const lineOf = ({ kind, seq }: Item, text: string): string => `${marks[kind]} #${seq} ${text}`

function nameLine(names: readonly string[], said: string, tokensMax: number): readonly string[] {
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
  return shown.length === 0 ? [] : [`N ${shown.join(" ")}`]
}

/** Each name for the last stretch that uses it, the likeliest to be asked for again first; none that the tail shows. */
function shareNames(found: readonly Found[], stays: Found): readonly (readonly string[])[] {
  const all = new Map<string, Named>()
  for (const { names } of found)
    for (const [name, { weight, lastSeq }] of names)
      all.set(name, { weight: weight + (all.get(name)?.weight ?? 0), lastSeq })
  const taken = new Set(stays.names.keys())
  const shared: (readonly string[])[] = []
  for (const { names } of found.toReversed()) {
    const own = [...names.keys()].filter((name) => !taken.has(name))
    for (const name of own) taken.add(name)
    shared.unshift(rankNames(own.map((name) => [name, all.get(name) as Named] as const)))
  }
  return shared
}

function rankNames(names: readonly (readonly [string, Named])[]): readonly string[] {
  return names
    .map(([name, named]) => ({ name, named, score: scoreOf(name, named) }))
    .toSorted((a, b) => b.score - a.score || b.named.lastSeq - a.named.lastSeq || (a.name < b.name ? -1 : 1))
    .slice(0, namesRankedMax)
    .map(({ name }) => name)
}

const namesRankedMax = 600

/** By what it costs to show: a long name has to be worth it. */
const scoreOf = (name: string, { weight }: Named): number =>
  Math.log2(1 + weight) / Math.sqrt(4 + Buffer.byteLength(name) / 3.5)

function titleOf({ items }: Found, stretch: readonly Weighed[]): string {
  const spoken = stretch.find(({ message }) => message.kind === "user")?.message
  const words = spoken?.kind === "user" && spoken.quarantined === undefined ? oneLine(spoken.text) : ""
  if (words !== "") return clipLine(words, titleTokens)
  const best = items.toSorted((a, b) => b.score - a.score || a.seq - b.seq)[0]
  return best === undefined ? "work without words" : clipLine(best.short, titleTokens)
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
