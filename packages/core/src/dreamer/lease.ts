/** A name that one process holds while it works (DM2): taken, renewed beside the work, given back with its end. */
import { Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { HeldName, NamedLease } from "@holdfast/store/port"
import { makeHolderJudge } from "../session/lease.ts"
import type { RuntimePorts } from "../session/ports.ts"

/** Null where another holds it, or took it while the work went on; the work is ended then. */
export const underName = Effect.fnUntraced(function* <A, E>(
  ports: RuntimePorts,
  name: string,
  work: (held: HeldName) => Effect.Effect<A, E>,
): Effect.fn.Return<A | null, E | StoreFailure> {
  const lease = yield* acquireNamed(ports, name)
  if (lease === null) return null
  const held: HeldName = { name, token: lease.token }
  return yield* Effect.ensuring(
    Effect.raceFirst(work(held), renewUntilLost(ports, held)),
    Effect.ignore(ports.store.commit({ kind: "release-named", ...held })),
  )
})

/** Whoever shows a sign of life keeps it. */
const acquireNamed = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  name: string,
): Effect.fn.Return<NamedLease | null, StoreFailure> {
  const judge = makeHolderJudge(ports)
  let dead: Pick<NamedLease, "token" | "beat"> | null = null
  for (;;) {
    const outcome: Granted = yield* ports.store.commit({
      kind: "acquire-named",
      name,
      owner: ports.owner,
      dead,
    })
    if (outcome.kind === "granted") return outcome.lease
    const { token, beat } = outcome.lease
    const verdict = yield* judge(outcome.lease)
    if (verdict === "lives") return null
    dead = verdict === "dead" ? { token, beat } : null
    if (verdict === "silent") yield* Effect.sleep(ports.limits.watchMs)
  }
})

type Granted = { readonly kind: "granted" | "held"; readonly lease: NamedLease }

const renewUntilLost = Effect.fnUntraced(function* (
  { store, limits }: RuntimePorts,
  held: HeldName,
): Effect.fn.Return<null, StoreFailure> {
  for (;;) {
    yield* Effect.sleep(limits.renewMs)
    const { kind } = yield* store.commit({ kind: "renew-named", ...held })
    if (kind === "lost") return null
  }
})
