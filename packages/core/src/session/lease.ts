/**
 * Leases from the outside: is whoever holds this Session still there?
 *
 *   the process is gone ─────────────────────────────▶ dead, at once
 *   the beat changed between two looks ──────────────▶ lives
 *   the beat stood still for a lease time ───────────▶ dead
 *   anything else ───────────────────────────────────▶ silent: look again
 *
 * A process may live and yet not lead any more, as after its store failed it: then its beat tells.
 * Time is our own monotonic clock; wall clocks are never compared.
 */
import { Clock, Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { SessionId } from "@holdfast/schema/id"
import { isEligible } from "@holdfast/schema/state/summary"
import type { Acquire, Lease, OutcomeOf } from "@holdfast/store/port"
import type { RuntimePorts } from "./ports.ts"

export type HolderVerdict = "lives" | "silent" | "dead"

/** How long another holder is watched: not past the first sign of life, while input waits, or until it lets go. */
export type Patience = "sign-of-life" | "while-pending" | "until-free"

/** A lease, or null when there is nothing to lead for. */
export const acquireLease = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  session: SessionId,
  patience: Patience,
): Effect.fn.Return<Lease | null, StoreFailure> {
  const judge = makeHolderJudge(ports)
  let dead: Acquire["dead"] = null
  for (;;) {
    const outcome: OutcomeOf<Acquire> = yield* ports.store.commit({
      kind: "acquire",
      session,
      owner: ports.owner,
      dead,
      toSettle: patience === "sign-of-life",
    })
    if (outcome.kind === "granted") return outcome.lease
    if (outcome.kind !== "held") return null
    const { lease }: { lease: Lease } = outcome
    const verdict: HolderVerdict = yield* judge(lease)
    dead = verdict === "dead" ? { token: lease.token, beat: lease.beat } : null
    if (verdict === "dead") continue
    if (verdict === "lives" && patience === "sign-of-life") return null
    if (patience === "while-pending" && !(yield* isWaiting(ports, session))) return null
    yield* Effect.sleep(ports.limits.watchMs)
  }
})

/** Whether input of the Session waits for a turn. */
const isWaiting = (ports: RuntimePorts, session: SessionId): Effect.Effect<boolean, StoreFailure> =>
  Effect.map(ports.store.session(session), (row) => row !== null && isEligible(row))

/** Waits until no other process leads the Session. */
export const awaitOtherHolder = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  session: SessionId,
): Effect.fn.Return<void, StoreFailure> {
  const judge = makeHolderJudge(ports)
  for (;;) {
    const lease = yield* ports.store.lease(session)
    if (lease === null || lease.owner.instance === ports.owner.instance) return
    if ((yield* judge(lease)) === "dead") return
    yield* Effect.sleep(ports.limits.watchMs)
  }
})

/** Remembers what it saw, so it judges one holder over several looks. */
export function makeHolderJudge(
  ports: Pick<RuntimePorts, "owner" | "ownerState"> & {
    readonly limits: Pick<RuntimePorts["limits"], "leaseMs">
  },
) {
  let seen: { readonly token: number; readonly beat: number; readonly atNanos: bigint } | null = null
  return Effect.fnUntraced(function* (
    lease: Pick<Lease, "owner" | "token" | "beat">,
  ): Effect.fn.Return<HolderVerdict> {
    const { owner, token, beat } = lease
    if (owner.instance === ports.owner.instance) return "dead"
    if ((yield* ports.ownerState(owner)) === "gone") return "dead"
    const atNanos = yield* Clock.monotonicTimeNanos
    if (seen === null || seen.token !== token || seen.beat !== beat) {
      const first = seen === null
      seen = { token, beat, atNanos }
      return first ? "silent" : "lives"
    }
    return atNanos - seen.atNanos >= BigInt(ports.limits.leaseMs) * 1_000_000n ? "dead" : "silent"
  })
}
