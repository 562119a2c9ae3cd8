/**
 * How large a page of the history may be for the next request to hold it: else a model would get a mark in the place of what
 * it asked for, ask again, and get the mark again. Beside what no cut takes out of a request, and what compartments may
 * take, the newest answer has its share of the window (TA1); a page stays below that, with what else the answer asked for.
 */
import type { Message } from "@holdfast/schema/message"
import { newestInputs } from "@holdfast/schema/state/state"
import {
  budgetOf,
  ceilingTokens,
  historyRoom,
  ratioOf,
  removableOf,
  unreadShareMax,
  weightOf,
  type WindowLimits,
} from "../cut.ts"
import { pageBytesMax } from "../expand.ts"
import type { HistoryView } from "../render.ts"
import { messageTokens } from "../size.ts"
import { expandToolName, slotTokens } from "../slots.ts"

export interface PageQuestion {
  /** With the answer that asks for the page. */
  readonly view: HistoryView
  readonly answer: Message["id"] | null
  readonly limits: WindowLimits
  /** Of the request that is being answered, as estimated. */
  readonly tokens: number
}

/** For each page that the answer waits for. */
export function pageBytesInWindow({ view, answer, limits, tokens }: PageQuestion): number {
  const { messages, frozen } = view
  const asking = messages.find(({ id }) => id === answer)
  const stays = new Set(newestInputs(messages))
  const sent = messages.filter(({ seq }) => seq >= frozen.from && seq < (asking?.seq ?? Infinity))
  const removable = weightOf(removableOf({ messages: sent, frozen }, [...stays]))
  const floor = Math.max(0, tokens - slotTokens(frozen.slots).baseline - removable)
  const free = ceilingTokens(limits) / ratioOf(limits) - floor
  const room = (free - historyRoom(limits, budgetOf(limits), floor)) * unreadShareMax * pageShare
  const taken = asking === undefined ? 0 : messageTokens(asking, frozen)
  const bytes = ((room - taken) / Math.max(1, pagesAsked(asking))) * outputBytesPerToken
  return Math.floor(Math.min(pageBytesMax, Math.max(pageBytesMin, bytes)))
}

/** A request is sized by its bytes on the wire, and those of a page are more there. */
const pageShare = 0.75
const outputBytesPerToken = 3.1
/** Less is of no use to anybody. */
const pageBytesMin = 800

/** Calls for pages that have no outcome yet. */
const pagesAsked = (asking: Message | undefined): number =>
  asking?.kind !== "assistant"
    ? 1
    : asking.parts.filter(
        ({ part }) => part.type === "call" && part.name === expandToolName && part.outcome === null,
      ).length
