/** Messages behind the window, for a historian that has to write of them again, or for the first time (HI7, IM1). */
import { Effect } from "effect"
import { uncoveredSpan } from "@holdfast/recall"
import type { StoreFailure } from "@holdfast/schema/error"
import type { SessionId } from "@holdfast/schema/id"
import type { Message } from "@holdfast/schema/message"
import { type Items, isReverted } from "@holdfast/schema/state/items"
import type { SessionState } from "@holdfast/schema/state/state"
import type { RuntimePorts } from "../session/ports.ts"

const messagesPerPage = 500

/** All that was said in the range, as it is stored. */
export const storedMessages = Effect.fnUntraced(function* (
  { store }: Pick<RuntimePorts, "store">,
  session: SessionId,
  { fromSeq, toSeq }: { readonly fromSeq: number; readonly toSeq: number },
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

/** What an import hid and nothing stands for yet; the next request covers it. */
export const uncoveredMessages = (
  ports: Pick<RuntimePorts, "store">,
  session: SessionId,
  { frozen, summary, items }: SessionState,
): Effect.Effect<readonly Message[], StoreFailure> => {
  const span = uncoveredSpan(frozen, { end: summary.historyEnd })
  return span === null ? Effect.succeed([]) : storedMessages(ports, session, span, items)
}
