/** Turns with the requests that kept their cache (TU7). The log is read only where a Session has sent any. */
import { Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { Event } from "@holdfast/schema/event"
import type { TurnRecord, Warming } from "@holdfast/schema/turn-record"
import type { Damage, SessionRow, Store, StoredTurn } from "@holdfast/store/port"

const eventsAtOnce = 512

interface LogPage {
  readonly events: readonly Event[]
  readonly damage: readonly Damage[]
}

/** `turns` follow one another, in the order of their starts. */
export const withWarmings = Effect.fnUntraced(function* (
  store: Pick<Store, "turns" | "events">,
  { id, rhythm }: Pick<SessionRow, "id" | "rhythm">,
  turns: readonly StoredTurn[],
): Effect.fn.Return<readonly TurnRecord[], StoreFailure> {
  const [first, last] = [turns[0], turns.at(-1)]
  if (rhythm.warmedAt === 0 || first === undefined || last === undefined) return turns
  const [next] = yield* store.turns(id, { afterSeq: last.startedSeq, limit: 1 })
  const end = next?.startedSeq ?? Infinity
  const warmings: Warming[] = []
  for (let after: number = first.startedSeq; after < end;) {
    const { events, damage }: LogPage = yield* store.events(id, after, eventsAtOnce)
    for (const { seq, time, fact } of events)
      if (fact.type === "cache.warmed" && seq < end) {
        const { type: _, ...request } = fact
        warmings.push({ seq, at: time, ...request })
      }
    after = Math.max(events.at(-1)?.seq ?? 0, damage.at(-1)?.seq ?? 0) || end
  }
  return turns.map((turn, at) => {
    const until = turns[at + 1]?.startedSeq ?? end
    const warmed = warmings.filter(({ seq }) => seq > turn.startedSeq && seq < until)
    return warmed.length === 0 ? turn : { ...turn, warmed }
  })
})
