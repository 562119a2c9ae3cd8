/**
 * Names of compartments: paths, identifiers and numbers that may be asked for again.
 *
 * A compartment keeps more of them than a window can show, in lines of its fullest tier, by grade: `N7 …`
 * before `N1 …`. Which of all these stand in the window is chosen on a Fold, over all compartments at
 * once (DK1): the best first and of the same grade the newest, none that the tail shows anyway. Names that
 * begin alike share their beginning: `src/{a.ts b.ts}`.
 */
import type { Message } from "@holdfast/schema/message"
import { type Named, namesRead } from "./items.ts"
import { namesOfText, tokensOf, wordsOfName } from "./words.ts"

export interface Graded {
  readonly name: string
  /** 0.5 to 9, the best, in steps of a half. */
  readonly grade: number
}

const gradeMax = 9
/** Of a line whose names bear no grade. */
const gradeUnknown = 5

/** What one compartment says in the window beside its names, and the names that it has. */
export interface NamedPart {
  readonly prose: string
  readonly names: readonly Graded[]
}

/** What stays raw: its names need not be said again, and what is akin to them comes first. */
export interface TailNames {
  readonly names: ReadonlySet<string>
  readonly words: ReadonlySet<string>
}

export function tailNames(stays: readonly Message[]): TailNames {
  const names = namesRead(stays)
  return { names, words: new Set([...names].flatMap(wordsOfName)) }
}

const noTail: TailNames = { names: new Set(), words: new Set() }

/** The best first, then the newest; `messages` is how many there were. */
export function gradeNames(
  names: Iterable<readonly [string, Named]>,
  messages: number,
): readonly (Graded & Named)[] {
  const common = Math.max(commonMin, messages * commonShare)
  return [...names]
    .map(([name, named]) => ({ name, ...named, score: scoreOf(name, named, common) }))
    .toSorted((a, b) => b.score - a.score || b.lastSeq - a.lastSeq || (a.name < b.name ? -1 : 1))
    .map(({ score, ...one }) => ({ ...one, grade: gradeOf(score) }))
}

/** Whether by its grade somebody spoke of it or asked for it; else only tools put it out, or it comes up again by itself. */
const isSpoken = ({ name, grade }: Graded): boolean =>
  grade >= gradeOf(scoreOf(name, { weight: spokenWeightMin, messages: 1, lastSeq: 0 }, commonMin))

/** Between what one who speaks of a name gives it and what outputs do that have it now and then. */
const spokenWeightMin = 24

/** In steps of a half: most of what only tools put out stands between the lowest. */
const gradeOf = (score: number): number => Math.max(0.5, Math.min(gradeMax, Math.floor(score * 6) / 2))

/** In so many of the messages a name is no news: it comes up again by itself. */
const commonMin = 5
const commonShare = 0.05

/** By who used it and how often, and by what it costs to show: a long name has to be worth it. */
function scoreOf(name: string, { weight, messages }: Named, common: number): number {
  const digits = name.replaceAll(/\D/g, "").length / name.length
  const worth = Math.log2(1 + weight) * (messages > common ? 0.5 : 1) * (1 - 0.4 * digits)
  return worth / Math.sqrt(4 + Buffer.byteLength(name) / bytesPerToken)
}

const bytesPerToken = 3.5
const costOf = (text: string): number => (Buffer.byteLength(text) + 1) / bytesPerToken

/** As a tier keeps them: as many as fit, a line for each grade. */
export function nameLines(ranked: readonly Graded[], tokensMax: number): readonly string[] {
  const byGrade = new Map<number, string[]>()
  let left = tokensMax
  for (const { name, grade } of ranked) {
    const line = byGrade.get(grade)
    const cost = costOf(name) + (line === undefined ? 1 : 0)
    if (cost > left) continue
    left -= cost
    if (line === undefined) byGrade.set(grade, [name])
    else line.push(name)
    if (left < 1) break
  }
  return [...byGrade].toSorted(([a], [b]) => b - a).map(([grade, line]) => `N${grade} ${line.join(" ")}`)
}

const nameLine = /^N(\d(?:\.5)?)? /

export const withoutNames = (tier: string): string =>
  tier
    .split("\n")
    .filter((line) => !nameLine.test(line))
    .join("\n")

export const gradedNames = (tier: string): readonly Graded[] =>
  tier.split("\n").flatMap((line): Graded[] => {
    const found = nameLine.exec(line)
    if (found === null) return []
    const grade = found[1] === undefined ? gradeUnknown : Number(found[1])
    return line
      .slice(found[0].length)
      .split(" ")
      .filter((name) => name !== "")
      .map((name) => ({ name, grade }))
  })

/** A part in a Delta is seen alone: with fewer names, what a long stretch put out was lost until the next Fold. */
const ownTokensMax = 1_200

/** A tier by itself: its names on one line, without their grades, the best of them. */
export function ownNames(tier: string): string {
  if (!/^N\d(?:\.5)? /m.test(tier)) return tier
  const prose = withoutNames(tier)
  const [line = ""] = chooseNames([{ prose, names: gradedNames(tier) }], ownTokensMax)
  return [prose, line].filter((some) => some !== "").join("\n")
}

/** For each part, oldest first, the line of the names that are shown on it; empty where there is none. */
export function chooseNames(
  parts: readonly NamedPart[],
  tokensMax: number,
  tail: TailNames = noTail,
): readonly string[] {
  const chosen = parts.map((): Map<string, string[]> => new Map())
  const ranked = parts.flatMap(({ names }, at) =>
    names.flatMap(({ name, grade }) =>
      tail.names.has(name) ? [] : [{ name, at, grade: grade + (isAkin(name, tail) ? akinGrades : 0) }],
    ),
  )
  const said = new Set(parts.flatMap(({ prose }) => [...namesOfText(prose)].flatMap(endsOf)))
  let left = tokensMax - parts.length
  for (const { name, at } of ranked.toSorted((a, b) => b.grade - a.grade || b.at - a.at)) {
    if (left < tokensLeftMin) break
    const [beginning, end] = splitName(name)
    const groups = chosen[at] as Map<string, string[]>
    const known = groups.get(beginning)
    const cost = costOf(known === undefined ? name : end) + (known?.length === 1 ? bracesTokens : 0)
    if (cost > left || said.has(name)) continue
    left -= cost
    for (const one of endsOf(name)) said.add(one)
    if (known === undefined) groups.set(beginning, [end])
    else known.push(end)
  }
  return chosen.map(shownLine)
}

const tokensLeftMin = 2
const akinGrades = 1

/** At least half of the words that it is made of are in what stays. */
function isAkin(name: string, { words }: TailNames): boolean {
  if (words.size === 0) return false
  const own = wordsOfName(name)
  return own.length > 0 && own.filter((word) => words.has(word)).length * 2 >= own.length
}

/** A beginning that others may share, up to the last slash or point. */
function splitName(name: string): readonly [string, string] {
  const slash = name.lastIndexOf("/") + 1
  const at = slash > 0 ? slash : name.lastIndexOf(".") + 1
  return at >= beginningUnitsMin && name.length - at >= 2 ? [name.slice(0, at), name.slice(at)] : ["", name]
}

const beginningUnitsMin = 5
const bracesTokens = 0.6

/** The name, and what of it stands behind each slash or point: who reads it has read these. */
function endsOf(name: string): readonly string[] {
  const ends = [name]
  for (let at = 0; at < name.length - 1; at++)
    if (name[at] === "/" || name[at] === ".") ends.push(name.slice(at + 1))
  return ends
}

function shownLine(groups: ReadonlyMap<string, readonly string[]>): string {
  const shown = [...groups].map(([beginning, ends]) =>
    beginning === "" ? ends.join(" ") : `${beginning}${ends.length === 1 ? ends[0] : `{${ends.join(" ")}}`}`,
  )
  return shown.length === 0 ? "" : `N ${shown.join(" ")}`
}

/** What they would take if all of them were shown. */
export const namesTokens = (names: readonly Graded[]): number =>
  names.length === 0 ? 0 : tokensOf(names.map(({ name }) => name).join(" ")) + lineTokens

/** The same of those that somebody spoke of. */
export const spokenTokens = (names: readonly Graded[]): number => namesTokens(names.filter(isSpoken))

/** The mark of a line, its end, and what rounding leaves over. */
const lineTokens = 3
