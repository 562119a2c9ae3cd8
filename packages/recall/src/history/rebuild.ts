/**
 * Rebuild: compartments made anew from the messages that they cover (HI7).
 *
 * What stands is divided into ranges: neighbours together, as many as one cut would write, and each archive by itself. A
 * range is published in one record that replaces its compartments. Their ids end with a mark of the messages
 * that they were made from, so that a repeat after a crash finds what is done, and the window that what it shows was replaced.
 */
import { createHash } from "node:crypto"
import type { Compartment } from "@holdfast/schema/fact/recall"
import type { Message } from "@holdfast/schema/message"
import type { Frozen } from "@holdfast/schema/state/frozen"
import { compartmentsPerCutMax, extract, type Span } from "../historian/extract.ts"
import { rawTokens } from "../size.ts"
import { gradedNames, namesTokens } from "../historian/names.ts"
import { archiveOf } from "./archive.ts"
import { fingerprint, isArchive, type Published } from "./publish.ts"

/** Changes when the extractive historian writes otherwise: what an older one rebuilt is then rebuilt again. */
const rebuildVersion = "4"

export interface RebuildRange extends Span {
  readonly replaces: readonly Compartment[]
}

/**
 * Oldest first; with a span, of those compartments that lie in it as a whole. What waits while its messages are in the
 * window is never joined to what left it: else one part would stand for both (HB4).
 */
export function rebuildRanges(
  standing: readonly Compartment[],
  within: Span,
  window: Pick<Frozen, "from" | "kept">,
): readonly RebuildRange[] {
  const ranges: Compartment[][] = []
  for (const one of standing.toSorted((a, b) => a.fromSeq - b.fromSeq)) {
    if (one.fromSeq < within.fromSeq || one.toSeq > within.toSeq) continue
    const range = ranges.at(-1)
    if (range !== undefined && joins(range, one, window)) range.push(one)
    else ranges.push([one])
  }
  return ranges.map((replaces) => ({
    fromSeq: replaces[0]?.fromSeq ?? 0,
    toSeq: replaces.at(-1)?.toSeq ?? 0,
    replaces,
  }))
}

/** What was rebuilt together stays together; what was not is never joined to it. */
function joins(
  range: readonly Compartment[],
  one: Compartment,
  window: Pick<Frozen, "from" | "kept">,
): boolean {
  const last = range.at(-1) as Compartment
  if (last.toSeq + 1 !== one.fromSeq || markOf(last) !== markOf(one)) return false
  if (isRaw(last, window) !== isRaw(one, window)) return false
  if (markOf(one) !== null) return true
  return !isArchive(last) && !isArchive(one) && range.length < compartmentsPerCutMax
}

const isRaw = ({ fromSeq, toSeq }: Span, { from, kept }: Pick<Frozen, "from" | "kept">): boolean =>
  toSeq >= from || [...kept].some((seq) => seq >= fromSeq && seq <= toSeq)

const markOf = ({ id }: Compartment): string | null => /r([0-9a-f]{8})$/.exec(id)?.[1] ?? null

/** Who makes a range anew: what one of them made is made again by the other. */
export type RebuiltBy = "extractive" | "model"

/** Whether the same messages gave what stands, by the same historian, or nobody said anything in the range. */
export function isRebuilt(range: RebuildRange, messages: readonly Message[], by: RebuiltBy): boolean {
  const said = saidIn(messages)
  return said.length === 0 || range.replaces.every((one) => markOf(one) === markFor(range, said, by))
}

/** An archive keeps handles and names, which need no model. */
export const needsModel = ({ replaces }: RebuildRange): boolean => !replaces.every(isArchive)

/** By a model's compartments of the whole range, else without a model; null where that is what stands. */
export function rebuildRange(
  range: RebuildRange,
  messages: readonly Message[],
  written: readonly Compartment[] | null = null,
): Published | null {
  const { fromSeq, toSeq, replaces } = range
  const by = written === null ? "extractive" : "model"
  if (isRebuilt(range, messages, by)) return null
  const said = saidIn(messages)
  const weighed = said.map((message) => ({ message, tokens: rawTokens(message) }))
  const mark = markFor(range, said, by)
  const made = written ?? extract(weighed, range)
  const compartments = replaces.every(isArchive) ? [archiveOf(made, namesIn(replaces))] : made
  return {
    type: "history.published",
    fromSeq: fromSeq as Published["fromSeq"],
    toSeq: toSeq as Published["toSeq"],
    fingerprint: fingerprint(weighed),
    by: "rebuild",
    compartments: compartments.map((one) => ({ ...one, id: `${one.id}r${mark}` })),
    events: [],
    facts: [],
    observations: [],
    replaces: replaces.map(({ id }) => id),
    job: null,
  }
}

/** An archive made anew has as many names as the one before: how many it may have is for a Fold to say. */
const namesIn = (replaces: readonly Compartment[]): number =>
  replaces.reduce((sum, { tiers }) => sum + namesTokens(gradedNames(tiers[0])), 0)

const saidIn = (messages: readonly Message[]): readonly Message[] =>
  messages.filter(({ kind }) => kind !== "system")

function markFor({ fromSeq, toSeq }: Span, said: readonly Message[], by: RebuiltBy): string {
  const content = fingerprint(said.map((message) => ({ message })))
  const made = by === "extractive" ? rebuildVersion : by
  return createHash("sha256")
    .update(JSON.stringify([made, fromSeq, toSeq, content]))
    .digest("hex")
    .slice(0, 8)
}
