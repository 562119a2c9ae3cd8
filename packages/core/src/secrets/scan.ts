/**
 * The scan: where secrets stand in a text, found by one pass over it, and what at its end may become one.
 *
 * The leads of all shapes are one regular expression; a pattern is tried only where a lead stands. A
 * text without any costs that one pass.
 */
import type { Shape } from "./shapes.ts"
import { escaped } from "./shapes.ts"

export interface Scanner {
  readonly leads: RegExp
  /** By the first character of their leads. */
  readonly byCharacter: ReadonlyMap<string, readonly LedShape[]>
  /** Every proper beginning of a lead, with the shapes that begin so; made for the first text that comes in pieces. */
  readonly beginnings: () => ReadonlyMap<string, readonly LedShape[]>
  readonly beginningMax: number
}

interface LedShape {
  readonly lead: string
  readonly shape: Shape
}

export interface Hit {
  readonly start: number
  readonly end: number
  readonly kind: string
}

export function makeScanner(shapes: readonly Shape[]): Scanner {
  const led = shapes.flatMap((shape) => shape.leads.map((lead) => ({ lead, shape })))
  const leads = led.map(({ lead }) => lead)
  let beginnings: ReadonlyMap<string, readonly LedShape[]> | null = null
  const shortest = leads.filter((lead) => !leads.some((other) => other !== lead && lead.startsWith(other)))
  return {
    leads: new RegExp([...new Set(shortest)].sort().map(escaped).join("|") || "(?!)", "g"),
    byCharacter: Map.groupBy(led, ({ lead }) => lead.charAt(0)),
    beginnings: () => (beginnings ??= Map.groupBy(led.flatMap(beginningsOf), ({ lead }) => lead)),
    beginningMax: Math.max(0, ...leads.map(({ length }) => length - 1)),
  }
}

const beginningsOf = ({ lead, shape }: LedShape): readonly LedShape[] =>
  Array.from({ length: lead.length - 1 }, (_, at) => ({ lead: lead.slice(0, at + 1), shape }))

/** From left to right, none overlapping another. */
export function findHits(scanner: Scanner, text: string, from = 0): readonly Hit[] {
  const hits: Hit[] = []
  for (let at = nextLead(scanner, text, from); at >= 0;) {
    const { found, end } = scanAt(scanner, text, at)
    hits.push(...found)
    at = nextLead(scanner, text, end)
  }
  return hits
}

/** From where on the text may be part of a secret that goes on behind its end; its length if nowhere. */
export function findOpen(scanner: Scanner, text: string, from = 0): number {
  const open = firstOpen(scanner, text, from)
  // A lead that is not whole yet may hold another one.
  for (let size = Math.min(scanner.beginningMax, text.length - from); size > text.length - open; size--) {
    const at = text.length - size
    const begun = scanner.beginnings().get(text.slice(at)) ?? []
    if (begun.some((led) => standsAt(led, text, at))) return at
  }
  return open
}

function firstOpen(scanner: Scanner, text: string, from: number): number {
  const blank = lastBlank(text)
  for (let at = nextLead(scanner, text, from); at >= 0; at = nextLead(scanner, text, at + 1)) {
    for (const led of ledBy(scanner, text, at))
      if (standsAt(led, text, at) && isOpen(led.shape, text, at, blank)) return at
  }
  return text.length
}

function nextLead({ leads }: Scanner, text: string, from: number): number {
  leads.lastIndex = from
  return leads.exec(text)?.index ?? -1
}

const ledBy = ({ byCharacter }: Scanner, text: string, at: number): readonly LedShape[] =>
  byCharacter.get(text.charAt(at)) ?? []

const standsAt = ({ lead, shape }: LedShape, text: string, at: number): boolean =>
  text.startsWith(lead, at) && (at === 0 || !shape.before.test(text.charAt(at - 1)))

function isOpen({ open }: Shape, text: string, at: number, blank: number): boolean {
  if (open === null) return at > blank
  open.lastIndex = at
  return open.test(text)
}

/** What stands at a lead, and where the search goes on: what was read and is no secret is not read again. */
function scanAt(
  scanner: Scanner,
  text: string,
  at: number,
  kindOf: typeof ownKind = ownKind,
): { readonly found: readonly Hit[]; readonly end: number } {
  let end = at + 1
  for (const led of ledBy(scanner, text, at)) {
    if (!standsAt(led, text, at)) continue
    const { kind, pattern, accepts } = led.shape
    pattern.lastIndex = at
    const [whole, ...groups] = pattern.exec(text)?.indices ?? []
    if (whole === undefined) continue
    const secrets = groups.length === 0 ? [whole] : groups.filter((group) => group !== undefined)
    const found = secrets
      .filter(([start, stop]) => accepts(text.slice(start, stop)))
      .map(([start, stop]) => ({ start, end: stop, kind: kindOf(scanner, text, at, start, stop) ?? kind }))
    end = Math.max(end, found.at(-1)?.end ?? whole[1])
    if (found.length > 0) return { found, end }
  }
  return { found: [], end }
}

/** A secret behind a word that announces it may have a shape of its own. */
function ownKind(scanner: Scanner, text: string, at: number, start: number, stop: number): string | null {
  // Once: what it announces in turn has its own kind or none.
  const [hit] = start === at ? [] : scanAt(scanner, text, start, () => null).found
  return hit?.start === start && hit.end === stop ? hit.kind : null
}

function lastBlank(text: string): number {
  for (let at = text.length - 1; at >= 0; at--) if (text.charCodeAt(at) <= 32) return at
  return -1
}
