/** The words of an audit, on a screen and on a page alike. */
import type { Account, BreakReport, Report } from "@holdfast/foreign"
import { escapeMarkup } from "@holdfast/schema/markup/escape"
import { age, count } from "../figures.ts"
import { printable } from "../terminal.ts"

export const agentNames: Readonly<Record<Account["agent"], string>> = {
  "claude-code": "Claude Code",
  codex: "Codex",
  pi: "Pi",
  opencode: "OpenCode",
  transcript: "wire transcripts",
}

/** Where the money for input went, in the order in which it is told. */
export interface Place {
  readonly name: string
  readonly times: number | null
  /** Null where no price is known of any of it. */
  readonly dollars: number | null
}

export function pricePlaces({ places }: Report): readonly Place[] {
  const fixed = [
    { name: "sent before, read from cache", times: null, dollars: places.sentBefore },
    { name: "new in its request", times: null, dollars: places.fresh },
    { name: "starts of sessions", times: null, dollars: places.starts },
    { name: "premium for writing to a cache", times: null, dollars: places.premium },
  ]
  const broken = [...places.breaks].map(([name, lost]) => ({
    name: `sent again: ${name}`,
    times: lost.count,
    dollars: lost.dollars,
  }))
  return [...fixed, ...broken.toSorted((a, b) => (b.dollars ?? -1) - (a.dollars ?? -1))]
}

export const causeText = ({ cause, gapMs }: Pick<BreakReport, "cause" | "gapMs">): string =>
  cause === "idle" && gapMs !== null ? `idle for ${age(gapMs)}` : cause

/** Enough of an id to tell sessions apart and to name one, without the kind before it. */
export const shortId = (id: string): string => id.replace(/^[a-z]+_+/, "").slice(0, 8)

/** Its title, or how its person began; no longer than so many characters. */
export function nameText({ title, words }: Account, charactersMax: number): string {
  const name = title ?? words ?? ""
  return name.length <= charactersMax ? name : `${name.slice(0, charactersMax - 1)}…`
}

/** `2026-06-18 05:34`, in universal time. */
export const timeText = (at: number | null): string =>
  at === null ? "no time" : new Date(at).toISOString().slice(0, 16).replace("T", " ")

/** For a page: what somebody else wrote neither steers nor becomes markup. */
export const markupText = (text: string): string => escapeMarkup(printable(text))

/** Which sessions, of whom, and from when to when. */
export function subject({ sessions, totals }: Report): string {
  const names = [...new Set(sessions.map(({ account }) => agentNames[account.agent]))]
  const of = names.length === 0 ? "" : ` of ${listed(names)}`
  const aside = totals.sideChains === 0 ? "" : ` and ${count(totals.sideChains, "side chain")}`
  let first = Infinity
  let last = -Infinity
  for (const { rows } of sessions) {
    for (const { request } of rows) {
      if (request.at === null) continue
      first = Math.min(first, request.at)
      last = Math.max(last, request.at)
    }
  }
  const when = first === Infinity ? "" : `, ${timeText(first).slice(0, 10)} to ${timeText(last).slice(0, 10)}`
  return `${count(totals.sessions, "session")}${aside}${of}: ${count(totals.calls, "request")}${when}`
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`

/** One decimal, since the differences that matter are small. */
export const shareText = (part: number | null, whole: number): string =>
  whole === 0 || part === null ? "–" : `${((100 * part) / whole).toFixed(1)} %`

export const dollarsText = (dollars: number | null): string =>
  dollars === null
    ? "unknown"
    : `$${dollars >= 1_000 ? count(Math.round(dollars)) : dollars.toFixed(dollars >= 0.1 || dollars === 0 ? 2 : 4)}`

/** What the figures leave out, one sentence each. */
export function remarks({ unpriced, skips }: Report): readonly string[] {
  const models = [...unpriced].map(([name, { calls }]) => `${name} (${count(calls, "request")})`)
  const lines = [...skips.values()].reduce((sum, each) => sum + each, 0)
  const kinds = [...skips].toSorted(([, a], [, b]) => b - a).slice(0, 3)
  return [
    ...(models.length === 0
      ? []
      : [`No price is known of ${listed(models)}: counted in tokens, left out of dollars.`]),
    ...(lines === 0
      ? []
      : [`${count(lines, "line")} could not be read, such as: ${kinds.map(([why]) => why).join("; ")}.`]),
  ]
}
