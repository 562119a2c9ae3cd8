/**
 * What a historian's model writes, read: parts with four lengths, facts, events, and where to go on (HI1).
 *
 * Its answer is data of a stranger. Whatever it holds, reading it is bounded and gives values or a list of
 * what is wrong, as sentences that a repair can name.
 */
import { oneLine } from "./words.ts"

export interface Draft {
  readonly parts: readonly DraftPart[]
  readonly facts: readonly { readonly category: FactCategory; readonly text: string }[]
  /** `at` is an ordinal. */
  readonly events: readonly { readonly at: number; readonly text: string }[]
  /** The first ordinal that no part covers. */
  readonly next: number | null
}

export interface DraftPart {
  readonly from: number
  readonly to: number
  readonly title: string
  readonly importance: number
  readonly kind: string
  /** From the fullest to the densest. */
  readonly tiers: readonly [string, string, string, string]
}

export type Reading =
  | { readonly kind: "read"; readonly draft: Draft }
  | { readonly kind: "faulty"; readonly faults: readonly string[] }

export const factCategories = [
  "PROJECT_RULES",
  "ARCHITECTURE",
  "CONSTRAINTS",
  "CONFIG_VALUES",
  "NAMING",
] as const
export type FactCategory = (typeof factCategories)[number]

const answerUnitsMax = 400_000
const partsMax = 64
const factsMax = 40
const eventsMax = 40
const factUnitsMax = 400
const titleUnitsMax = 80

export function readOutput(answer: string): Reading {
  const text = answer.slice(0, answerUnitsMax)
  const body = /<history>([\s\S]*?)<\/history>/i.exec(text)?.[1]
  if (body === undefined) return faulty("There is no <history> … </history> element that is closed.")
  const found = [...body.matchAll(/<part\b([^>]*)>([\s\S]*?)<\/part>/gi)].slice(0, partsMax)
  if (found.length === 0) return faulty("There is no <part> inside of <history>.")
  const faults: string[] = []
  const parts = found.flatMap(([, attributes = "", inner = ""], at) => {
    const part = readPart(attributesOf(attributes), inner, at + 1, faults)
    return part === null ? [] : [part]
  })
  if (faults.length > 0) return { kind: "faulty", faults }
  const facts = /<facts>([\s\S]*?)<\/facts>/i.exec(body)?.[1] ?? ""
  const events = /<events>([\s\S]*?)<\/events>/i.exec(body)?.[1] ?? ""
  const next = /<next>\s*(\d{1,9})\s*<\/next>/i.exec(body)?.[1]
  const draft = {
    parts,
    facts: readFacts(facts),
    events: readEvents(events),
    next: next === undefined ? null : Number(next),
  }
  return { kind: "read", draft }
}

const faulty = (...faults: readonly string[]): Reading => ({ kind: "faulty", faults })

/** In any order, with either kind of quotation mark. */
function attributesOf(text: string): ReadonlyMap<string, string> {
  const pairs = [...text.matchAll(/([a-z_]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)]
  return new Map(pairs.map(([, name = "", double, single]) => [name.toLowerCase(), double ?? single ?? ""]))
}

function readPart(
  given: ReadonlyMap<string, string>,
  inner: string,
  at: number,
  faults: string[],
): DraftPart | null {
  const [from, to] = [ordinal(given.get("from")), ordinal(given.get("to"))]
  const p1 = element(inner, "p1")
  if (from === null || to === null) faults.push(`Part ${at} needs from and to, each an ordinal.`)
  if (p1 === "") faults.push(`Part ${at} has no <p1> with words in it.`)
  if (from === null || to === null || p1 === "") return null
  const p2 = element(inner, "p2") || p1
  const p3 = element(inner, "p3") || p2
  const importance = Number(given.get("importance") ?? 50)
  return {
    from,
    to,
    title: oneLine(unescape(given.get("title") ?? ""))
      .slice(0, titleUnitsMax)
      .toWellFormed(),
    importance: Number.isFinite(importance) ? Math.min(100, Math.max(1, Math.round(importance))) : 50,
    kind: /^[a-z][a-z-]{0,23}$/.test(given.get("kind") ?? "") ? (given.get("kind") as string) : "work",
    tiers: [p1, p2, p3, element(inner, "p4")],
  }
}

const ordinal = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,9}$/.test(text.trim()) ? Number(text) : null

function element(inner: string, name: string): string {
  const found = new RegExp(`<${name}>([\\s\\S]*?)</${name}>`, "i").exec(inner)?.[1] ?? ""
  return unescape(found).trim()
}

const unescape = (text: string): string =>
  text.replaceAll(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => entities[name] ?? "")

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" }

/** Of a category that nobody knows none is taken; of two that say the same, one. */
function readFacts(text: string): Draft["facts"] {
  const seen = new Set<string>()
  const found = [...text.matchAll(/<fact\b([^>]*)>([\s\S]*?)<\/fact>/gi)].flatMap(
    ([, given = "", said = ""]) => {
      const category = factCategories.find((each) => each === attributesOf(given).get("category"))
      const line = oneLine(unescape(said)).slice(0, factUnitsMax).toWellFormed()
      const key = `${category} ${line.toLowerCase()}`
      if (category === undefined || line === "" || seen.has(key)) return []
      seen.add(key)
      return [{ category, text: line }]
    },
  )
  return found.slice(0, factsMax)
}

function readEvents(text: string): Draft["events"] {
  const found = [...text.matchAll(/<event\b([^>]*)>([\s\S]*?)<\/event>/gi)].flatMap(
    ([, given = "", said = ""]) => {
      const at = ordinal(attributesOf(given).get("at"))
      const line = oneLine(unescape(said)).slice(0, factUnitsMax).toWellFormed()
      return at === null || line === "" ? [] : [{ at, text: line }]
    },
  )
  return found.slice(0, eventsMax)
}
