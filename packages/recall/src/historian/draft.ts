/**
 * Compartments of a draft: its paraphrases in the four tiers, and beside them what the runtime itself finds in
 * the messages, so that no model decides what becomes of the user's words and of names.
 *
 * What the user said, and tasks, stand in each tier as they were said, by their message, and the fullest one has
 * the names that the extractive historian would keep: a paraphrase never makes a window poorer than none. A draft
 * cannot write such lines: each of its own begins with `H` (PR7). Each tier is bounded, and shorter than what it stands for.
 */
import type { Compartment } from "@holdfast/schema/fact/recall"
import type { Message } from "@holdfast/schema/message"
import { rawTokens } from "../size.ts"
import type { Published } from "../history/publish.ts"
import type { Chunk } from "./chunk.ts"
import { compartmentId, heldLines, namesBeside, shareNames, type Span, type TierIndex } from "./extract.ts"
import { findItems, type Found, type Item } from "./items.ts"
import type { Graded } from "./names.ts"
import type { Draft, DraftPart } from "./output.ts"
import { clipLine, oneLine, tokensOf } from "./words.ts"

/** What a tier may hold at most, and how much of it may be lines of the runtime. */
const tierTokensMax = [1_600, 900, 480, 240] as const
const standingShare = 0.5
/** A tier of a stretch is no longer than this share of what the historian read of it. */
const shareMax = [0.6, 0.4, 0.25, 0.15] as const
const tierTokensMin = 60

export interface Written {
  readonly span: Span
  readonly compartments: readonly Compartment[]
  readonly events: Published["events"]
  readonly facts: Published["facts"]
}

/** Of the parts that are kept; null where none is. Their messages are those of the chunk. */
export function writtenBy(
  { facts, events }: Draft,
  parts: readonly DraftPart[],
  chunk: Chunk,
  messages: readonly Message[],
): Written | null {
  const last = parts.at(-1)
  if (last === undefined) return null
  const whole = last.to === chunk.entries.length
  const seqOf = (ordinal: number) => chunk.entries[ordinal - 1]?.seq ?? chunk.toSeq
  const startOf = (part: DraftPart) => (part.from === 1 ? chunk.fromSeq : seqOf(part.from))
  const stretches = parts.map((part, at) => {
    const following = parts[at + 1]
    const next = following === undefined ? null : startOf(following)
    const end = whole ? chunk.toSeq : seqOf(last.to + 1) - 1
    const span = { fromSeq: startOf(part), toSeq: next === null ? end : next - 1 }
    const inside = messages.filter(({ seq }) => seq >= span.fromSeq && seq <= span.toSeq)
    return {
      part,
      span,
      tokens: inside.reduce((sum, message) => sum + rawTokens(message), 0),
      found: findItems(inside),
    }
  })
  const names = shareNames(
    stretches.map(({ found }) => found),
    messages.length,
  )
  const compartments = stretches.map((stretch, at) => compartmentOf(stretch, names[at] ?? []))
  return {
    span: { fromSeq: chunk.fromSeq, toSeq: compartments.at(-1)?.toSeq ?? chunk.toSeq },
    compartments,
    events: events.flatMap(({ at, text }) =>
      at >= 1 && at <= last.to ? [{ seq: seqOf(at) as Published["events"][number]["seq"], text }] : [],
    ),
    facts,
  }
}

/** A part with what it covers: how large that is, and what is found in it. */
interface Stretch {
  readonly part: DraftPart
  readonly span: Span
  readonly tokens: number
  readonly found: Found
}

function compartmentOf({ part, span, tokens, found }: Stretch, names: readonly Graded[]): Compartment {
  const standing = found.items.filter(isStanding)
  const tier = (at: TierIndex): string => {
    const most = Math.min(tierTokensMax[at], Math.max(tierTokensMin, Math.floor(tokens * shareMax[at])))
    const held = standingLines(standing, Math.floor(most * standingShare), at)
    const left = most - held.reduce((sum, line) => sum + tokensOf(line) + 1, 0)
    const lines = [...held, ...paraphrase(part.tiers[at], left)]
    return (at > 0 ? lines : [...lines, ...namesBeside(lines, names, tokens)]).join("\n")
  }
  return {
    id: compartmentId(span),
    ...span,
    title: part.title || "work",
    tiers: [tier(0), tier(1), tier(2), tier(3)],
    importance: part.importance,
    episode: part.kind === "archive" ? "work" : part.kind,
  }
}

/** What a draft is not asked for: it is taken from the messages themselves. */
const isStanding = ({ kind }: Item): boolean => kind === "rule" || kind === "task" || kind === "user"

/** What must not be lost, and then the user's other words, the weightiest that fit, in the order of time. */
function standingLines(items: readonly Item[], tokensMax: number, at: TierIndex): readonly string[] {
  const most = at === 0 ? heldTokensMax : tokensMax
  const chosen = heldLines(items, most, at).map((one) => ({ ...one, place: -1 }))
  let used = chosen.reduce((sum, { line }) => sum + tokensOf(line) + 1, 0)
  const said = items.filter(({ kind }) => kind === "user")
  for (const item of said.toSorted((a, b) => b.score - a.score || b.seq - a.seq)) {
    const { seq, text, short } = item
    const line = [text, short]
      .slice(at < 2 ? 0 : 1)
      .map((words) => `U #${seq} ${words}`)
      .find((each) => used + tokensOf(each) + 1 <= most)
    if (line === undefined) continue
    used += tokensOf(line) + 1
    chosen.push({ seq, line, place: said.indexOf(item) })
  }
  return chosen.toSorted((a, b) => a.seq - b.seq || a.place - b.place).map(({ line }) => line)
}

/** Of the fullest tier, whatever a model wrote beside it: the window shortens it where it has to. */
const heldTokensMax = 2_400

const linesMax = 40

/** Line by line, so that nothing in it can pass for another compartment or for somebody's words. */
function paraphrase(text: string, tokensMax: number): readonly string[] {
  const lines: string[] = []
  let left = tokensMax
  for (const line of text
    .split("\n")
    .map(oneLine)
    .filter((each) => each !== "")
    .slice(0, linesMax)) {
    if (left < 8) break
    const shown = clipLine(`H ${line}`, left - 1)
    left -= tokensOf(shown) + 1
    if (shown.length > 2) lines.push(shown)
  }
  return lines
}
