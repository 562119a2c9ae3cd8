/**
 * Render: what of a Session's history the model reads, as entries in their order.
 *
 * A pure function of the history view and its frozen state (PS1). The same
 * message object gives the same entry objects, so that their encoded blocks are reused.
 *
 *   EP4   order is the order of the log: input, then what the context says, then the answer
 *   TU4   text that was cut is followed by a notice; reasoning without a signature is left out
 *   LL7   an image that is not shown is named; a message in quarantine is replaced by a fixed line
 *   HB1   the two history slots are synthetic, and stand before the tail
 *   PR7   what the runtime says is a notice, never a user entry
 */
import type { Entry, EntryPart } from "@holdfast/llm/segments"
import type { Slots } from "@holdfast/schema/fact/recall"
import type { AssistantMessage, CallPart, Message, Native, UserMessage } from "@holdfast/schema/message"
import type { Frozen } from "@holdfast/schema/state/frozen"
import { imageStub } from "./images.ts"

/** Session History as it stands in the window, and what is frozen about it. */
export interface HistoryView {
  readonly messages: readonly Message[]
  readonly frozen: Frozen
}

export interface RenderedHistory {
  readonly historyBaseline: readonly Entry[]
  readonly historyDelta: readonly Entry[]
  /** It never ends with the assistant's own words. */
  readonly tail: readonly Entry[]
}

/** Changes whenever the same view would give other entries; stored with each turn (TU1). */
export const renderVersion = "render/2"

export const cutNotice = "The answer above was cut off before it was complete."
export const unfinishedNotice =
  "The previous turn ended early. Carry on from where it stopped; what is recorded above has happened."
export const outputCutText = "[output removed to keep the conversation inside the window]"
export const quarantineNotice = "A message that stood here was taken out of the conversation."
const quarantinedOutput = "[taken out of the conversation]"

export const render = (view: HistoryView): RenderedHistory => ({
  ...renderSlots(view),
  tail: renderTail(view),
})

/** HB1: synthetic, nobody's words; absent where there is nothing to say. */
function renderSlots({ frozen: { slots } }: HistoryView): Omit<RenderedHistory, "tail"> {
  if (slots === null) return noSlots
  const known = slotEntries.get(slots)
  if (known !== undefined) return known
  const entry = (text: string): readonly Entry[] => (text === "" ? [] : [{ kind: "notice", text }])
  const made = { historyBaseline: entry(slots.baseline), historyDelta: entry(slots.delta) }
  slotEntries.set(slots, made)
  return made
}

const noSlots = { historyBaseline: [], historyDelta: [] }
const slotEntries = new WeakMap<Slots, Omit<RenderedHistory, "tail">>()

function renderTail(view: HistoryView): readonly Entry[] {
  const { messages } = view
  const known = renderedOf(view)
  const same = known === null ? 0 : samePrefix(known.view.messages, messages)
  const rendered = known === null || same === 0 ? begin(view) : cutTo(known, view, same)
  for (let at = same; at < messages.length; at++) addMessage(rendered, messages[at] as Message)
  const [first] = messages
  if (first !== undefined) lastRendered.set(first, rendered)
  return rendered.assistantLast ? [...rendered.entries, unfinished] : rendered.entries.slice()
}

/** A history as it was rendered: what a longer one begins with need not be rendered again. */
interface Rendered {
  readonly view: HistoryView
  readonly entries: Entry[]
  /** For each message: how many entries there are behind it, negative if the last is the assistant's. */
  readonly ends: number[]
  assistantLast: boolean
}

/** By the first message: a history mostly grows at its end. */
const lastRendered = new WeakMap<Message, Rendered>()

function renderedOf(view: HistoryView): Rendered | null {
  const [first] = view.messages
  const known = first === undefined ? undefined : lastRendered.get(first)
  return known?.view.frozen === view.frozen ? known : null
}

function samePrefix(earlier: readonly Message[], later: readonly Message[]): number {
  const length = Math.min(earlier.length, later.length)
  let same = 0
  while (same < length && earlier[same] === later[same]) same += 1
  return same
}

const begin = (view: HistoryView): Rendered => ({ view, entries: [], ends: [], assistantLast: false })

function cutTo(known: Rendered, view: HistoryView, messages: number): Rendered {
  const end = known.ends[messages - 1] as number
  return {
    view,
    entries: known.entries.slice(0, Math.abs(end)),
    ends: known.ends.slice(0, messages),
    assistantLast: end < 0,
  }
}

function addMessage(rendered: Rendered, message: Message): void {
  const { entries, view } = rendered
  const own = entriesOf(message, view.frozen)
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

interface CachedEntries {
  readonly frozen: Frozen
  readonly entries: readonly Entry[]
}
const entriesByMessage = new WeakMap<Message, CachedEntries>()

export function entriesOf(message: Message, frozen: Frozen): readonly Entry[] {
  const cached = entriesByMessage.get(message)
  if (cached?.frozen === frozen) return cached.entries
  const entries = renderMessage(message, frozen)
  entriesByMessage.set(message, { frozen, entries })
  return entries
}

function renderMessage(message: Message, frozen: Frozen): readonly Entry[] {
  switch (message.kind) {
    case "user":
      return message.quarantined === undefined ? renderUser(message, frozen) : [quarantinedEntry]
    case "notice":
      return message.quarantined === undefined ? [{ kind: "notice", text: message.text }] : [quarantinedEntry]
    case "system":
      return [{ kind: "system", text: message.text }]
    case "assistant":
      return message.quarantined === undefined ? renderAssistant(message, frozen) : withoutWords(message)
  }
}

function renderUser({ text, images = [], added = [], seq }: UserMessage, frozen: Frozen): readonly Entry[] {
  const beside = added.map((part): Entry => ({ kind: "notice", text: part.text }))
  if (images.length === 0) return [{ kind: "user", text }, ...beside]
  if (seq >= frozen.imagesBefore) return [{ kind: "user", text, images }, ...beside]
  return [{ kind: "user", text }, { kind: "notice", text: images.map(imageStub).join("\n") }, ...beside]
}

const quarantinedEntry: Entry = { kind: "notice", text: quarantineNotice }

/** A call and its result are one, so that calls stay, with nothing said in them. */
function withoutWords(message: AssistantMessage): readonly Entry[] {
  const calls = message.parts.flatMap(({ part }): EntryPart[] =>
    part.type !== "call"
      ? []
      : [
          {
            type: "call",
            call: part.call,
            name: part.name,
            input: {},
            result: quarantinedOutput,
            failed: true,
          },
        ],
  )
  return calls.length === 0 ? [] : [{ kind: "assistant", parts: calls }]
}

function renderAssistant(message: AssistantMessage, frozen: Frozen): readonly Entry[] {
  const parts: EntryPart[] = []
  let cut = false
  for (const { part } of message.parts) {
    if (part.type === "text") {
      if (part.text.trim() !== "") parts.push({ type: "text", text: part.text, ...nativeOf(part) })
      cut ||= part.interrupted
    } else if (part.type === "reasoning") {
      if (part.native !== null) parts.push({ type: "reasoning", text: part.text, native: part.native })
      cut ||= part.interrupted
    } else if (part.type === "call") {
      if (!frozen.gone.has(part.call)) parts.push(renderCall(part, message.seq, frozen))
    } else if (part.type === "hosted") {
      parts.push(part)
    }
  }
  while (parts.at(-1)?.type === "reasoning") parts.pop()
  const entries: Entry[] = parts.length > 0 ? [{ kind: "assistant", parts }] : []
  if (cut && entries.length > 0) entries.push({ kind: "notice", text: cutNotice })
  return entries
}

function renderCall(part: CallPart, seq: number, { skeletons, imagesBefore }: Frozen): EntryPart {
  const { outcome, added = [] } = part
  const cut = skeletons.has(part.call)
  const images = cut ? [] : (outcome?.images ?? [])
  const shown = images.length > 0 && seq >= imagesBefore
  return {
    type: "call",
    call: part.call,
    name: part.name,
    input: part.input,
    result: [
      ...(outcome === null ? [unknownOutcome] : cut ? [outputCutText] : [outcome.output]),
      ...(shown ? [] : images.map(imageStub)),
      ...added.map(({ text }) => text),
    ].join("\n"),
    failed: outcome === null || outcome.state !== "done",
    ...(shown ? { images } : {}),
    ...nativeOf(part),
  }
}

const unknownOutcome = "Outcome unknown: the call was not settled."

/** What the provider wants back with a part, if anything (LL4). */
const nativeOf = ({ native }: { readonly native?: Native }): { readonly native?: Native } =>
  native === undefined ? {} : { native }

function endsWithAssistantWords(entries: readonly Entry[]): boolean {
  const last = entries.at(-1)
  return last?.kind === "assistant" && !last.parts.some((part) => part.type === "call")
}
