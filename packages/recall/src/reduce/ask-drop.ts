/**
 * What a model asks to drop, by tags: read, checked as a whole, and told back in words (TL4, TG1).
 *
 * One wrong number refuses all of it, so that a slip drops nothing. A range names every unit between two
 * tags; numbers between them that are no tags are nothing.
 */
import type { SignalRaised } from "@holdfast/schema/fact/recall"
import { unitKey } from "@holdfast/schema/state/frozen"
import type { HistoryView } from "../render.ts"
import type { DropDetail } from "./reduce.ts"
import { mark } from "./tag.ts"
import { protectedFrom, protectedTags, refOf, type Unit, type UnitRef, unitsOf } from "./units.ts"

export type AskedDrop =
  | { readonly kind: "refused"; readonly text: string }
  /** `units` is empty where all of it was asked for before. */
  | { readonly kind: "queued"; readonly text: string; readonly units: readonly UnitRef[] }

const rangesMax = 200
const unitsMax = 1_000

export function askDrop(drop: string, view: HistoryView, signals: Iterable<SignalRaised>): AskedDrop {
  const ranges = readRanges(drop)
  if (ranges === null) return refused(`"${drop.trim().slice(0, 80)}" names no tags. Give ${forms}.`)
  const units = unitsOf(view.messages, view.frozen)
  const wrong = [...new Set(ranges.flat())].filter((tag) => !units.some((unit) => unit.tag === tag))
  if (wrong.length > 0) return refused(wrongText(wrong, units))
  const named = units.filter(({ tag }) => ranges.some(([from, to]) => tag >= from && tag <= to))
  if (named.length > unitsMax) return refused(`At most ${unitsMax} tags go at once. Give fewer.`)
  const queued = queuedUnits(signals)
  const whole = new Set([...queued, ...named.map(unitKey)])
  // What shows an image takes it along.
  const fresh = named.filter(
    (unit) =>
      !unit.dropped &&
      !queued.has(unitKey(unit)) &&
      !(unit.image !== undefined && whole.has(unit.call ?? unit.message)),
  )
  return {
    kind: "queued",
    text: queuedText(fresh, named.length - fresh.length, protectedFrom(units)),
    units: fresh.map(refOf),
  }
}

const forms = "numbers and ranges such as 12-40 or 7,9,12-40, as they stand between § signs"

const refused = (text: string): AskedDrop => ({
  kind: "refused",
  text: `Error: ${text} Nothing was queued.`,
})

type Range = readonly [from: number, to: number]

function readRanges(drop: string): readonly Range[] | null {
  const pieces = drop
    .replaceAll(/[§\s]/g, "")
    .split(",")
    .filter((piece) => piece !== "")
  if (pieces.length === 0 || pieces.length > rangesMax) return null
  const ranges = pieces.map((piece): Range | null => {
    const found = /^(\d{1,12}(?:\.\d{1,2})?)(?:[-–](\d{1,12}(?:\.\d{1,2})?))?$/.exec(piece)
    if (found === null) return null
    const [from, to] = [Number(found[1]), Number(found[2] ?? found[1])]
    return from <= to ? [from, to] : null
  })
  return ranges.every((range) => range !== null) ? (ranges as readonly Range[]) : null
}

function wrongText(wrong: readonly number[], units: readonly Unit[]): string {
  const first = units[0]?.tag ?? Infinity
  const before = wrong.filter((tag) => tag < first)
  if (before.length === wrong.length)
    return `${list(before)} ${before.length === 1 ? "is" : "are"} from before what the window shows, and not in it any more.`
  return `There is no ${list(wrong.filter((tag) => tag >= first))} in the window. Give tags that you see.`
}

/** What waits to be dropped, by its key. */
export function queuedUnits(signals: Iterable<SignalRaised>): ReadonlySet<string> {
  const details = [...signals].filter(({ kind }) => kind === "drop").map(({ detail }) => detail)
  return new Set(
    details.flatMap((detail) => ((detail as unknown as Partial<DropDetail>).units ?? []).map(unitKey)),
  )
}

function queuedText(fresh: readonly Unit[], before: number, limit: number): string {
  if (fresh.length === 0) return "All of these are dropped or queued already; there is nothing to do."
  const now = fresh.filter(({ tag }) => tag < limit)
  const later = fresh.filter(({ tag }) => tag >= limit)
  const said = [
    ...(now.length === 0 ? [] : [`drop ${list(now.map(({ tag }) => tag))}`]),
    ...(later.length === 0 ? [] : [`deferred drop ${list(later.map(({ tag }) => tag))}`]),
  ].join(", ")
  return [
    `Queued: ${said}.`,
    ...(later.length === 0
      ? []
      : [`What is deferred is among the newest ${protectedTags} and goes once it is older.`]),
    ...(before === 0 ? [] : [`${before} more ${before === 1 ? "was" : "were"} dropped or queued before.`]),
  ].join(" ")
}

const shownMax = 40

const list = (tags: readonly number[]): string =>
  tags.length <= shownMax
    ? tags.map(mark).join(", ")
    : `${tags.slice(0, shownMax).map(mark).join(", ")} and ${tags.length - shownMax} more`
