/**
 * What a pass publishes that takes messages out: compartments over them where there are none yet, and on a
 * Fold one archive in the place of those that decay has passed (TU6, DK1).
 *
 * HB4: every message stands in exactly one place. What a cut keeps from below it stays raw, so that
 * compartments end before it and begin behind it; it gets its own when it goes. What an import, or another
 * version of this program, cut without compartments is extracted from its stored messages. Archives keep what is loaded
 * bounded: however old a Session is, there are no more compartments than a Fold can show.
 */
import { hash } from "node:crypto"
import type { FactOf } from "@holdfast/schema/event"
import type { Compartment } from "@holdfast/schema/fact/recall"
import type { Message } from "@holdfast/schema/message"
import type { Frozen } from "@holdfast/schema/state/frozen"
import { contentText } from "@holdfast/schema/state/content-text"
import { compartmentId, extract, type Span, type Weighed } from "../historian/extract.ts"
import type { ProjectDoc } from "../docs.ts"
import type { KnownMemory } from "../memory.ts"
import { rawTokens } from "../size.ts"
import { archiveNamesTokens, archiveOf } from "./archive.ts"
import { hiddenWithin } from "./layout.ts"

/** What is known of a Session's history beside its messages. */
export interface KnownHistory {
  readonly compartments: readonly Compartment[]
  /** End of what compartments cover. */
  readonly end: number
  /** Whether the model can ask for what a compartment stands for. */
  readonly expandable: boolean
  /** Messages of `uncoveredSpan`, as they are stored. */
  readonly uncovered?: readonly Message[]
  /** Of its project; not shown unless given. */
  readonly memory?: KnownMemory | null
  /** Documents of the project, for a Baseline that is made now (HB2). */
  readonly docs?: readonly ProjectDoc[]
}

export const noHistory: KnownHistory = { compartments: [], end: 0, expandable: false }

export type Published = FactOf<"history.published">

export interface Publishing {
  readonly history: KnownHistory
  readonly frozen: Frozen
  /** What leaves the window with this cut; system messages are nobody's to keep. */
  readonly gone: readonly Weighed[]
  readonly below: number
  readonly kept: readonly number[]
  /** What compartments may take on a usual Fold: past it they are archived; null archives none. */
  readonly budgetTokens: number | null
}

export interface Publication {
  readonly facts: readonly Published[]
  /** All that stand behind it, oldest first. */
  readonly compartments: readonly Compartment[]
}

export function publish(publishing: Publishing): Publication {
  const { history, kept, budgetTokens } = publishing
  const made = [...split(publishing), ...counted(publishing), ...left(publishing), ...fresh(publishing)]
  const replacing = new Set(made.flatMap(({ replaces }) => replaces))
  const standing = inOrder([
    ...history.compartments.filter(({ id }) => !replacing.has(id)),
    ...made.flatMap(({ compartments }) => compartments),
  ])
  if (budgetTokens === null) return { facts: made, compartments: standing }
  const { facts, compartments } = archive(standing, kept, budgetTokens)
  return { facts: [...made, ...facts], compartments }
}

const inOrder = (compartments: readonly Compartment[]): readonly Compartment[] =>
  compartments.toSorted((a, b) => a.fromSeq - b.fromSeq)

const covers = ({ fromSeq, toSeq }: Span, seq: number): boolean => seq >= fromSeq && seq <= toSeq

/** The parts of a span between what stays raw. */
function between({ fromSeq, toSeq }: Span, raw: Iterable<number>): readonly Span[] {
  const spans: Span[] = []
  let from = fromSeq
  for (const seq of [...raw].filter((one) => covers({ fromSeq, toSeq }, one)).toSorted((a, b) => a - b)) {
    if (seq > from) spans.push({ fromSeq: from, toSeq: seq - 1 })
    from = seq + 1
  }
  if (from <= toSeq) spans.push({ fromSeq: from, toSeq })
  return spans
}

/** Whether the last cut left nothing but counts: an import made it, or an older version. */
const isCounted = ({ slots }: Frozen): boolean => slots !== null && "inputs" in (slots.markers as object)

/** What the last cut left nothing of; null where compartments cover all. */
export function uncoveredSpan(frozen: Frozen, { end }: Pick<KnownHistory, "end">): Span | null {
  const span = { fromSeq: end + 1, toSeq: frozen.from - 1 }
  return isCounted(frozen) && span.fromSeq <= span.toSeq ? span : null
}

/** Where compartments have to begin: behind what is covered, or behind a cut that made none. */
const beginning = (publishing: Publishing): number =>
  isCounted(publishing.frozen) ? publishing.frozen.from : publishing.history.end + 1

function counted({ history, frozen }: Publishing): readonly Published[] {
  const uncovered = uncoveredSpan(frozen, history)
  if (uncovered === null) return []
  const hidden = said((history.uncovered ?? []).map((message) => ({ message, tokens: rawTokens(message) })))
  return between(uncovered, frozen.kept).map((span) => {
    const inside = hidden.filter(({ message: { seq } }) => covers(span, seq))
    if (inside.length > 0) return factOf(span, extract(inside, span), fingerprint(inside))
    const title = "earlier messages"
    const text = "S nothing was extracted of these"
    const tiers = [text, text, text, ""] as const
    const id = compartmentId(span)
    return factOf(span, [{ id, ...span, title, tiers, importance: 40, episode: "talk" }], hashOf([span]))
  })
}

/** A historian ran ahead over what stays raw: around that, its compartment is made anew. */
function split({ history, gone, below, kept }: Publishing): readonly Published[] {
  const ahead = history.compartments.filter(
    (one) => one.toSeq < below && kept.some((seq) => covers(one, seq)),
  )
  return ahead.map((one) => {
    const parts = between(one, kept).flatMap((span) => {
      const inside = said(gone).filter(({ message: { seq } }) => covers(span, seq))
      return inside.length === 0 ? [] : extract(inside, span)
    })
    return factOf(one, parts, hashOf(parts), [one.id])
  })
}

/** Messages that an earlier cut had kept from below it, and that go now. */
function left(publishing: Publishing): readonly Published[] {
  const from = beginning(publishing)
  const { compartments } = publishing.history
  const late = said(publishing.gone).filter(
    ({ message: { seq } }) => seq < from && !compartments.some((one) => covers(one, seq)),
  )
  return late.map((one) => {
    const span = { fromSeq: one.message.seq, toSeq: one.message.seq }
    return factOf(span, extract([one], span), fingerprint([one]))
  })
}

function fresh(publishing: Publishing): readonly Published[] {
  const { gone, below, kept } = publishing
  const from = beginning(publishing)
  const spoken = said(gone)
  const spans = below > from ? between({ fromSeq: from, toSeq: below - 1 }, kept) : []
  const parts = spans.flatMap((span) => {
    const inside = spoken.filter(({ message: { seq } }) => covers(span, seq))
    return inside.length === 0 ? [] : [{ inside, compartments: extract(inside, span) }]
  })
  const all = parts.flatMap(({ compartments }) => compartments)
  const [first, last] = [all[0], all.at(-1)]
  if (first === undefined || last === undefined) return []
  const content = fingerprint(parts.flatMap(({ inside }) => inside))
  return [factOf({ fromSeq: first.fromSeq, toSeq: last.toSeq }, all, content)]
}

const said = (gone: readonly Weighed[]): readonly Weighed[] =>
  gone.filter(({ message }) => message.kind !== "system")

/** What an archive takes may push out more: then that goes with it, so that the next Fold finds nothing left to do. */
function archive(standing: readonly Compartment[], kept: readonly number[], budgetTokens: number) {
  let hidden: ReadonlySet<string> = new Set()
  for (;;) {
    const { archives, facts } = archivesOf(standing, kept, hidden, budgetTokens)
    const replaced = new Set(facts.flatMap(({ replaces }) => replaces))
    const compartments = inOrder([...standing.filter(({ id }) => !replaced.has(id)), ...archives])
    const pushed = hiddenWithin(compartments, budgetTokens)
    const more = standing.filter(({ id }) => pushed.has(id) && !hidden.has(id))
    if (more.length === 0) return { facts, compartments }
    hidden = new Set([...hidden, ...more.map(({ id }) => id)])
  }
}

function archivesOf(
  standing: readonly Compartment[],
  kept: readonly number[],
  hidden: ReadonlySet<string>,
  budgetTokens: number,
) {
  const passed = (one: Compartment): boolean => hidden.has(one.id) || isArchive(one)
  const runs: Compartment[][] = []
  // One archive between two raw messages: it takes in what stands between the first and the last that it replaces.
  for (const one of standing) {
    const before = runs.at(-1)?.at(-1)
    const apart = before === undefined || kept.some((seq) => seq > before.toSeq && seq < one.fromSeq)
    if (apart) runs.push([one])
    else runs.at(-1)?.push(one)
  }
  const due = runs
    .filter((run) => run.some(({ id }) => hidden.has(id)))
    .map((run) => run.slice(run.findIndex(passed), run.findLastIndex(passed) + 1))
  const archives = due.map((run) => archiveOf(run, archiveNamesTokens(budgetTokens)))
  const facts = archives.map((one, at) => {
    const replaces = (due[at] ?? []).map(({ id }) => id)
    return factOf(one, [one], hashOf(replaces), replaces)
  })
  return { archives, facts }
}

export const isArchive = ({ episode }: Pick<Compartment, "episode">): boolean => episode === "archive"

const factOf = (
  { fromSeq, toSeq }: Span,
  compartments: readonly Compartment[],
  content: string,
  replaces: readonly string[] = [],
): Published => ({
  type: "history.published",
  fromSeq: fromSeq as Published["fromSeq"],
  toSeq: toSeq as Published["toSeq"],
  fingerprint: content,
  by: "extractive",
  compartments,
  events: [],
  facts: [],
  observations: [],
  replaces,
  job: null,
})

/** Of the content of a range: what is dropped from a rendering leaves it, an edit does not (HI4). */
export const fingerprint = (weighed: readonly Pick<Weighed, "message">[]): string =>
  sha256(contentText(weighed.map(({ message }) => message)))

const hashOf = (content: unknown): string => sha256(JSON.stringify(content))

const sha256 = (text: string): string => hash("sha256", text)
