/**
 * The texts of the two history slots (HB1). The Baseline holds the compartments of what left the window,
 * each in the tier that its Fold gave it. The Delta, which is never empty, holds those that came since, at
 * their fullest, and what the sources said last where no fresh Baseline says it (EP12).
 *
 * What a slot was made from is stored with it, so that the next pass goes on from it (HB6).
 */
import type { Compartment, Slots } from "@holdfast/schema/fact/recall"
import type { SourceText } from "@holdfast/schema/context"
import type { Message } from "@holdfast/schema/message"
import { tokensOf } from "./historian/words.ts"
import { compartmentText, layOut } from "./history/layout.ts"
import {
  isMemoryOutdated,
  type KnownMemory,
  memoryBaseline,
  memoryDelta,
  type MemoryMarker,
} from "./memory.ts"
import { memoryIds, memoryUpdatesMax } from "./memory.ts"
import { keyFilesText, profileBaseline, profileDelta, type ProfileMarker } from "./pinned.ts"

interface Markers {
  /** Once per source key, its latest text, in admission order. */
  readonly updates: readonly SourceText[]
  /** Whether these stand there because a replacement of the Baseline was blocked: it rides on the next break (TU6). */
  readonly owes: boolean
  /** Compartments in the Baseline, and which of their tiers, from the fullest as 1. */
  readonly shown: readonly { readonly id: string; readonly tier: number }[]
  /** Compartments that the Baseline has no room for. */
  readonly hidden: readonly string[]
  /** Compartments in the Delta. */
  readonly added: readonly string[]
  /** What of the project's memory they hold; null where nothing was ever known. */
  readonly memory: MemoryMarker | null
  /** What they say of the user; null where no profile is kept. */
  readonly profile: ProfileMarker | null
  /** Key files as the Delta shows them. */
  readonly keyFiles: string
  /** What the conversation was called before anything left the window; null in older records. */
  readonly conversation: string | null
}

const noMarkers: Markers = {
  updates: [],
  owes: false,
  shown: [],
  hidden: [],
  added: [],
  memory: null,
  profile: null,
  keyFiles: "",
  conversation: null,
}

function markersOf(slots: Slots | null): Markers {
  if (slots === null) return noMarkers
  const stored = slots.markers as Partial<Markers>
  // Before a Refresh could move the boundary, texts stood there for one reason alone.
  return { ...noMarkers, owes: (stored.updates ?? []).length > 0, ...stored }
}

/** Ids of the memories that the slots show. */
export const shownMemories = (slots: Slots | null): readonly string[] => memoryIds(markersOf(slots).memory)

/** Whether a fresh Baseline is due that could not be had. */
export const owesBaseline = (slots: Slots | null): boolean => markersOf(slots).owes

export const slotsConversation = (slots: Slots): string | null => markersOf(slots).conversation

/** Slots that say what the conversation is called: a provider finds by it what it has of its head. */
export const callConversation = (slots: Slots, conversation: string): Slots => ({
  ...slots,
  markers: { ...(slots.markers as object), conversation },
})

/** Whether the Delta holds compartments. */
export const addsHistory = (slots: Slots | null): boolean => markersOf(slots).added.length > 0

/** Whether the Delta says so much about memory that it belongs into a Baseline (HB3). */
export const addsMuchMemory = (slots: Slots | null): boolean =>
  (markersOf(slots).memory?.updates ?? 0) > memoryUpdatesMax

export const addsMemory = (slots: Slots | null): boolean => {
  const { memory, profile } = markersOf(slots)
  return (memory?.delta ?? "") !== "" || (profile?.delta ?? "") !== ""
}

/** Key files stay in a Delta through every Fold. */
export const showsKeyFiles = (slots: Slots | null): boolean => markersOf(slots).keyFiles !== ""

/** Whether memory that a slot may show was edited from outside (HB3). */
export const showsOldMemory = (slots: Slots | null, known: KnownMemory | null | undefined): boolean =>
  isMemoryOutdated(known, markersOf(slots).memory)

/** Which tier of each compartment the window shows. */
export const shownTiers = (slots: Slots | null): Markers["shown"] => {
  const { shown, added } = markersOf(slots)
  return added.length === 0 ? shown : [...shown, ...added.map((id) => ({ id, tier: 1 }))]
}

/** Compartments that the slots were made from, with those that had no room. */
export const knownCompartments = (slots: Slots | null): readonly string[] => {
  const { shown, hidden, added } = markersOf(slots)
  return [...hidden, ...shown.map(({ id }) => id), ...added]
}

/** Compartments that the Baseline does not hold: they stand in the Delta, or wait for a break. */
export function newCompartments(
  slots: Slots | null,
  compartments: readonly Compartment[],
): readonly Compartment[] {
  const { shown, hidden } = markersOf(slots)
  const held = new Set([...shown.map(({ id }) => id), ...hidden])
  // Older records do not say what they left out.
  const boundary = slots === null || "hidden" in (slots.markers as object) ? 0 : slots.boundary
  return compartments.filter(({ id, fromSeq }) => !held.has(id) && fromSeq >= boundary)
}

/** Whether what the slots were made from was replaced or withdrawn since (HB3). */
export function isOutdated(slots: Slots | null, compartments: readonly Compartment[]): boolean {
  const standing = new Set(compartments.map(({ id }) => id))
  return knownCompartments(slots).some((id) => !standing.has(id))
}

interface SlotsQuestion {
  readonly before: Slots | null
  /** What leaves the window with this pass. */
  readonly gone: readonly Message[]
  readonly boundary: number
  /** All that stand, oldest first. */
  readonly compartments: readonly Compartment[]
  readonly memory?: KnownMemory | null
}

export interface FoldSlots extends SlotsQuestion {
  /** What stays raw behind them: names that stand there need not be said again. */
  readonly stays: readonly Message[]
  /** Whether a fresh Baseline says what the sources said. */
  readonly endsEpoch: boolean
  /** Whether it would have ended, and was kept from it (EP8). */
  readonly blocked: boolean
  readonly budgetTokens: number
  readonly memoryTokens: number
  /** What the documents of the project say; nothing unless given. */
  readonly docs?: string
  readonly expandable: boolean
}

/** All of the history stated anew; the Delta begins again. */
export function foldSlots({
  before,
  gone,
  boundary,
  endsEpoch,
  blocked,
  compartments,
  memory: known,
  memoryTokens,
  docs = "",
  ...room
}: FoldSlots): Slots | null {
  const updates = endsEpoch ? [] : updatesAfter(before, gone)
  const remembered = memoryBaseline(known, memoryTokens)
  const about = profileBaseline(known?.profile)
  const keyFiles = keyFilesText(known?.keyFiles)
  const taken = tokensOf(remembered.text) + tokensOf(about.text) + tokensOf(docs)
  const budgetTokens = Math.max(0, room.budgetTokens - taken)
  const standing = compartments.filter(below(boundary))
  const { text: history, shown, hidden } = baselineOf({ ...room, budgetTokens, compartments: standing })
  const text = [docs, history, remembered.text, about.text].filter((part) => part !== "").join("\n\n")
  if (text === "" && updates.length === 0 && keyFiles === "") return null
  const owes = updates.length > 0 && (blocked || owesBaseline(before))
  const memory = remembered.marker
  const { conversation } = markersOf(before)
  const profile = about.marker
  const markers = { updates, owes, shown, hidden, added: [], memory, profile, keyFiles, conversation }
  const made = slotsOf(text, boundary, markers, [])
  // What says the same is the same, for whoever keeps what they made of it.
  return JSON.stringify(made) === JSON.stringify(before) ? before : made
}

/** The Baseline as it stands, and a Delta of all that it does not hold. */
export function refreshSlots({ before, gone, boundary, compartments, memory: known }: SlotsQuestion): Slots {
  const added = newCompartments(before, compartments).filter(below(boundary))
  const updates = updatesAfter(before, gone)
  const memory = memoryDelta(known, markersOf(before).memory)
  const profile = profileDelta(known?.profile, markersOf(before).profile)
  const keyFiles = keyFilesText(known?.keyFiles)
  const markers = {
    ...markersOf(before),
    updates,
    added: added.map(({ id }) => id),
    memory,
    profile,
    keyFiles,
  }
  return slotsOf(before?.baseline ?? "", boundary, markers, added)
}

/** What covers messages that are still shown waits. */
const below =
  (boundary: number) =>
  ({ toSeq }: Compartment): boolean =>
    toSeq < boundary

const updatesAfter = (before: Slots | null, gone: readonly Message[]): readonly SourceText[] =>
  latestTexts([...markersOf(before).updates, ...gone.flatMap(textsOf)])

/** The same slots without what a fresh Baseline now says. */
export function settleUpdates(slots: Slots | null, compartments: readonly Compartment[]): Slots | null {
  const markers = markersOf(slots)
  if (slots === null || markers.updates.length === 0) return slots
  const shows = addsMemory(slots) || showsKeyFiles(slots)
  if (slots.baseline === "" && markers.added.length === 0 && !shows) return null
  const ids = new Set(markers.added)
  const added = compartments.filter(({ id }) => ids.has(id))
  return slotsOf(slots.baseline, slots.boundary, { ...markers, updates: [], owes: false }, added)
}

const slotsOf = (
  baseline: string,
  boundary: number,
  { updates, owes, shown, hidden, added, memory, profile, keyFiles, conversation }: Markers,
  compartments: readonly Compartment[],
): Slots => ({
  baseline,
  delta: deltaOf(updates, compartments, [memory?.delta ?? "", profile?.delta ?? "", keyFiles]),
  boundary,
  markers: {
    updates: [...updates],
    owes,
    shown: [...shown],
    hidden: [...hidden],
    added: [...added],
    ...(memory && { memory: { ...memory, ids: [...memory.ids] } }),
    ...(profile && { profile: { ...profile, lines: [...profile.lines] } }),
    ...(keyFiles !== "" && { keyFiles }),
    ...(conversation !== null && { conversation }),
  },
})

function deltaOf(
  updates: readonly SourceText[],
  added: readonly Compartment[],
  known: readonly string[],
): string {
  const last = added.at(-1)
  const history =
    last === undefined
      ? []
      : [[sinceThen(last.toSeq), ...added.map((one) => compartmentText(one, 0))].join("\n")]
  const parts = [...history, ...known.filter((part) => part !== ""), ...updates.map(({ text }) => text)]
  return parts.length === 0 ? nothingNew : parts.join("\n\n")
}

const sinceThen = (toSeq: number): string => `Later parts of this conversation, up to message #${toSeq}.`

/** What the Delta says where nothing has been added to the history since. */
export const nothingNew = "Nothing has been added to this history since; the conversation goes on below."

/** The tool by which a model reads what compartments stand for (TL4). */
export const expandToolName = "context_expand"

/** What the head of the history and its last line take at most. */
export const headTokensMax = 130

function baselineOf({
  compartments,
  stays,
  budgetTokens,
  expandable,
}: Pick<FoldSlots, "compartments" | "stays" | "budgetTokens" | "expandable">) {
  const [first, last] = [compartments[0], compartments.at(-1)]
  if (first === undefined || last === undefined) return { text: "", shown: [], hidden: [] }
  const { shown, hidden } = layOut(compartments, budgetTokens - headTokensMax, stays)
  const unshown = compartments.filter(({ id }) => hidden.has(id))
  const text = [
    head(last.toSeq, expandable),
    ...(unshown.length === 0 ? [] : [unshownLine(unshown, expandable)]),
    ...shown.map(({ compartment, tier }) => compartmentText(compartment, tier)),
  ].join("\n")
  return {
    text,
    shown: shown.map(({ compartment: { id }, tier }) => ({ id, tier: tier + 1 })),
    hidden: unshown.map(({ id }) => id),
  }
}

const head = (toSeq: number, expandable: boolean): string =>
  [
    `Earlier parts of this conversation, up to message #${toSeq}, are not shown as they were, to keep it inside the window. The runtime extracted what follows, oldest first.`,
    "D is what the user asked to hold, U what else they said, A what you said, H what a summary says, T tasks, E errors, F files, R runs, N names (a.{b c} is a.b and a.c), S notices; #n is the message.",
    expandable
      ? `Call ${expandToolName} with a part (c…) or a message (#…) to read it as it was.`
      : "All of it is stored; ask the user where something from it matters.",
  ].join(" ")

const unshownLine = (unshown: readonly Compartment[], expandable: boolean): string => {
  const [first, last] = [unshown[0] as Compartment, unshown.at(-1) as Compartment]
  const range = `#${first.fromSeq} to #${last.toSeq}`
  return `Of ${range} nothing is shown here${expandable ? `; ${expandToolName} reads c${first.fromSeq}-${last.toSeq}` : ""}.`
}

/** Tokens of the slots as they stand. */
export const slotTokens = (slots: Slots | null): { readonly baseline: number; readonly delta: number } =>
  slots === null
    ? { baseline: 0, delta: 0 }
    : {
        baseline: tokensOf(slots.baseline),
        // Key files are no news: a Fold would not take them in.
        delta: Math.max(0, tokensOf(slots.delta) - tokensOf(markersOf(slots).keyFiles)),
      }

const textsOf = (message: Message): readonly SourceText[] => (message.kind === "system" ? message.texts : [])

function latestTexts(texts: readonly SourceText[]): readonly SourceText[] {
  const byKey = new Map<string, SourceText>()
  for (const text of texts) {
    byKey.delete(text.key) // a later text stands at its own place
    byKey.set(text.key, text)
  }
  return [...byKey.values()]
}
