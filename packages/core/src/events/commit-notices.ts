/**
 * Notices of commits: the live stream tells which Sessions this instance has put something on record
 * of, and what kind of it (EV5). What other instances commit does not pass through here.
 *
 *   commit ─▶ quiet for long enough? ─ yes ─▶ told at once
 *                                    └ no ──▶ gathered, Session by Session, and told when it is
 *
 * Each notice is written to every reader, so the quiet grows with their number: a thousand readers
 * cost an admission no more than one does. Without a reader nothing is gathered at all.
 */
import { Clock, Effect, type Scope } from "effect"
import type { FactType } from "@holdfast/schema/event"
import type { SessionId } from "@holdfast/schema/id"
import type { LiveHub } from "../session/live.ts"
import type { CommitEvent, CommitHub } from "../watch/commits.ts"

/** Of quiet, for each notice that a reader was sent. */
const quietMsPerNotice = 1
const quietMsMax = 1_000

/** Until the scope closes, by the clock of whoever runs it. */
export const tellCommits = Effect.fnUntraced(function* (
  commits: Pick<CommitHub, "subscribe">,
  live: Pick<LiveHub, "publish" | "readers">,
): Effect.fn.Return<void, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const scope = yield* Effect.scope
  const timer: Timer = {
    nowMs: () => clock.currentTimeMillisUnsafe(),
    later: (ms, run) => void fork(Effect.forkIn(Effect.andThen(Effect.sleep(ms), Effect.sync(run)), scope)),
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => gatherCommits(commits, live, timer)),
    (end) => Effect.sync(end),
  )
})

export interface Timer {
  readonly nowMs: () => number
  readonly later: (ms: number, run: () => void) => void
}

/** Ends by what it gives back. */
export function gatherCommits(
  commits: Pick<CommitHub, "subscribe">,
  live: Pick<LiveHub, "publish" | "readers">,
  { nowMs, later }: Timer,
): () => void {
  const gathered = new Map<SessionId, Set<Committed>>()
  let quietUntilMs = -Infinity
  let isWaiting = false
  const tell = () => {
    isWaiting = false
    const sent = gathered.size * live.readers()
    for (const [session, facts] of gathered) live.publish({ session, type: "committed", facts: [...facts] })
    gathered.clear()
    quietUntilMs = nowMs() + Math.min(quietMsMax, sent * quietMsPerNotice)
  }
  return commits.subscribe((event) => {
    if (live.readers() === 0) return
    const facts = factsOf(event)
    if (facts.length === 0 || !("session" in event.command)) return
    const { session } = event.command
    const known = gathered.get(session)
    if (known === undefined) gathered.set(session, new Set(facts))
    else for (const fact of facts) known.add(fact)
    if (isWaiting) return
    const leftMs = Math.min(quietMsMax, quietUntilMs - nowMs()) // a clock may be set back
    if (leftMs <= 0) return tell()
    isWaiting = true
    later(leftMs, tell)
  })
}

/** As on durable streams, where the end of a Session is told without being a fact. */
type Committed = FactType | "session.deleted"

/** What a command put on record: nothing where it was refused, or had been done before. */
export function factsOf(event: CommitEvent): readonly Committed[] {
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
