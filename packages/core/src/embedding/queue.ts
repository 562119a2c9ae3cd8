/**
 * Works through the queue of the store, one worker at a time (SE2): whoever holds the name embeds, and each step
 * renews it. One that is wedged renews nothing and loses it; what it still writes is refused.
 */
import { Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { AcquireNamed } from "@holdfast/store/lease/named"
import type { NamedLease, OutcomeOf, Store } from "@holdfast/store/port"
import type { EmbeddingStep, UnitVector } from "@holdfast/store/search/embedding"
import { makeHolderJudge } from "../session/lease.ts"
import type { RuntimePorts } from "../session/ports.ts"

export const embedName = "embed"
/** A holder whose beat stands still for so long is dead. */
const leaseMs = 60_000
const watchMs = 2_000

export interface QueueWorker<E> extends Pick<RuntimePorts, "owner" | "ownerState"> {
  readonly store: Pick<Store, "commit" | "embeddingStep" | "namedLease">
  /** Whose units it embeds. */
  readonly models: readonly string[]
  /** Null where it cannot. */
  readonly embed: (step: EmbeddingStep) => Effect.Effect<readonly UnitVector[] | null, E>
}

/** Until the queue is empty, or somebody else has it. */
export const workThrough = Effect.fnUntraced(function* <E>(
  worker: QueueWorker<E>,
): Effect.fn.Return<void, E | StoreFailure> {
  const lease = yield* acquire(worker)
  if (lease === null) return
  const { store } = worker
  const { name, token } = lease
  yield* Effect.ensuring(
    embedAll(worker, lease),
    Effect.ignore(store.commit({ kind: "release-named", name, token })),
  )
})

const embedAll = Effect.fnUntraced(function* <E>(
  { store, models, embed }: QueueWorker<E>,
  { name, token }: NamedLease,
): Effect.fn.Return<void, E | StoreFailure> {
  for (
    let step = yield* store.embeddingStep(models);
    step !== null;
    step = yield* store.embeddingStep(models)
  ) {
    const vectors = yield* embed(step)
    if (vectors === null) return
    yield* store.commit({ kind: "renew-named", name, token })
    const written = yield* store.commit({ kind: "write-vectors", name, token, step, vectors })
    // A Session that asks for another model meanwhile loses the step, and not the name.
    if (written.kind === "lost" && (yield* store.namedLease(name))?.token !== token) return
  }
})

const acquire = Effect.fnUntraced(function* <E>({
  store,
  models,
  owner,
  ownerState,
}: QueueWorker<E>): Effect.fn.Return<NamedLease | null, StoreFailure> {
  const judge = makeHolderJudge({ owner, ownerState, limits: { leaseMs } })
  let dead: AcquireNamed["dead"] = null
  for (;;) {
    if ((yield* store.embeddingStep(models)) === null) return null
    const outcome: OutcomeOf<AcquireNamed> = yield* store.commit({
      kind: "acquire-named",
      name: embedName,
      owner,
      dead,
    })
    if (outcome.kind === "granted") return outcome.lease
    const { token, beat }: NamedLease = outcome.lease
    dead = (yield* judge(outcome.lease)) === "dead" ? { token, beat } : null
    if (dead === null) yield* Effect.sleep(watchMs)
  }
})
