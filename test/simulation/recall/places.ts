/** HB4 at rest: each message stands in the window or in one compartment, whoever was killed while it moved. */
import type { Event } from "@holdfast/schema/event"
import { isReverted } from "@holdfast/schema/state/items"
import type { SessionState } from "@holdfast/schema/state/state"

const spoken = new Set<string>(["prompt.promoted", "notice.promoted", "turn.started"])

export function checkPlaces(
  events: readonly Event[],
  { messages, items, frozen }: SessionState,
): readonly string[] {
  const raw = new Set(messages.map(({ seq }) => seq))
  const standing = [...items.compartments.values()]
  const covering = (seq: number) => standing.filter(({ fromSeq, toSeq }) => seq >= fromSeq && seq <= toSeq)
  return events.flatMap(({ seq, fact }) => {
    if (!spoken.has(fact.type) || isReverted(items, seq)) return []
    const parts = covering(seq)
    // What a historian published beyond the window waits there, and its messages are raw until then.
    if (parts.length > 1) return [`[HB4] message ${seq} is in ${parts.map(({ id }) => id).join(" and ")}`]
    if (raw.has(seq) || parts.length === 1) return []
    return [`[HB4] message ${seq} is nowhere; the window begins at ${frozen.from}`]
  })
}
