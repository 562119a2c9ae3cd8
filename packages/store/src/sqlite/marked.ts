/**
 * What the marked events of a Session say: whatever a window folds beside its messages.
 *
 * Apart from the other reads because the writer needs it too, and loads no schema.
 */
import { advanceMarked, emptyState, type SessionState } from "@holdfast/schema/state/state"
import { eventAt, type Source } from "./read-events.ts"

export function readMarked(source: Source): SessionState {
  const marks = source.connection.all<{ seq: number; kind: string; id: string }>(
    "SELECT seq, kind, id FROM mark WHERE session = ? ORDER BY seq",
    source.key,
  )
  const events = [...new Set(marks.map(({ seq }) => seq))].flatMap((seq) => eventAt(source, seq) ?? [])
  const parts = new Set(marks.flatMap(({ kind, id }) => (kind === "history" ? [id] : [])))
  return withParts(events.reduce(advanceMarked, emptyState), parts)
}

/** An event that one part still needs tells of its others too, though what took their place may be gone itself (HB4). */
function withParts(state: SessionState, parts: ReadonlySet<string>): SessionState {
  const { compartments, publishedSeqs } = state.items
  if ([...compartments.keys()].every((id) => parts.has(id))) return state
  const standing = <A>(all: ReadonlyMap<string, A>) => new Map([...all].filter(([id]) => parts.has(id)))
  const items = {
    ...state.items,
    compartments: standing(compartments),
    publishedSeqs: standing(publishedSeqs),
  }
  return { ...state, items }
}
