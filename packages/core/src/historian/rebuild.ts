/**
 * `rebuild`: the compartments of a Session made anew from its messages, a range at a time (HI7).
 *
 * Each range is one record, so that a crash leaves whole ranges; a repeat passes over what is done. It asks no model, writes
 * no facts and touches no memory. Until the next request the window shows the old ones.
 */
import { Effect } from "effect"
import { rebuildRange, type RebuildRange, rebuildRanges } from "@holdfast/recall"
import type { SessionNotFound, StoreFailure } from "@holdfast/schema/error"
import type { SessionId } from "@holdfast/schema/id"
import type { RebuildResult } from "@holdfast/schema/instance/window"
import type { Message } from "@holdfast/schema/message"
import { type Items, isReverted } from "@holdfast/schema/state/items"
import { contribute } from "../session/contribute.ts"
import { type Coordinator, sessionNotFound } from "../session/coordinator/coordinator.ts"
import type { RuntimePorts } from "../session/ports.ts"

const messagesPerPage = 500

export interface RebuildSpan {
  readonly fromSeq?: number | undefined
  readonly toSeq?: number | undefined
}

export const rebuildHistory = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  coordinator: Pick<Coordinator, "resume" | "answered">,
  session: SessionId,
  { fromSeq = 0, toSeq = Number.MAX_SAFE_INTEGER }: RebuildSpan,
): Effect.fn.Return<RebuildResult, SessionNotFound | StoreFailure> {
  const window = yield* ports.store.window(session)
  if (window === null) return yield* sessionNotFound(session)
  const { items, frozen } = window.state
  const ranges = rebuildRanges([...items.compartments.values()], { fromSeq, toSeq }, frozen)
  const done = { ranges: 0, unchanged: 0, overtaken: 0, compartmentsAfter: 0, messages: 0 }
  for (const range of ranges) {
    const messages = yield* messagesIn(ports, session, range, items)
    const fact = rebuildRange(range, messages)
    const outcome = fact === null ? null : yield* contribute(ports, coordinator, session, fact)
    const published = outcome?.kind === "contributed"
    done.ranges += published ? 1 : 0
    done.unchanged += fact === null ? 1 : 0
    done.overtaken += outcome?.kind === "refused" ? 1 : 0
    done.messages += published ? messages.length : 0
    done.compartmentsAfter += published ? (fact?.compartments.length ?? 0) : range.replaces.length
  }
  const compartmentsBefore = ranges.reduce((sum, { replaces }) => sum + replaces.length, 0)
  return { ...done, compartmentsBefore, cost: 0 }
})

/** All that was said in the range, as it is stored. */
const messagesIn = Effect.fnUntraced(function* (
  { store }: RuntimePorts,
  session: SessionId,
  { fromSeq, toSeq }: RebuildRange,
  items: Items,
): Effect.fn.Return<readonly Message[], StoreFailure> {
  const found: Message[] = []
  for (let afterSeq = fromSeq - 1; ;) {
    const page = yield* store.messages(session, { afterSeq, limit: messagesPerPage, system: false })
    found.push(...page.filter(({ seq }) => seq <= toSeq && !isReverted(items, seq)))
    const last = page.at(-1)?.seq
    if (last === undefined || last >= toSeq) return found
    afterSeq = last
  }
})
