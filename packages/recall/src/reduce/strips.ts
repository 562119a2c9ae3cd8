/**
 * Strips: what of old messages no model needs, taken out by ids that a break freezes (TG3).
 *
 *   reasoning     of answers older than the newest 50 tags, and from before the newest input, so that
 *                 an answer which goes on over its results keeps what its provider wants back
 *   images        of messages that are not protected any more; their handles stay
 *   reduce-call   the calls that asked for drops
 *   noise         reminders behind outputs
 */
import type { PassOp } from "@holdfast/schema/fact/recall"
import type { AssistantMessage, Message } from "@holdfast/schema/message"
import type { StripKind } from "@holdfast/schema/state/frozen"
import { imagesOf } from "../images.ts"
import type { HistoryView } from "../render.ts"
import { isReduceCall } from "./tag.ts"
import { protectedFrom, type Unit } from "./units.ts"

/** Reasoning that so many tags have followed is not sent again. */
const reasoningTags = 50

export function planStrips({ messages, frozen }: HistoryView, units: readonly Unit[]): readonly PassOp[] {
  const old = protectedFrom(units)
  const input = messages.findLast(({ kind }) => kind === "user")?.seq ?? 0
  const thought = Math.min(input, units.at(-reasoningTags)?.tag ?? 0)
  return messages.flatMap((message) => {
    const known = frozen.strips.get(message.id)
    return whatOf(message, { thought: message.seq < thought, shown: message.seq >= frozen.imagesBefore })
      .filter((what) => known?.has(what) !== true && (what === "reasoning" || lastTag(message) < old))
      .map((what): PassOp => ({ op: "strip", message: message.id, what }))
  })
}

/** `thought`: long ago; `shown`: its images, if it has any. */
function whatOf(
  message: Message,
  { thought, shown }: { readonly thought: boolean; readonly shown: boolean },
): readonly StripKind[] {
  if (message.kind === "system" || message.quarantined !== undefined) return []
  const images: readonly StripKind[] = shown && imagesOf(message).length > 0 ? ["images"] : []
  if (message.kind !== "assistant") return images
  return [
    ...(thought && thinks(message) ? (["reasoning"] as const) : []),
    ...images,
    ...(message.parts.some(({ part }) => part.type === "call" && isReduceCall(part))
      ? (["reduce-call"] as const)
      : []),
    ...(message.parts.some(({ part }) => part.type === "call" && part.added !== undefined)
      ? (["noise"] as const)
      : []),
  ]
}

/** What a hosted tool did is bound to what was thought before it (LL8). */
const thinks = ({ parts }: AssistantMessage): boolean =>
  parts.some(({ part }) => part.type === "reasoning" && part.native !== null) &&
  !parts.some(({ part }) => part.type === "hosted")

/** Where the last of it stands. */
const lastTag = (message: Message): number =>
  message.kind === "assistant"
    ? Math.max(message.seq, ...message.parts.map(({ part }) => (part.type === "call" ? (part.seq ?? 0) : 0)))
    : message.seq
