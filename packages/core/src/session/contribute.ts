/**
 * Facts that anybody may write without the lease (PE5, PR8): a title, an answer, a notice, a
 * message taken out. Whoever leads folds them in at its next boundary; what calls for a turn wakes
 * the Session.
 */
import { Clock, Effect } from "effect"
import type { SessionNotFound, StoreFailure } from "@holdfast/schema/error"
import type { SessionId } from "@holdfast/schema/id"
import { hasWork } from "@holdfast/schema/state/summary"
import type { Contribute, ContributedFact, OutcomeOf } from "@holdfast/store/port"
import { maskedFact } from "../secrets/masked-input.ts"
import { type Coordinator, sessionNotFound } from "./coordinator/coordinator.ts"
import type { RuntimePorts } from "./ports.ts"

export type Contributed = Exclude<OutcomeOf<Contribute>, { kind: "no-session" }>

export const contribute = Effect.fnUntraced(function* (
  { store, masks }: Pick<RuntimePorts, "store" | "masks">,
  coordinator: Pick<Coordinator, "resume" | "answered">,
  session: SessionId,
  given: ContributedFact,
): Effect.fn.Return<Contributed, SessionNotFound | StoreFailure> {
  const time = yield* Clock.currentTimeMillis
  const fact = maskedFact(masks, given)
  const outcome = yield* store.commit({ kind: "contribute", session, time, fact })
  if (outcome.kind === "no-session") return yield* sessionNotFound(session)
  // Each answer frees what it can, though others are open yet (PE5).
  if (outcome.kind === "contributed" && fact.type === "ask.answered") yield* coordinator.answered(session)
  if (outcome.kind === "contributed" && fact.type === "notice.admitted" && fact.wakes) {
    const row = yield* store.session(session)
    // Answered meanwhile by somebody else's turn: then nothing is owed, which is no failure.
    if (row !== null && hasWork(row))
      yield* Effect.catchTag(coordinator.resume(session), "NothingOwed", () => Effect.void)
  }
  return outcome
})
