/**
 * Render: what of a Session's history the model reads, as entries in their order.
 *
 * A pure function of the history view and its frozen state (PS1). The same
 * message object gives the same entry objects, so that their encoded blocks are reused.
 *
 *   EP4   order is the order of the log: input, then what the context says, then the answer
 *   HB1   the two history slots are synthetic, and stand before the tail
 *   PR7   what the runtime says is a notice, never a user entry
 */
import type { Entry } from "@holdfast/llm/segments"
import type { Slots } from "@holdfast/schema/fact/recall"
import type { Message } from "@holdfast/schema/message"
import type { Frozen } from "@holdfast/schema/state/frozen"
import { entriesOf } from "./entries.ts"
import { slotsConversation } from "./slots.ts"

export { cutNotice, entriesOf, outputCutText, quarantineNotice } from "./entries.ts"

/** Session History as it stands in the window, and what is frozen about it. */
export interface HistoryView {
  readonly messages: readonly Message[]
  readonly frozen: Frozen
}

export interface RenderedHistory {
  readonly historyBaseline: readonly Entry[]
  readonly historyDelta: readonly Entry[]
  /** As it was called before anything left the window. */
  readonly conversation?: string
  /** It never ends with the assistant's own words. */
  readonly tail: readonly Entry[]
}

/** Changes whenever the same view would give other entries; stored with each turn (TU1). */
export const renderVersion = "render/4"

export const unfinishedNotice =
  "The previous turn ended early. Carry on from where it stopped; what is recorded above has happened."

/** `tags`: whether units begin with their tags, which is so where the model can drop them (MD1). */
export const render = (view: HistoryView, tags = false): RenderedHistory => ({
  ...renderSlots(view),
  tail: renderTail(view, tags),
})

/** HB1: synthetic, nobody's words; absent where there is nothing to say. */
function renderSlots({ frozen: { slots } }: HistoryView): Omit<RenderedHistory, "tail"> {
  if (slots === null) return noSlots
  const known = slotEntries.get(slots)
  if (known !== undefined) return known
  const entry = (text: string): readonly Entry[] => (text === "" ? [] : [{ kind: "notice", text }])
  const conversation = slotsConversation(slots)
  const made = {
    historyBaseline: entry(slots.baseline),
    historyDelta: entry(slots.delta),
    ...(conversation !== null && { conversation }),
  }
  slotEntries.set(slots, made)
  return made
}

const noSlots = { historyBaseline: [], historyDelta: [] }
const slotEntries = new WeakMap<Slots, Omit<RenderedHistory, "tail">>()

function renderTail(view: HistoryView, tags: boolean): readonly Entry[] {
  const { messages } = view
  const known = renderedOf(view, tags)
  const same = known === null ? 0 : samePrefix(known.view.messages, messages)
  const rendered = known === null || same === 0 ? begin(view, tags) : cutTo(known, view, same)
  for (let at = same; at < messages.length; at++) addMessage(rendered, messages[at] as Message)
  const [first] = messages
  if (first !== undefined) lastRendered.set(first, rendered)
  return rendered.assistantLast ? [...rendered.entries, unfinished] : rendered.entries.slice()
}

/** A history as it was rendered: what a longer one begins with need not be rendered again. */
interface Rendered {
  readonly view: HistoryView
  readonly tags: boolean
  readonly entries: Entry[]
  /** For each message: how many entries there are behind it, negative if the last is the assistant's. */
  readonly ends: number[]
  assistantLast: boolean
}

/** By the first message: a history mostly grows at its end. */
const lastRendered = new WeakMap<Message, Rendered>()

function renderedOf(view: HistoryView, tags: boolean): Rendered | null {
  const [first] = view.messages
  const known = first === undefined ? undefined : lastRendered.get(first)
  return known?.view.frozen === view.frozen && known.tags === tags ? known : null
}

function samePrefix(earlier: readonly Message[], later: readonly Message[]): number {
  const length = Math.min(earlier.length, later.length)
  let same = 0
  while (same < length && earlier[same] === later[same]) same += 1
  return same
}

const begin = (view: HistoryView, tags: boolean): Rendered => ({
  view,
  tags,
  entries: [],
  ends: [],
  assistantLast: false,
})

function cutTo(known: Rendered, view: HistoryView, messages: number): Rendered {
  const end = known.ends[messages - 1] as number
  return {
    view,
    tags: known.tags,
    entries: known.entries.slice(0, Math.abs(end)),
    ends: known.ends.slice(0, messages),
    assistantLast: end < 0,
  }
}

function addMessage(rendered: Rendered, message: Message): void {
  const { entries, view, tags } = rendered
  const own = entriesOf(message, view.frozen, tags)
  // A turn that began here was sent with the notice, even if nothing came of it.
  if (rendered.assistantLast && message.kind === "assistant") {
    entries.push(unfinished)
    rendered.assistantLast = false
  }
  if (own.length > 0) {
    if (entries.length === 0 && message.kind === "assistant" && view.frozen.slots === null)
      entries.push(unreadable)
    entries.push(...own)
    rendered.assistantLast = endsWithAssistantWords(own)
  }
  rendered.ends.push(rendered.assistantLast ? -entries.length : entries.length)
}

/** A conversation begins with the user; if their first record is damaged, somebody must say so. */
const unreadable: Entry = {
  kind: "notice",
  text: "The message before this answer could not be read from storage.",
}
const unfinished: Entry = { kind: "notice", text: unfinishedNotice }

function endsWithAssistantWords(entries: readonly Entry[]): boolean {
  const last = entries.at(-1)
  return last?.kind === "assistant" && !last.parts.some((part) => part.type === "call")
}
