/**
 * Observation: every Context Source of a composition, loaded once.
 *
 * The only effectful step of `context/`. What follows (initialize, reconcile, replace) is decided
 * on the one observation by `generation.ts`, so that a boundary never loads twice (EP13).
 *
 *   SC3   loaders run concurrently; entries keep composition order.
 *   SC4   a loader over its time limit is unavailable if declared so, else a defect naming the key. Time for
 *         which one loader held the event loop counts against that one, and against no other.
 *   SC15  a throw, or an unavailable answer that was not declared, is a defect naming the key.
 *         Interruption is neither: it passes through.
 */
import { Cause, type Clock, Data, Effect } from "effect"
import {
  sealedSources,
  unavailable,
  type Loaded,
  type Renderer,
  type SealedSource,
  type SystemContext,
} from "./system-context.ts"

export const loaderTimeoutMs = 5_000
/** How often it is looked whether the event loop goes on. */
const lookMs = 1_000
/** A timer that fires later than this was held up, and so were the loaders that it limits. */
const latenessMs = 20
/** How often they are given the time back that somebody else took. */
const extensionsMax = 3

/** One consistent view of a composition. Reading it again yields the same answers. */
export interface Observation {
  readonly entries: readonly ObservedSource[]
}

export interface ObservedSource {
  readonly source: SealedSource
  readonly loaded: Loaded
}

/** A Context Source broke its contract. Nothing is stored and the turn ends visibly (SC13, SC15). */
export class ContextDefect extends Data.TaggedError("ContextDefect")<{
  readonly key: string
  readonly renderer?: Renderer
  readonly message: string
}> {}

/** Loads every source once. The first defect interrupts the loaders still running. */
export function observe(context: SystemContext): Effect.Effect<Observation, ContextDefect> {
  return Effect.suspend(() => {
    const loop: EventLoop = { seenMs: -Infinity }
    return Effect.map(
      Effect.forEach(context[sealedSources], (source) => observeSource(source, loop), {
        concurrency: "unbounded",
      }),
      (entries) => ({ entries }),
    )
  })
}

/** What an unknown thrown value says about itself. */
export function describeThrown(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

const observeSource = Effect.fnUntraced(function* (
  source: SealedSource,
  loop: EventLoop,
): Effect.fn.Return<ObservedSource, ContextDefect> {
  const { key, mayBeUnavailable } = source
  const loaded = yield* source.load.pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterrupts(cause)
        ? Effect.failCause(cause)
        : defect(key, `its loader threw: ${describeThrown(Cause.squash(cause))}`),
    ),
    withinLimit(loop),
    Effect.flatMap((answer) => {
      if (answer !== overLimit) return Effect.succeed(answer)
      return mayBeUnavailable
        ? Effect.succeed(unavailable)
        : defect(key, `its loader took longer than ${loaderTimeoutMs} ms.`)
    }),
  )
  if (loaded === unavailable && !mayBeUnavailable) {
    return yield* defect(key, "it answered unavailable without being declared as possibly unavailable.")
  }
  return { source, loaded }
})

const overLimit = Symbol("over the limit")

/** When it was last seen to go on; time before that has found who took it. */
interface EventLoop {
  seenMs: number
}

/**
 * A loader is started before its timer: what lies between the two is its own synchronous work, which nothing can stop.
 * So is what lies between the last look at the event loop and an answer: whoever holds it answers before the next look.
 */
const withinLimit =
  (loop: EventLoop) =>
  <A, E>(load: Effect.Effect<A, E>): Effect.Effect<A | typeof overLimit, E> =>
    Effect.clockWith((clock) => {
      const startedMs = monotonicMs(clock)
      const takenMs = (): number => {
        const nowMs = monotonicMs(clock)
        const sinceMs = nowMs - Math.max(startedMs, loop.seenMs)
        if (sinceMs > latenessMs) loop.seenMs = nowMs
        return sinceMs
      }
      const timer = Effect.suspend(() =>
        takenMs() > loaderTimeoutMs ? Effect.succeed(overLimit) : limitPassed(clock, loop),
      )
      return Effect.map(Effect.raceFirst(load, timer), (answer) =>
        takenMs() > loaderTimeoutMs ? overLimit : answer,
      )
    })

const limitPassed = Effect.fnUntraced(function* (
  clock: Clock.Clock,
  loop: EventLoop,
): Effect.fn.Return<typeof overLimit> {
  let extensions = 0
  for (let leftMs = loaderTimeoutMs; leftMs > 0;) {
    const waitMs = Math.min(leftMs, lookMs)
    const dueMs = monotonicMs(clock) + waitMs
    yield* Effect.sleep(waitMs)
    loop.seenMs = monotonicMs(clock)
    leftMs -= waitMs
    const lateMs = loop.seenMs - dueMs
    if (lateMs > latenessMs && extensions++ < extensionsMax) leftMs += lateMs
  }
  return overLimit
})

const monotonicMs = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

function defect(key: string, what: string): Effect.Effect<never, ContextDefect> {
  return Effect.fail(new ContextDefect({ key, message: `Context Source ${key}: ${what}` }))
}
