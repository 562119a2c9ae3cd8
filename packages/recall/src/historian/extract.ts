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
import {
  findItems,
  type Found,
  type Item,
  type ItemKind,
  type Named,
  summaryBegins,
  type TouchedFile,
} from "./items.ts"
import { chooseKept, keptIn, ownRoom, ownShare } from "./kept.ts"
import { gradeNames, type Graded, nameLines } from "./names.ts"
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

/** Of what it stands for; rules and tasks may take more, up to the most that a tier may have. */
const tierShares = [0.045, 0.026, 0.016, 0.01] as const
const tierTokensMin = [110, 60, 32, 0] as const
const tierTokensMax = [2_400, 600, 360, 280] as const
const shareMax = 0.4
const heldShare = 0.75
/** The names of its fullest tier, beside that. */
const namesShare = 0.25
const namesTokensMax = 6_000

/** The span is covered from its beginning to its end. */
export function extract(weighed: readonly Weighed[], { fromSeq, toSeq }: Span): readonly Compartment[] {
  const stretches = divide(weighed)
  const found = stretches.map((stretch) => findItems(stretch.map(({ message }) => message)))
  const names = shareNames(found, weighed.length)
  const files = shareFiles(found)
  return stretches.map((stretch, at) => {
    const before = stretches[at - 1]?.at(-1)?.message.seq
    const last = at === stretches.length - 1
    const span = {
      fromSeq: before === undefined ? fromSeq : before + 1,
      toSeq: last ? toSeq : (stretch.at(-1)?.message.seq ?? toSeq),
    }
    return compartmentOf(stretch, span, { ...(found[at] as Found), files: files[at] ?? [] }, names[at] ?? [])
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
  names: readonly Graded[],
): Compartment {
  const tokens = stretch.reduce((sum, one) => sum + one.tokens, 0)
  const tier = (at: TierIndex): string => {
    const share = at === 0 ? heldShare : shareMax * (1 - at * 0.2)
    const most = Math.floor(Math.min(tokens * share, tierTokensMax[at]))
    const wanted = Math.min(tokens * shareMax, most, Math.max(tierTokensMin[at], tokens * tierShares[at]))
    const held = at === 0 ? Math.max(most, Math.min(wordsTokens(found.items), tierTokensMax[at])) : most
    const lines = tierLines(found, { wanted, most, held }, at)
    return (at > 0 ? lines : [...lines, ...namesBeside(lines, names, tokens)]).join("\n")
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

/** What the user said and tasks take as lines, however little else there is beside them. */
const wordsTokens = (items: readonly Item[]): number =>
  items
    .filter((item) => isStanding(item) || item.kind === "user")
    .reduce((sum, item) => sum + tokensOf(lineOf(item, item.text)) + lineTokens, 0) / ownShare
const lineTokens = 5

/** The lines of names that a fullest tier has beside its other lines, for a stretch of so many tokens. */
export function namesBeside(
  lines: readonly string[],
  names: readonly Graded[],
  tokens: number,
): readonly string[] {
  const left = Math.max(0, tokens * 2 * shareMax - tokensOf(lines.join("\n")))
  return nameLines(names, Math.min(Math.max(tokens * namesShare, tierTokensMin[0]), left, namesTokensMax))
}

export type TierIndex = 0 | 1 | 2 | 3

interface TierRoom {
  readonly wanted: number
  readonly most: number
  /** For the user's words and tasks. */
  readonly held: number
}

/** How much of what is wanted files may take; lines may take the rest, rules and tasks before all. */
const filesShare = [0.35, 0.3, 0.25, 0] as const

/** The best lines that fit, in the order of time, and the files. */
function tierLines(found: Found, { wanted, most, held }: TierRoom, at: TierIndex): readonly string[] {
  const files = fileLines(found.files, wanted * filesShare[at])
  const taken = files.length === 0 ? 0 : tokensOf(files.join("\n")) + 1
  const room = { wanted: wanted - taken, most: most - taken, held: at === 0 ? held : most - taken }
  return [...chooseLines(found.items, room, at), ...files]
}

/**
 * What the user asked to hold and tasks as far as they go, each in fewer words before one is left out; in the fullest tier what
 * else they said, as they said it: how much of that a window shows is for its Folds to choose. Then the best of the rest.
 */
function chooseLines(
  items: readonly Item[],
  { wanted, most, held }: TierRoom,
  at: TierIndex,
): readonly string[] {
  const chosen = heldLines(items, held, at).map((one) => ({ ...one, place: -1 }))
  let used = chosen.reduce((sum, { line }) => sum + tokensOf(line) + 1, 0)
  const add = (some: readonly Item[], room: number): void => {
    for (const item of some.toSorted((a, b) => b.score - a.score || b.seq - a.seq)) {
      const lines = [item.text, item.short].slice(at < 2 ? 0 : 1).map((text) => lineOf(item, text))
      const line = lines.find((one) => used + tokensOf(one) + 1 <= room)
      if (line === undefined) continue
      used += tokensOf(line) + 1
      chosen.push({ seq: item.seq, line, place: items.indexOf(item) })
    }
  }
  const said = items.filter(({ kind }) => at === 0 && kind === "user")
  add(said, held)
  // What is held takes no more than half of what the rest may have.
  const room = Math.min(most, Math.max(wanted, used + wanted / 2))
  const others = items.filter(
    (item) =>
      !isStanding(item) &&
      !said.includes(item) &&
      (at < 3 || item.kind === "user" || item.score >= summaryBegins),
  )
  add(others, room)
  // In the order in which it was said, within a message too.
  return chosen.toSorted((a, b) => a.seq - b.seq || a.place - b.place).map(({ line }) => line)
}

/** Lines of what must not be lost, for a tier. */
export function heldLines(items: readonly Item[], tokensMax: number, at: TierIndex) {
  const kept = keptIn(
    items
      .filter(isStanding)
      .map((item) => lineOf(item, at < 2 ? item.text : item.short))
      .join("\n"),
  )
  const [lines = []] = chooseKept([kept], ownRoom(tokensMax))
  return lines.map((line) => ({ line, seq: Number(/#(\d+)/.exec(line)?.[1]) }))
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
  summary: "H",
}

const lineOf = ({ kind, seq }: Item, text: string): string => `${marks[kind]} #${seq} ${text}`

/** Each file where it was touched last, with what had become of it by then. */
function shareFiles(found: readonly Found[]): readonly (readonly TouchedFile[])[] {
  const last = new Map<string, { readonly file: TouchedFile; readonly at: number }>()
  for (const [at, { files }] of found.entries())
    for (const file of files) {
      const before = last.get(file.path)?.file.state
      const state = file.state === "read" && before !== undefined ? before : file.state
      last.set(file.path, { file: { ...file, state }, at })
    }
  return found.map((_, at) => [...last.values()].filter((one) => one.at === at).map(({ file }) => file))
}

/** Each name for the last stretch that uses it. */
export function shareNames(found: readonly Found[], messages: number): readonly (readonly Graded[])[] {
  const all = new Map<string, Named & { readonly at: number }>()
  for (const [at, { names }] of found.entries())
    for (const [name, named] of names) {
      const known = all.get(name)
      const weight = named.weight + (known?.weight ?? 0)
      all.set(name, { weight, messages: named.messages + (known?.messages ?? 0), lastSeq: named.lastSeq, at })
    }
  const shared = found.map((): Graded[] => [])
  for (const one of gradeNames(all, messages)) shared[all.get(one.name)?.at ?? 0]?.push(one)
  return shared
}

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
