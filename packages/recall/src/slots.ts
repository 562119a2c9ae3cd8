/**
 * What a cut leaves in the history slots: how much is not shown, and, where no fresh Baseline says
 * it, what the sources said last (EP12).
 *
 * The counts and texts that a slot was made from are stored with it, so that the next cut goes on
 * from them.
 */
import type { Slots } from "@holdfast/schema/fact/recall"
import type { SourceText } from "@holdfast/schema/context"
import type { Message } from "@holdfast/schema/message"

interface CutMarkers {
  readonly inputs: number
  readonly notices: number
  readonly answers: number
  readonly calls: number
  /** Once per source key, its latest text, in admission order. */
  readonly updates: readonly SourceText[]
}

const noMarkers: CutMarkers = { inputs: 0, notices: 0, answers: 0, calls: 0, updates: [] }

const markersOf = (slots: Slots | null): CutMarkers =>
  slots === null ? noMarkers : { ...noMarkers, ...(slots.markers as Partial<CutMarkers>) }

/** Texts of sources that stand in the Delta because a replacement of the Baseline was blocked. */
export const owedUpdates = (slots: Slots | null): readonly SourceText[] => markersOf(slots).updates

export function cutSlots(
  before: Slots | null,
  gone: readonly Message[],
  boundary: number,
  endsEpoch: boolean,
): Slots | null {
  const known = markersOf(before)
  const updates = endsEpoch ? [] : latestTexts([...known.updates, ...gone.flatMap(textsOf)])
  const markers: CutMarkers = {
    inputs: known.inputs + countOf(gone, "user"),
    notices: known.notices + countOf(gone, "notice"),
    answers: known.answers + countOf(gone, "assistant"),
    calls: known.calls + gone.reduce((calls, message) => calls + callsOf(message), 0),
    updates,
  }
  const delta = deltaText(markers)
  return delta === ""
    ? null
    : { baseline: "", delta, boundary, markers: { ...markers, updates: [...updates] } }
}

/** The same slots without what a fresh Baseline now says. */
export function settleUpdates(slots: Slots | null): Slots | null {
  if (slots === null || owedUpdates(slots).length === 0) return slots
  return cutSlots(slots, [], slots.boundary, true)
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

const countOf = (messages: readonly Message[], kind: Message["kind"]): number =>
  messages.filter((message) => message.kind === kind).length

const callsOf = (message: Message): number =>
  message.kind === "assistant" ? message.parts.filter(({ part }) => part.type === "call").length : 0

function deltaText({ inputs, notices, answers, calls, updates }: CutMarkers): string {
  const counts = [
    ...(inputs > 0 ? [counted(inputs, "message of the user", "messages of the user")] : []),
    ...(notices > 0 ? [counted(notices, "notice", "notices")] : []),
    ...(answers > 0 ? [counted(answers, "answer", "answers")] : []),
    ...(calls > 0 ? [counted(calls, "tool call", "tool calls")] : []),
  ]
  const cut =
    counts.length === 0
      ? []
      : [
          `Earlier parts of this conversation are not shown, to keep it inside the window: ${counts.join(", ")}. They are stored; ask the user where something from them matters.`,
        ]
  return [...cut, ...updates.map(({ text }) => text)].join("\n\n")
}

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`
