/**
 * Titles: a hidden job beside the first turn of a Session gives it a title from the user's words (SS2).
 *
 *   first turn begins ─▶ waits ─▶ one request to a small model ─▶ job.settled ─▶ session.updated
 *
 * It belongs to the runtime and to no turn: it delays none, fails none, and ends with the runtime. What
 * goes wrong is recorded with the job; the title is then what it was, the first line. A title that
 * a person gave or took away meanwhile stays as it is: the store decides that.
 */
import { Clock, Effect, Queue, type Scope } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { FactOf } from "@holdfast/schema/event"
import type { SessionId } from "@holdfast/schema/id"
import { usageNone } from "@holdfast/schema/model"
import type { ContributedFact } from "@holdfast/store/port"
import { budgetSpent } from "../session/limits/budget.ts"
import type { RuntimePorts } from "../session/ports.ts"
import type { CommitEvent, CommitHub } from "../watch/commits.ts"
import { askForTitle } from "./ask.ts"

/** First turns whose titles wait; of more, the oldest keep their first line. */
const waitingMax = 64
const jobsMax = 2
/** The request of the turn leaves first: what is looked up for a title would stand before it. */
const behindMs = 50

/** Makes titles until the scope closes; none where there is no model for it. */
export const makeTitles = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  commits: Pick<CommitHub, "subscribe">,
): Effect.fn.Return<void, never, Scope.Scope> {
  const { titleModel } = ports
  if (titleModel === undefined) return
  const waiting = yield* Queue.sliding<SessionId>(waitingMax)
  const listen = () =>
    commits.subscribe((event) => {
      const session = firstTurnIn(event)
      if (session !== null) Queue.offerUnsafe(waiting, session)
    })
  yield* Effect.acquireRelease(Effect.sync(listen), (end) => Effect.sync(end))
  const job = Effect.flatMap(Queue.take(waiting), (session) =>
    Effect.catchCause(Effect.delay(giveTitle(ports, titleModel, session), behindMs), (cause) =>
      Effect.logWarning(`The title of Session ${session} could not be made.`, cause),
    ),
  )
  for (let jobs = 0; jobs < jobsMax; jobs++) yield* Effect.forkScoped(Effect.forever(job))
})

/** The Session whose first turn a commit begins, or null. */
function firstTurnIn(event: CommitEvent): SessionId | null {
  if (event.type !== "append" || event.outcome.kind !== "appended") return null
  const { session, facts } = event.command
  const first = facts.some((fact) => fact.type === "epoch.started" && fact.cause === "first")
  return first && facts.some(({ type }) => type === "prompt.promoted") ? session : null
}

const giveTitle = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  titleModel: NonNullable<RuntimePorts["titleModel"]>,
  session: SessionId,
): Effect.fn.Return<void, StoreFailure> {
  const { store } = ports
  const row = yield* store.session(session)
  if (row === null || row.kind !== "primary" || row.titledBy === "person") return
  if (budgetSpent(session, row) !== null) return
  const chosen = yield* Effect.map(Effect.result(titleModel(row.model)), (result) =>
    result._tag === "Success" ? result.success : result.failure,
  )
  if (chosen === null) return
  const words = yield* wordsOf(ports, session)
  if (words === "") return
  const made =
    "message" in chosen
      ? { ...unasked, reason: { code: "model_not_found", message: chosen.message } }
      : yield* askForTitle(ports, chosen, words)
  const { title, ...end } = made
  const job = ports.newId("ses") as SessionId
  const write = Effect.fnUntraced(function* (fact: ContributedFact) {
    const time = yield* Clock.currentTimeMillis
    yield* store.commit({ kind: "contribute", session, time, fact })
  })
  yield* write({ type: "job.settled", job, kind: "title", ...end })
  if (title !== null) yield* write({ type: "session.updated", title, titledBy: "runtime" })
})

const unasked: Pick<FactOf<"job.settled">, "outcome" | "usage" | "cost"> & { readonly title: null } = {
  title: null,
  outcome: "failed",
  usage: usageNone,
  cost: 0,
}

const wordsMax = 2_000

/** What somebody said in the prompts so far; nothing that the runtime or a model wrote. */
const wordsOf = Effect.fnUntraced(function* ({ store }: RuntimePorts, session: SessionId) {
  const window = yield* store.window(session)
  const texts = (window?.state.messages ?? []).flatMap((message) =>
    message.kind === "user" ? [message.text] : [],
  )
  return texts.join("\n\n").slice(0, wordsMax).trim()
})
