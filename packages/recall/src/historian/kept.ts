/**
 * What compartments hold of the user's words and of tasks, line by line: `D` what they asked to hold, `T` tasks, `U` what else
 * they said. It decays apart from prose, and goes before names: which of all these lines stand in the window is chosen on a
 * Fold over all compartments at once, the weightiest first (DK1). Where room is short each is shortened to the words that tell
 * it from others, all of them before any is left out, so that who reads it knows what is behind its handle (HI1).
 */
import type { Compartment } from "@holdfast/schema/fact/recall"
import { isPasted, standingMin, standingScore } from "./standing.ts"
import { clipLine, tokensOf } from "./words.ts"
import { inClauses } from "./clauses.ts"
import { countedUp } from "./input.ts"

export interface Kept {
  readonly mark: "D" | "T" | "U"
  readonly seq: number
  /** As a line has it behind its handle; empty where only the handle is left. */
  readonly text: string
}

const keptLine = /^([DTU]) (?=#\d)/

export const withoutKept = (tier: string): string =>
  tier
    .split("\n")
    .filter((line) => !keptLine.test(line))
    .join("\n")

export const keptIn = (tier: string): readonly Kept[] =>
  tier.split("\n").flatMap((line): Kept[] => {
    const mark = keptLine.exec(line)?.[1] as Kept["mark"] | undefined
    if (mark === undefined) return []
    const [, handle = "", text = ""] = /^#(\d+)(?: (.*))?$/.exec(line.slice(2)) ?? []
    const bare = /^(?:#\d+ ?)+$/.test(line.slice(2))
    if (!bare) return handle === "" ? [] : [{ mark, seq: Number(handle), text }]
    return [...line.matchAll(/\d+/g)].map(([seq]) => ({ mark, seq: Number(seq), text: "" }))
  })

/** All that a compartment has: its fullest tier, and what only a shorter one says. */
export function keptOf({ tiers: [fullest, ...shorter] }: Pick<Compartment, "tiers">): readonly Kept[] {
  const found = keptIn(fullest)
  const known = new Set(found.filter(({ text }) => text !== "").map(handleOf))
  const more = shorter.flatMap((tier) => {
    const added = keptIn(tier).filter((one) => one.text !== "" && !known.has(handleOf(one)))
    for (const one of added) known.add(handleOf(one))
    return added
  })
  return [...found, ...more]
}

const handleOf = ({ mark, seq }: Kept): string => `${mark} ${seq}`

/** Of every compartment all, each once: of what says the same, and of a task, the last. */
interface Ranked {
  readonly kept: Kept
  readonly part: number
  /** Where it stood among all. */
  readonly at: number
  readonly rank: number
  /** One of many that differ by a number alone. */
  readonly repeats: boolean
  /** One of so many of its message that somebody else may have said it. */
  readonly crowded: boolean
}

function rankedOf(parts: readonly (readonly Kept[])[]): readonly Ranked[] {
  const last = new Map<string, Ranked>()
  const begun = new Set<number>()
  const crowds = crowdsOf(parts.flat())
  let count = 0
  let at = 0
  for (const [part, entries] of parts.entries())
    for (const kept of entries) {
      if (kept.mark !== "T") count += 1
      const begins = kept.mark === "U" && !begun.has(kept.seq)
      begun.add(kept.seq)
      const rank = readingOf(kept).rank + (count <= earlySaid ? 15 : 0) + (begins ? beginsRank : 0)
      const key = kept.text === "" ? handleOf(kept) : sameness(kept)
      last.delete(key)
      at += 1
      last.set(key, { kept, part, at, rank, repeats: false, crowded: count > earlySaid && crowds.has(kept) })
    }
  // Of what is shown by its words no handle is needed.
  const worded = new Set([...last.values()].flatMap(({ kept }) => (kept.text === "" ? [] : [handleOf(kept)])))
  const each = [...last]
    .filter(([key, { kept }]) => kept.text !== "" || !worded.has(key))
    .map(([, one]) => one)
    .toReversed()
  const said = each.filter(({ kept }) => kept.mark === "U")
  const alike = Map.groupBy(said, ({ kept }) => sameness(kept).replaceAll(/\d+/g, "0"))
  const repeated = new Set([...alike.values()].flatMap((some) => some.slice(repeatsMax, -1)))
  const dropped = new Set([...alike.values()].flatMap((some) => some.slice(repeatsRoomyMax, -1)))
  return each
    .filter((one) => !dropped.has(one))
    .map((one) => (repeated.has(one) ? { ...one, repeats: true } : one))
    .toSorted(
      (a, b) =>
        Number(a.repeats) - Number(b.repeats) ||
        b.rank - a.rank ||
        b.part - a.part ||
        b.kept.seq - a.kept.seq,
    )
}

/** Of a message that says so much, somebody else may have written what is neither its beginning nor its end. */
function crowdsOf(all: readonly Kept[]): ReadonlySet<Kept> {
  const said = Map.groupBy(
    all.filter(({ mark, text }) => mark !== "T" && text !== ""),
    ({ seq }) => seq,
  )
  const long = [...said.values()].filter(({ length }) => length > crowdMin)
  return new Set(long.flatMap((some) => some.filter(({ mark }) => mark === "D").slice(crowdEdge, -crowdEdge)))
}

const crowdMin = 8
const crowdEdge = 2

/** Of words that differ by a number alone, the last of them, and the first; more where there is room for all that is said. */
const repeatsMax = 3
const repeatsRoomyMax = 20
const earlySaid = 30
/** How a message begins tells most of what it is about. */
const beginsRank = 10

function sameness({ mark, text }: Kept): string {
  if (mark === "T") return `T ${text.replace(/^[^:]*: /, "")}`
  return `${mark} ${text.toLowerCase()}`
}

const ended = /^"?[^:]*(?:complete|done|cancel)/i

function weigh({ mark, text }: Kept): number {
  if (mark === "T") return ended.test(text) ? 190 : 260
  return (mark === "D" ? heldRank : 100) + standingScore(unquoted(text))
}

const heldRank = 200
/** By its own words, and not only by where it stood. */
const ruleRank = heldRank + standingMin

interface Reading {
  readonly rank: number
  /** Code, a log or a table, which is nobody's own words. */
  readonly pasted: boolean
  readonly few: string
  readonly more: string
}

/** A line never changes: each is read once, however many Folds choose among them. */
const readings = new WeakMap<Kept, Reading>()

function readingOf(kept: Kept): Reading {
  const known = readings.get(kept)
  if (known !== undefined) return known
  const [few, more] = shortTokens.map((tokensMax) => shortened(kept, tokensMax)) as [string, string]
  const made = { rank: weigh(kept), pasted: isPasted(unquoted(kept.text)), few, more }
  readings.set(kept, made)
  return made
}

/** A line may begin with a quotation, which is whole, or with words that are left of one. */
const unquoted = (text: string): string => {
  if (!text.startsWith('"')) return text
  try {
    return String(JSON.parse(text))
  } catch {
    return text
  }
}

const countedMax = 6

/** In a few words, in more of them, or whole. */
const shortTokens = [12, 22] as const

function shortened({ mark, text }: Kept, tokensMax: number): string {
  if (tokensOf(text) <= tokensMax) return text
  if (mark !== "T") {
    const said = unquoted(text)
    // What one sentence counts up has as much room as if each stood alone.
    const counted = mark === "D" ? Math.min(countedMax, countedUp(said).length) : 1
    return tokensOf(text) <= tokensMax * counted ? text : inClauses(said, tokensMax * counted)
  }
  const [status = "", ...rest] = text.split(": ")
  const words = inClauses(rest.join(": "), tokensMax)
  return rest.length === 0 ? clipLine(text, tokensMax) : `${clipLine(status, tokensMax)}: ${words}`
}

export interface KeptRoom {
  /** For what the user asked to hold and for tasks in their fewest words. */
  readonly fewest: number
  /** For the same in more words, and for what else they said. */
  readonly all: number
  readonly said: number
  /** For quotations in full, and for those in full that are somebody's own words. */
  readonly whole: number
  readonly own: number
  /** What a line for a compartment that shows nothing else costs. */
  readonly head: number
  /** Lines by themselves, as a tier keeps them, or all of one message on one. */
  readonly packed: boolean
}

/** Of a tier that keeps them by itself. */
export const ownRoom = (tokensMax: number): KeptRoom => ({
  fewest: tokensMax * ownShare,
  all: tokensMax,
  said: 0,
  whole: tokensMax,
  own: tokensMax,
  head: 0,
  packed: false,
})

/** Lines for each part, in its order. */
export function chooseKept(
  parts: readonly (readonly Kept[])[],
  room: KeptRoom,
): readonly (readonly string[])[] {
  const ranked = rankedOf(parts)
  const chosen = new Map<Ranked, string>()
  const headed = new Set<number>()
  const begun = new Set<string>()
  let used = 0
  const set = (one: Ranked, text: string, tokensMax: number): void => {
    const { mark, seq } = one.kept
    const before = chosen.get(one)
    const line = `${one.part} ${mark} ${text === "" ? "" : seq}`
    const start = before === undefined && (!room.packed || !begun.has(line)) ? startTokens : 0
    const head = headed.has(one.part) ? 0 : room.head
    const cost =
      costOf(text === "" ? `#${seq}` : text) - (before === undefined ? 0 : costOf(before)) + start + head
    if (used + cost > tokensMax) return
    used += cost
    headed.add(one.part)
    begun.add(line)
    chosen.set(one, text)
  }
  const worded = ranked.filter(({ kept }) => kept.text !== "")
  const standing = worded.filter(({ kept }) => kept.mark !== "U")
  const again = (some: readonly Ranked[], textOf: (kept: Kept) => string, bound: number): void => {
    for (const one of some) if (chosen.has(one)) set(one, textOf(one.kept), bound)
  }
  const spoken = standing.filter(({ kept }) => !readingOf(kept).pasted)
  const rules = spoken.filter(({ kept }) => readingOf(kept).rank >= ruleRank)
  // Of a message that says much at once the rest has room behind what was said alone.
  for (const crowded of [false, true]) {
    const fits = (one: Ranked): boolean => one.crowded === crowded
    for (const one of standing.filter(fits)) set(one, readingOf(one.kept).few, room.fewest)
    again(rules.filter(fits), (kept) => kept.text, room.fewest)
  }
  for (const one of ranked)
    if (!chosen.has(one) && one.kept.mark !== "U") set(one, "", room.fewest * (1 + handlesShare))
  again(standing, (kept) => readingOf(kept).more, room.all)
  again(spoken, (kept) => kept.text, room.all)
  const said = worded.filter(({ kept, repeats }) => kept.mark === "U" && !repeats)
  const saidMax = Math.min(Math.max(used, room.all), used + room.said)
  for (const one of said) set(one, readingOf(one.kept).few, saidMax)
  again(standing, (kept) => kept.text, room.whole)
  again(said, (kept) => kept.text, room.whole)
  const own = worded.filter(({ kept }) => !readingOf(kept).pasted)
  for (const one of own) set(one, chosen.get(one) ?? readingOf(one.kept).few, room.own)
  again(own, (kept) => kept.text, room.own)
  const texts = new Map([...chosen].map(([{ kept }, text]) => [kept, text]))
  const shown = new Set([...texts.keys()].map(sameness))
  const isGap = (kept: Kept): boolean =>
    room.packed && kept.mark === "U" && kept.text !== "" && !shown.has(sameness(kept))
  return parts.map((entries) => linesOf(entries, { texts, isGap, packed: room.packed }))
}

const handlesShare = 0.1
/** Of the room of a tier, what is for words. */
export const ownShare = 1 - handlesShare
const startTokens = 3
const costOf = (text: string): number => (Buffer.byteLength(text) + separator.length) / 3.5
const separator = " · "
const gap = "…"

interface Showing {
  readonly texts: ReadonlyMap<Kept, string>
  /** Whether it is left out, and nothing that says the same stands elsewhere. */
  readonly isGap: (kept: Kept) => boolean
  readonly packed: boolean
}

/** In the order in which it was said; what the user said between and is left out is marked. */
function linesOf(entries: readonly Kept[], { texts, isGap, packed }: Showing): readonly string[] {
  const lines = new Map<string, string[]>()
  let said: string[] = []
  let begun = false
  for (const kept of entries.toSorted((a, b) => a.seq - b.seq)) {
    const text = texts.get(kept)
    if (text === undefined) {
      if (isGap(kept) && said.at(-1)?.endsWith(gap) !== true) said.push(gap)
      continue
    }
    const { mark, seq } = kept
    const key = text === "" ? mark : packed ? `${mark} #${seq}` : `${mark} #${seq} ${text}`
    const known = lines.get(key)
    // What is left out before the first line stands at its beginning.
    const line = known ?? (mark === "U" && !begun ? said : [])
    const piece = text === "" ? `#${seq}` : text
    if (text !== "" || !line.includes(piece)) line.push(piece)
    if (known === undefined) lines.set(key, line)
    if (mark !== "U") continue
    said = line
    begun = true
  }
  return [...lines].map(([key, pieces]) => {
    if (key.length === 1) return `${key} ${pieces.join(" ")}`
    return packed ? `${key} ${key.startsWith("T") ? byStatus(pieces) : pieces.join(separator)}` : key
  })
}

/** Tasks with the same status say it once. */
function byStatus(texts: readonly string[]): string {
  const found = new Map<string, string[]>()
  for (const text of texts) {
    const end = text.indexOf(": ")
    const [status, words] = end === -1 ? ["", text] : [text.slice(0, end), text.slice(end + 2)]
    found.set(status, [...(found.get(status) ?? []), words])
  }
  return [...found]
    .map(([status, words]) => `${status === "" ? "" : `${status}: `}${words.join(separator)}`)
    .join("; ")
}
