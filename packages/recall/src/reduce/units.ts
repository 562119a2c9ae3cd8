/**
 * Units: what of a window can be dropped, each with its tag and the size that was stored for it (TG1, TG6).
 *
 * A unit is what somebody said, a notice, or a call with its result; an image belongs to the unit that shows
 * it. What the runtime says beside them is no unit (HB5). No text is counted here.
 */
import type { PassOp } from "@holdfast/schema/fact/recall"
import type { CallPart, Message } from "@holdfast/schema/message"
import type { Frozen } from "@holdfast/schema/state/frozen"
import type { HistoryView } from "../render.ts"
import { isReduceCall } from "./tag.ts"

export type UnitRef = Extract<PassOp, { readonly op: "drop" }>["unit"]

export interface Unit extends UnitRef {
  readonly tag: number
  readonly tokens: number
  /** The call as it stands; null for what was said. */
  readonly part: CallPart | null
  /** Dropped by an earlier pass. */
  readonly dropped: boolean
}

/** The newest so many tags are dropped by nothing but the last tier (TG1). */
export const protectedTags = 20

/** In the order of their tags. */
export function unitsOf(messages: readonly Message[], frozen: Frozen): readonly Unit[] {
  const units = messages.flatMap((message) => messageUnits(message, frozen))
  return units.sort((a, b) => a.tag - b.tag)
}

/** The tag below which units may be dropped; nothing may where there are no more than are protected. */
export const protectedFrom = (units: readonly Unit[]): number => units.at(-protectedTags)?.tag ?? 0

function messageUnits(message: Message, { gone, skeletons }: Frozen): readonly Unit[] {
  if (message.kind === "system" || message.quarantined !== undefined) return []
  if (message.kind !== "assistant") {
    const { id, seq, tokens = 0 } = message
    return [{ message: id, call: null, tag: seq, tokens, part: null, dropped: gone.has(id) }]
  }
  return message.parts.flatMap(({ part }): Unit[] =>
    part.type !== "call" || part.seq === undefined || isReduceCall(part)
      ? []
      : [
          {
            message: message.id,
            call: part.call,
            tag: part.seq,
            tokens: part.tokens ?? 0,
            part,
            dropped: gone.has(part.call) || skeletons.has(part.call),
          },
        ],
  )
}

/** Sequences of the messages of which a drop took something. */
export const droppedFrom = ({ messages, frozen }: HistoryView): ReadonlySet<number> =>
  new Set(
    messages
      .filter((message) => messageUnits(message, frozen).some(({ dropped }) => dropped))
      .map(({ seq }) => seq),
  )

export const isEnded = ({ part }: Unit): boolean => part === null || part.outcome !== null

export const tokensOfUnits = (units: readonly Unit[]): number =>
  units.reduce((sum, { tokens }) => sum + tokens, 0)
