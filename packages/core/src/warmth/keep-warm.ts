/**
 * Keep-warm: while a Session is idle, its last request is sent again before the provider forgets it,
 * where the user has set bounds for that in number and money.
 *
 *   turn settles ─▶ waits until shortly before the cache lapses ─▶ the same prefix, least output ─▶ cache.warmed
 *        ▲                                                                    │
 *        └──── whatever else happens to the Session ends the wait, or the request ◀┘
 *
 * It belongs to the runtime that ran the turn, leads nothing and starts no tool: no prompt waits for it.
 * It ends with the runtime. What a request that was broken off may have cost is recorded too.
 */
import { Clock, Effect, FiberMap, Queue, type Scope } from "effect"
import { exchange } from "@holdfast/llm/exchange"
import { allLiving, isWorthWarming, warmMarginMs } from "@holdfast/llm/cache-lifetime"
import type { PlacedRequest, StreamEvent } from "@holdfast/llm/wire"
import type { StoreFailure } from "@holdfast/schema/error"
import type { SessionId } from "@holdfast/schema/id"
import { costOf, formatModelRef, type Usage, usageNone } from "@holdfast/schema/model"
import type { SessionState } from "@holdfast/schema/state/state"
import { isEligible } from "@holdfast/schema/state/summary"
import type { RequestRecord } from "@holdfast/schema/turn"
import { requestFor, withoutSecrets } from "../config/credentials/credential.ts"
import type { KeepWarm } from "../config/settings.ts"
import { filledBody } from "../media/body.ts"
import { chooseModel } from "../session/fallback.ts"
import { budgetSpent } from "../session/limits/budget.ts"
import { askedModel } from "../session/look.ts"
import { makeMeter, readMeter } from "../session/meter.ts"
import { limitsOf, lookAtSettings, type ModelSetup, type RuntimePorts } from "../session/ports.ts"
import { multipliersOf, nextWarming, type Warming } from "../session/request/lifetimes.ts"
import { repeatLast } from "../session/request/repeat.ts"
import type { CommitEvent, CommitHub } from "../watch/commits.ts"

/** News that wait; of more, the oldest are lost, and so is the warmth of their Sessions. */
const newsMax = 256

export const makeKeepWarm = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  commits: Pick<CommitHub, "subscribe">,
): Effect.fn.Return<void, never, Scope.Scope> {
  const { keepWarm } = ports
  if (keepWarm === undefined) return
  const news = yield* Queue.sliding<News>(newsMax)
  const keeping = yield* FiberMap.make<SessionId>()
  const listen = () =>
    commits.subscribe((event) => {
      const told = newsIn(event)
      if (told === null || (keepWarm() === null && !FiberMap.hasUnsafe(keeping, told.session))) return
      Queue.offerUnsafe(news, told)
    })
  yield* Effect.acquireRelease(Effect.sync(listen), (end) => Effect.sync(end))
  const heed = Effect.flatMap(Queue.take(news), ({ session, idle }) =>
    idle
      ? FiberMap.run(keeping, session, quietly(keep(ports, keepWarm, session), session))
      : FiberMap.remove(keeping, session),
  )
  yield* Effect.forkScoped(Effect.forever(heed))
})

const quietly = <E>(work: Effect.Effect<void, E>, session: SessionId): Effect.Effect<void> =>
  Effect.catchCause(work, (cause) =>
    Effect.logWarning(`The cache of Session ${session} could not be kept warm.`, cause),
  )

/** `idle` where nothing more is due; else something begins. */
interface News {
  readonly session: SessionId
  readonly idle: boolean
}

function newsIn(event: CommitEvent): News | null {
  switch (event.type) {
    case "admit":
    case "interrupt":
    case "delete-session":
      return { session: event.command.session, idle: false }
    case "append": {
      const { session, facts } = event.command
      if (facts.some(({ type }) => type === "turn.started")) return { session, idle: false }
      const settled = facts.find((fact) => fact.type === "turn.settled")
      return settled === undefined ? null : { session, idle: settled.status === "done" }
    }
    default:
      return null
  }
}

/** Until it is not worth it any more, or a bound is reached. */
const keep = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  keepWarm: NonNullable<RuntimePorts["keepWarm"]>,
  session: SessionId,
): Effect.fn.Return<void, StoreFailure> {
  for (let sent = 0; sent < (keepWarm()?.max ?? 0); sent++) {
    const before = yield* ports.store.window(session)
    const first = before === null ? null : dueOf(before.state)
    if (first === null) return
    yield* Effect.sleep(Math.max(0, first.atMs - (yield* Clock.currentTimeMillis)))
    const window = yield* ports.store.window(session)
    const due = window === null ? null : dueOf(window.state)
    const late = due === null || (yield* Clock.currentTimeMillis) >= due.atMs + warmMarginMs
    if (window === null || due === null || late) return
    if ((yield* ports.store.lease(session)) !== null) return
    yield* lookAtSettings(ports)
    const bounds = keepWarm()
    if (bounds === null) return
    if (!(yield* warm(ports, bounds, session, window.state, due))) return
  }
})

/** When the next one is due; null where something else is, or nothing can be kept. */
function dueOf({ summary, lastTurn }: SessionState): Warming | null {
  const idle = summary.openTurn === null && summary.asks === 0 && !isEligible(summary) && !summary.stopped
  if (!idle || summary.archived || lastTurn?.settled?.status !== "done") return null
  return nextWarming(summary.rhythm, lastTurn.started.request)
}

/** False where no other follows it. */
const warm = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  bounds: KeepWarm,
  session: SessionId,
  state: SessionState,
  due: Warming,
): Effect.fn.Return<boolean, StoreFailure> {
  const { summary, lastTurn } = state
  if (lastTurn === null || budgetSpent(session, summary) !== null) return false
  const { model, request, endpoint } = lastTurn.started
  const setup = yield* nextSetup(ports, session, summary)
  // Another model has a cache of its own: this one would be kept for nobody.
  const reads = setup !== null && formatModelRef(setup.target) === formatModelRef(model)
  if (!reads || setup.target.endpoint !== endpoint) return false
  const { rhythm } = summary
  const inRow = (rhythm.warmedAt > rhythm.askedAt ? rhythm.warmedInRow : 0) + 1
  const expected = expectedUsage(request, due)
  const cost = costOf(expected, setup.price)
  // What has no price cannot be bounded in money.
  if (inRow > bounds.max || cost === null || rhythm.warmedCost + cost > bounds.costMax) return false
  const worth = isWorthWarming({
    idleMs: due.atMs - rhythm.askedAt,
    lifetime: due.lifetime,
    multipliers: multipliersOf(setup.price),
    writtenShare: due.tokensAgain / Math.max(1, request.tokensEstimated),
  })
  const repeated = worth ? yield* repeatLast(ports.store, state, setup, allLiving(due.lifetime)) : null
  if (repeated === null) return false
  const usage = yield* send(ports, setup, repeated, expected, (spent) =>
    Effect.gen(function* () {
      const time = yield* Clock.currentTimeMillis
      const fact = {
        type: "cache.warmed",
        model,
        inRow,
        usage: spent,
        cost: costOf(spent, setup.price),
      } as const
      yield* ports.store.commit({ kind: "contribute", session, time, fact })
    }),
  )
  // Nothing was read: there is nothing left to keep.
  return usage !== null && usage.cacheRead > 0
})

/** The model of the next turn; null where there is none to speak to. */
const nextSetup = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  session: SessionId,
  summary: SessionState["summary"],
): Effect.fn.Return<ModelSetup | null, StoreFailure> {
  const sample = yield* ports.sample(summary.location, summary.agent)
  const chosen = yield* Effect.result(
    chooseModel(ports, session, askedModel(summary, sample.agent), sample, "speak"),
  )
  if (chosen._tag === "Success") return chosen.success.setup
  return chosen.failure._tag === "ModelNotFound" ? null : yield* chosen.failure
})

const expectedUsage = (request: RequestRecord, { tokensAgain, lifetime }: Warming): Usage => ({
  ...usageNone,
  output: 1,
  cacheRead: Math.max(0, request.tokensEstimated - tokensAgain),
  cacheWrite: tokensAgain,
  ...(lifetime === "1h" && tokensAgain > 0 && { cacheWrite1h: tokensAgain }),
})

/** What it used, recorded also where it was broken off on its way; null where the provider refused it. */
const send = (
  { store, transport, masks, ...ports }: RuntimePorts,
  setup: ModelSetup,
  placed: PlacedRequest,
  expected: Usage,
  record: (usage: Usage) => Effect.Effect<void, StoreFailure>,
): Effect.Effect<Usage | null, StoreFailure> =>
  Effect.suspend(() => {
    const { credential, wire } = setup
    const limits = limitsOf(setup, ports.limits)
    const meter = makeMeter(placed.record.markers)
    const redact = (text: string) => masks.text(withoutSecrets(text, credential))
    const take = (events: readonly StreamEvent[]) =>
      Effect.sync(() => {
        for (const event of events) {
          readMeter(meter, event)
          if (event.type === "failure") return event.failure
        }
        return null
      })
    const sending = Effect.scoped(
      Effect.gen(function* () {
        const body = yield* filledBody(store, placed)
        const nowMs = yield* Clock.currentTimeMillis
        const request = requestFor(setup, credential, { body, bytes: placed.bytes }, limits, nowMs)
        return yield* exchange({ transport, wire, request, limits, redact, take })
      }),
    ).pipe(
      Effect.catchTag("ProviderFailure", (failure) => Effect.succeed(failure)),
      Effect.catchTag("MediaLost", () => Effect.succeed(null)),
      Effect.onInterrupt(() => Effect.ignore(record(meter.began ? meter.usage : expected))),
    )
    return Effect.flatMap(sending, () =>
      meter.began ? Effect.as(record(meter.usage), meter.usage) : Effect.succeed(null),
    )
  })
