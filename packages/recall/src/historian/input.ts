/** What the user said, as items: each rule by itself, and the rest of their words (HI1). */
import { type Around, isAsked, standingAround, standingMin, standingScore } from "./standing.ts"
import { type Passage, passagesOf } from "./paste.ts"
import { clipLine, namesOfText, oneLine, scanned, sentences, tokensOf } from "./words.ts"
import type { Item } from "./items.ts"

/** A message up to here is one item, of a longer one each sentence is. */
const wholeTokens = 90
const sentenceTokens = 240
const sentencesMax = 40
const rulesMax = 60
const earlySeq = 80

/** Where a message stands. */
export interface Said {
  readonly seq: number
  readonly quiet: boolean
}

export interface InputItems {
  readonly items: readonly Item[]
  readonly directives: number
}

/** Short words of the user stand whole; longer ones sentence by sentence, the first and the last before all. */
export function inputItems(text: string, { seq, quiet }: Said): InputItems {
  if (oneLine(text) === "") return { items: [], directives: 0 }
  const points = pointsOf(text)
  const own = points.map(ownScore)
  const rules = own.filter((score) => score >= standingMin).length
  const among = rules >= points.length * amongShare
  const short = tokensOf(text) <= quietTokens
  const scores = points.map(({ listed }, at) => {
    const around: Around = {
      listed: listed && points.length >= 3,
      amongRules: among && rules - Number((own[at] ?? 0) >= standingMin) >= 2,
      quiet: quiet && short,
      early: seq <= earlySeq,
    }
    const score = own[at] ?? 0
    if (score < 0 || !isSentence(points[at]?.words ?? "", score > 0 ? 2 : 3)) return Math.min(0, score)
    return score + standingAround(around)
  })
  // A sentence that holds a rule is one, with all that qualifies it.
  const best = new Map<number, number>()
  for (const [n, { at }] of points.entries())
    best.set(at, Math.max(best.get(at) ?? -Infinity, scores[n] ?? 0))
  const said = points.filter(({ at }, n) => at !== points[n - 1]?.at)
  const isRule = ({ at }: Point): boolean => (best.get(at) ?? 0) >= standingMin
  const found = said
    .filter(isRule)
    .map(({ whole, at }) => inputItem(seq, whole, "rule", 100 + (best.get(at) ?? 0) / 4))
  const others = said.filter((point) => !isRule(point)).map(({ sentence, at }) => ({ words: sentence, at }))
  const kept = found.toSorted((a, b) => b.score - a.score).slice(0, rulesMax)
  return {
    items: [...found.filter((one) => kept.includes(one)), ...otherItems(seq, others)],
    directives: kept.length,
  }
}

/** Of a message, what has to be rules for the rest of it to be likely to be some. */
const amongShare = 1 / 4
const pastedScore = -50

/** What a sentence counts up is asked where all of it is, and says no more than it where a part has no mark of its own. */
function ownScore({ words, whole, pasted }: Point): number {
  if (pasted) return pastedScore
  const score = standingScore(words)
  if (words === whole) return score
  return isAsked(whole) || score <= 0 ? Math.min(score, standingScore(whole)) : score
}

/** What is no more than a word or two says nothing by where it stands alone. */
const isSentence = (words: string, least: number): boolean =>
  (words.match(/\p{L}{2,}/gu) ?? []).length >= least ||
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{5}/u.test(words)

/** A message this long that is answered without a call tells more than it asks. */
const quietTokens = 400

/** Words that stand together, and where. */
interface Rest {
  readonly words: string
  readonly at: number
}

function otherItems(seq: number, rest: readonly Rest[]): readonly Item[] {
  const whole = joined(rest)
  if (whole === "") return []
  if (tokensOf(whole) <= wholeTokens) return [inputItem(seq, whole, "user", 100)]
  const scored = rest.map(({ words }, at) => {
    const place = at === 0 ? 40 : at === rest.length - 1 ? 20 : 0
    return { words, at, score: 55 + place + Math.min(12, 3 * namesOfText(words).size) }
  })
  return scored
    .toSorted((a, b) => b.score - a.score || a.at - b.at)
    .slice(0, sentencesMax)
    .toSorted((a, b) => a.at - b.at)
    .map(({ words, score }) => inputItem(seq, words, "user", score))
}

/** What did not stand side by side is not told as if it had. */
const joined = (rest: readonly Rest[]): string =>
  rest.reduce((text, { words, at }, n) => {
    const before = rest[n - 1]
    return before === undefined ? words : `${text} ${at === before.at + 1 ? "" : "… "}${words}`
  }, "")

const inputItem = (seq: number, words: string, kind: "rule" | "user", score: number): Item => ({
  kind,
  seq,
  text: JSON.stringify(clipLine(words, sentenceTokens)),
  short: JSON.stringify(clipLine(words, 10)),
  score,
})

interface Point {
  readonly words: string
  /** Nobody's own words, as a whole. */
  readonly pasted: boolean
  /** It has a mark of a list, or is one of several in a row. */
  readonly listed: boolean
  /** The sentence that it stands in, without and with the mark of its list, and which of all; a number is left out where something else stood. */
  readonly whole: string
  readonly sentence: string
  readonly at: number
}

const bullet = /^\s*(?:[-*•–·・]|\(?\d{1,2}[.):]|\(?[a-z]\)|[①-⑳]|\d{1,2}、)\s*/u
const fenced = /```[\s\S]*?(?:```|$)/g

/** Sentences, lines of a list, what one sentence counts up, and what was pasted as a whole; nothing of what stands between fences. */
function pointsOf(text: string): readonly Point[] {
  const points: Point[] = []
  let at = 0
  for (const { text: stretch, pasted } of scanned(text).split(fenced).flatMap(withGap)) {
    if (pasted) {
      const words = oneLine(stretch)
      points.push({ words, pasted, listed: false, whole: words, sentence: words, at })
      at += 1
    }
    for (const line of pasted ? [] : linesOf(stretch)) {
      const mark = bullet.exec(line)?.[0] ?? ""
      for (const [n, words] of sentences(line.slice(mark.length)).entries()) {
        const sentence = n === 0 ? `${mark.trimStart()}${words}` : words
        const counted = countedUp(words)
        const listed = mark !== "" || (counted.length > 1 && counted.some((one) => standingScore(one) > 0))
        points.push(
          ...counted.map((one) => ({ words: one, pasted: false, listed, whole: words, sentence, at })),
        )
        at += 1
      }
    }
    if (stretch === "") at += 1
  }
  return points.slice(0, pointsMax)
}

/** What stands on either side of a fence did not stand side by side. */
const withGap = (stretch: string): readonly Passage[] => [...passagesOf(stretch), { text: "", pasted: false }]

/** A line that was only wrapped goes on. */
const linesOf = (text: string): readonly string[] =>
  text
    .replaceAll(/(?<=[^\n.!?:;…。！？])\n(?=\p{Ll}(?![.)]))/gu, " ")
    .split("\n")
    .flatMap(numbered)

/** A list in one line, `1. … 2. …`; a number alone, as in "Day 1.", begins none. */
const numbered = (line: string): readonly string[] =>
  (line.match(/(?:^|\s)\(?\d{1,2}[.)]\s+\S/gu) ?? []).length < 2
    ? [line]
    : line.split(/(?<=[^\s\d])\s+(?=\(?\d{1,2}[.)]\s+\S)/u)

const pointsMax = 400
const countedUnitsMax = 60

/** What stands between semicolons, or between commas where these part three or more short things. */
export function countedUp(sentence: string): readonly string[] {
  const [, head = "", rest = sentence] = /^([^:;,]{1,40}: )(.+)$/u.exec(sentence) ?? []
  for (const between of [/;\s+|；/u, /,\s+(?:and |und |et |y )?|、|，/u]) {
    const parts = rest.split(between).filter((part) => part.trim() !== "")
    if (parts.length < 3 && !(parts.length === 2 && between.source.startsWith(";"))) continue
    if (parts.every((part) => part.length <= countedUnitsMax))
      return [`${head}${parts[0] ?? ""}`, ...parts.slice(1)]
  }
  return [sentence]
}
