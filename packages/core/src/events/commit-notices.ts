/**
 * Notices of commits: the live stream tells which Sessions this instance has put something on record
 * of, and what kind of it (EV5). What other instances commit does not pass through here.
 *
 *   commit ─▶ gathered, Session by Session ─▶ told, at once or when it was quiet for long enough
 *
 * Each notice is written to every reader, so the quiet grows with their number: a thousand readers
 * cost an admission no more than one does. Without a reader nothing is gathered at all.
 */
import { Effect, Queue, type Scope } from "effect"
import type { FactType } from "@holdfast/schema/event"
import type { SessionId } from "@holdfast/schema/id"
import type { LiveHub } from "../session/live.ts"
import type { CommitEvent, CommitHub } from "../watch/commits.ts"

/** Of quiet, for each notice that a reader was sent. */
const quietMsPerNotice = 1
const quietMsMax = 1_000

/** Until the scope closes. */
export const tellCommits = Effect.fnUntraced(function* (
  commits: Pick<CommitHub, "subscribe">,
  live: Pick<LiveHub, "publish" | "readers">,
): Effect.fn.Return<void, never, Scope.Scope> {
  const gathered = new Map<SessionId, Set<Committed>>()
  const waiting = yield* Queue.sliding<true>(1)
  const gather = (event: CommitEvent) => {
    if (live.readers() === 0) return
    const facts = committedFacts(event)
    if (facts.length === 0 || !("session" in event.command)) return
    const { session } = event.command
    const known = gathered.get(session)
    if (known === undefined) gathered.set(session, new Set(facts))
    else for (const fact of facts) known.add(fact)
    Queue.offerUnsafe(waiting, true)
  }
  /** Returns for how long to be quiet then. */
  const tell = () => {
    const sent = gathered.size * live.readers()
    for (const [session, facts] of gathered) live.publish({ session, type: "committed", facts: [...facts] })
    gathered.clear()
    return Math.min(quietMsMax, sent * quietMsPerNotice)
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => commits.subscribe(gather)),
    (end) => Effect.sync(end),
  )
  const next = Effect.andThen(Queue.take(waiting), Effect.sync(tell))
  yield* Effect.forkScoped(Effect.forever(Effect.flatMap(next, (quietMs) => Effect.sleep(quietMs))))
})

/** As on durable streams, where the end of a Session is told without being a fact. */
type Committed = FactType | "session.deleted"

/** What a command put on record: nothing where it was refused, or had been done before. */
export function committedFacts(event: CommitEvent): readonly Committed[] {
  switch (event.type) {
    case "create-session":
      return event.outcome.kind === "created" ? ["session.created"] : []
    case "fork-session":
      // The rest is the log of its source.
      return event.outcome.kind === "forked" && !event.outcome.repeated ? ["session.created"] : []
    case "move-session":
      return event.outcome.kind === "moved" ? (event.outcome.facts ?? ["session.moved"]) : []
    case "delete-session":
      return event.outcome.kind === "deleted" ? ["session.deleted"] : []
    case "settle-job":
      // The job itself is nobody's to see (MD1).
      return event.outcome.kind === "settled" && event.outcome.seq !== null ? ["job.settled"] : []
    case "admit": {
      const { outcome } = event
      return outcome.kind === "admitted" && !outcome.repeated ? (outcome.facts ?? ["prompt.admitted"]) : []
    }
    case "edit-prompt":
      return event.outcome.kind === "edited" ? ["prompt.edited"] : []
    case "cancel-prompt":
      return event.outcome.kind === "cancelled" ? ["prompt.cancelled"] : []
    case "interrupt":
      return event.outcome.kind === "interrupted" ? (event.outcome.facts ?? ["session.interrupted"]) : []
    case "contribute": {
      const { outcome } = event
      return outcome.kind === "contributed" && !outcome.repeated ? [event.command.fact.type] : []
    }
    case "append":
      return event.outcome.kind === "appended" ? event.command.facts.map(({ type }) => type) : []
    default:
      return []
  }
}
