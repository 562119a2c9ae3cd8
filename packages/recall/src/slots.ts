/**
 * The texts of the two history slots. The Baseline holds the compartments of what was cut, each in the
 * tier that this Fold gives it; the Delta, which is never empty, what the sources said last where no
 * fresh Baseline says it (HB1, EP12).
 *
 * What a slot was made from is stored with it, so that the next pass goes on from it (HB6).
 */
import type { Compartment, Slots } from "@holdfast/schema/fact/recall"
import type { SourceText } from "@holdfast/schema/context"
import type { Message } from "@holdfast/schema/message"
import { tokensOf } from "./historian/words.ts"
import { compartmentText, layOut } from "./history/layout.ts"

interface Markers {
  /** Once per source key, its latest text, in admission order. */
  readonly updates: readonly SourceText[]
  /** Compartments in the Baseline, and which of their tiers, from the fullest as 1. */
  readonly shown: readonly { readonly id: string; readonly tier: number }[]
}

const noMarkers: Markers = { updates: [], shown: [] }

const markersOf = (slots: Slots | null): Markers =>
  slots === null ? noMarkers : { ...noMarkers, ...(slots.markers as Partial<Markers>) }

/** Texts of sources that stand in the Delta because a replacement of the Baseline was blocked. */
export const owedUpdates = (slots: Slots | null): readonly SourceText[] => markersOf(slots).updates

/** Which tier of each compartment the window shows. */
export const shownTiers = (slots: Slots | null): Markers["shown"] => markersOf(slots).shown

export interface CutSlots {
  readonly before: Slots | null
  readonly gone: readonly Message[]
  readonly boundary: number
  readonly endsEpoch: boolean
  /** All that stand, oldest first. */
  readonly compartments: readonly Compartment[]
  readonly budgetTokens: number
  readonly expandable: boolean
}

export function cutSlots({ before, gone, boundary, endsEpoch, ...history }: CutSlots): Slots | null {
  const updates = endsEpoch ? [] : latestTexts([...owedUpdates(before), ...gone.flatMap(textsOf)])
  const { text, shown } = baselineOf(history)
  if (text === "" && updates.length === 0) return null
  return slotsOf(text, boundary, { updates, shown })
}

/** The same slots without what a fresh Baseline now says. */
export function settleUpdates(slots: Slots | null): Slots | null {
  if (slots === null || owedUpdates(slots).length === 0) return slots
  if (slots.baseline === "") return null
  return slotsOf(slots.baseline, slots.boundary, { ...markersOf(slots), updates: [] })
}

const slotsOf = (baseline: string, boundary: number, { updates, shown }: Markers): Slots => ({
  baseline,
  delta: updates.length === 0 ? nothingNew : updates.map(({ text }) => text).join("\n\n"),
  boundary,
  markers: { updates: [...updates], shown: [...shown] },
})

/** What the Delta says where nothing has been added to the history since. */
export const nothingNew = "Nothing has been added to this history since; the conversation goes on below."

/** The tool by which a model reads what compartments stand for (TL4). */
export const expandToolName = "context_expand"

/** What the head of the history and its last line take at most. */
export const headTokensMax = 130

function baselineOf({
  compartments,
  budgetTokens,
  expandable,
}: Pick<CutSlots, "compartments" | "budgetTokens" | "expandable">) {
  const [first, last] = [compartments[0], compartments.at(-1)]
  if (first === undefined || last === undefined) return { text: "", shown: [] }
  const { shown, hidden } = layOut(compartments, budgetTokens - headTokensMax)
  const unshown = compartments.filter(({ id }) => hidden.has(id))
  const text = [
    head(last.toSeq, expandable),
    ...(unshown.length === 0 ? [] : [unshownLine(unshown, expandable)]),
    ...shown.map(({ compartment, tier }) => compartmentText(compartment, tier)),
  ].join("\n")
  return { text, shown: shown.map(({ compartment: { id }, tier }) => ({ id, tier: tier + 1 })) }
}

const head = (toSeq: number, expandable: boolean): string =>
  [
    `Earlier parts of this conversation, up to message #${toSeq}, are not shown as they were, to keep it inside the window. The runtime extracted what follows, oldest first.`,
    "D is what the user asked to hold, U what else they said, A what you said, T tasks, E errors, F files, R runs, N names, S notices; #n is the message.",
    expandable
      ? `Call ${expandToolName} with a part (c…) or a message (#…) to read it as it was.`
      : "All of it is stored; ask the user where something from it matters.",
  ].join(" ")

const unshownLine = (unshown: readonly Compartment[], expandable: boolean): string => {
  const [first, last] = [unshown[0] as Compartment, unshown.at(-1) as Compartment]
  const range = `#${first.fromSeq} to #${last.toSeq}`
  return `Of ${range} nothing is shown here${expandable ? `; ${expandToolName} reads c${first.fromSeq}-${last.toSeq}` : ""}.`
}

/** Tokens of a slot as it stands. */
export const slotTokens = (slots: Slots | null): number => (slots === null ? 0 : tokensOf(slots.baseline))

const textsOf = (message: Message): readonly SourceText[] => (message.kind === "system" ? message.texts : [])

function latestTexts(texts: readonly SourceText[]): readonly SourceText[] {
  const byKey = new Map<string, SourceText>()
  for (const text of texts) {
    byKey.delete(text.key) // a later text stands at its own place
    byKey.set(text.key, text)
  }
  return [...byKey.values()]
}
