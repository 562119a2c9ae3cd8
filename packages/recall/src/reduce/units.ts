/**
 * Units: what of a window can be dropped, each with its tag and the size that was stored for it (TG1, TG6).
 *
 * A unit is what somebody said, a notice, a call with its result, or an image that one of them shows: that goes
 * alone, or with what shows it, whose size has it in it. What the runtime says beside them is no unit (HB5). No
 * text is counted here.
 */
import { imageTokens } from "@holdfast/llm/size"
import type { PassOp } from "@holdfast/schema/fact/recall"
import type { Media } from "@holdfast/schema/media"
import type { CallPart, Message } from "@holdfast/schema/message"
import { type Frozen, unitKey } from "@holdfast/schema/state/frozen"
import { showsImages } from "../images.ts"
import type { HistoryView } from "../render.ts"
import { imagesTaggedMax, imageTag, isReduceCall } from "./tag.ts"

export type UnitRef = Extract<PassOp, { readonly op: "drop" }>["unit"]

export interface Unit extends UnitRef {
  readonly tag: number
  readonly tokens: number
  /** The call as it stands; null for what was said, and for an image. */
  readonly part: CallPart | null
  /** Dropped by an earlier pass. */
  readonly dropped: boolean
}

/** The newest so many tags are dropped by nothing but the last tier (TG1). */
export const protectedTags = 20

/** As a record names it. */
export const refOf = ({ message, call, image }: UnitRef): UnitRef => ({
  message,
  call,
  ...(image !== undefined && { image }),
})

/** In the order of their tags. */
export function unitsOf(messages: readonly Message[], frozen: Frozen): readonly Unit[] {
  const units = messages.flatMap((message) => messageUnits(message, frozen))
  return units.sort((a, b) => a.tag - b.tag)
}

/** The tag below which units may be dropped; nothing may where there are no more than are protected. */
export const protectedFrom = (units: readonly Unit[]): number =>
  // What shows a protected image is protected with it: it would take it along.
  Math.floor(units.at(-protectedTags)?.tag ?? 0)

function messageUnits(message: Message, frozen: Frozen): readonly Unit[] {
  if (message.kind === "system" || message.quarantined !== undefined) return []
  if (message.kind !== "assistant") {
    const { id, seq, tokens = 0 } = message
    const images = message.kind === "user" ? message.images : undefined
    return withImages({ message: id, call: null, tag: seq, tokens, part: null }, images, message, frozen)
  }
  return message.parts.flatMap(({ part }): readonly Unit[] => {
    if (part.type !== "call" || part.seq === undefined || isReduceCall(part)) return []
    const unit = { message: message.id, call: part.call, tag: part.seq, tokens: part.tokens ?? 0, part }
    return withImages(unit, part.outcome?.images, message, frozen)
  })
}

/** A unit, and the images that it shows or that were dropped of it; what is not shown of it does not weigh. */
function withImages(
  unit: Omit<Unit, "dropped">,
  images: readonly Media[] = [],
  message: Message,
  frozen: Frozen,
): readonly Unit[] {
  const { gone, skeletons } = frozen
  const key = unitKey(unit)
  const dropped = gone.has(key) || skeletons.has(key)
  if (images.length === 0) return [{ ...unit, dropped }]
  const shown = showsImages(message, frozen)
  const all = images.slice(0, imagesTaggedMax).map((media, at): Unit => {
    const ref = { message: unit.message, call: unit.call, image: at + 1 }
    const left = dropped || gone.has(unitKey(ref))
    return { ...ref, tag: imageTag(unit.tag, at + 1), tokens: imageTokens(media), part: null, dropped: left }
  })
  const hidden = all.filter((image) => image.dropped || !shown).reduce((sum, { tokens }) => sum + tokens, 0)
  const tokens = dropped ? unit.tokens : Math.max(0, unit.tokens - hidden)
  return [{ ...unit, tokens, dropped }, ...all.filter((image) => image.dropped || shown)]
}

/** Sequences of the messages of which a drop took something. */
export const droppedFrom = ({ messages, frozen }: HistoryView): ReadonlySet<number> =>
  new Set(
    messages
      .filter((message) =>
        messageUnits(message, frozen).some(({ dropped, image }) => dropped && image === undefined),
      )
      .map(({ seq }) => seq),
  )

export const isEnded = ({ part }: Unit): boolean => part === null || part.outcome !== null

/** An image beside what shows it is counted there. */
export function tokensOfUnits(units: readonly Unit[]): number {
  const owners = new Set(units.filter(({ image }) => image === undefined).map(unitKey))
  return units
    .filter(({ image, call, message }) => image === undefined || !owners.has(call ?? message))
    .reduce((sum, { tokens }) => sum + tokens, 0)
}
