/**
 * Observation: every Context Source of a composition, loaded once.
 *
 * The only effectful step of `context/`. What follows (initialize, reconcile, replace) is decided
 * on the one observation by `generation.ts`, so that a boundary never loads twice (EP13).
 *
 *   SC3   loaders run concurrently; entries keep composition order.
 *   SC4   a loader over its time limit is unavailable if declared so, else a defect naming the key.
 *   SC15  a throw, or an unavailable answer that was not declared, is a defect naming the key.
 *         Interruption is neither: it passes through.
 */
import { Cause, Data, Effect } from "effect"
import {
  sealedSources,
  unavailable,
  type Loaded,
  type Renderer,
  type SealedSource,
  type SystemContext,
} from "./system-context.ts"

export const loaderTimeoutMs = 5_000

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
  return Effect.map(
    Effect.forEach(context[sealedSources], observeSource, { concurrency: "unbounded" }),
    (entries) => ({ entries }),
  )
}

/** What an unknown thrown value says about itself. */
export function describeThrown(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

const observeSource = Effect.fnUntraced(function* (
  source: SealedSource,
): Effect.fn.Return<ObservedSource, ContextDefect> {
  const { key, mayBeUnavailable } = source
  const loaded = yield* source.load.pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterrupts(cause)
        ? Effect.failCause(cause)
        : defect(key, `its loader threw: ${describeThrown(Cause.squash(cause))}`),
    ),
    Effect.timeoutOrElse({
      duration: loaderTimeoutMs,
      orElse: () =>
        mayBeUnavailable
          ? Effect.succeed(unavailable)
          : defect(key, `its loader took longer than ${loaderTimeoutMs} ms`),
    }),
  )
  if (loaded === unavailable && !mayBeUnavailable) {
    return yield* defect(key, "it answered unavailable without being declared as possibly unavailable")
  }
  return { source, loaded }
})

function defect(key: string, what: string): Effect.Effect<never, ContextDefect> {
  return Effect.fail(new ContextDefect({ key, message: `Context Source ${key}: ${what}` }))
}
