/**
 * System Context: the algebra of the facts given to the model.
 *
 * `make` seals one typed Context Source, `combine` puts sealed ones in order. Nothing is loaded
 * here: `observation.ts` loads, `generation.ts` decides what to say about what was loaded.
 *
 * A loader answers one of three things:
 *   a value        the fact as it is now;
 *   `absent`       the fact was looked for and there is none: what was said earlier is taken back
 *                  with the removal text stored at its admission, as if the source had left (SC8, SC9);
 *   `unavailable`  the fact cannot be observed just now: what was said earlier stays in force (SC8).
 *
 *   SC1   key, JSON codec, loader, renderers; the value type ends inside `make`.
 *   SC2   a malformed key throws at construction, a duplicate one at composition.
 *   SC3   composition order is the caller's order.
 *   SC15  only a source declared with `mayBeUnavailable: true` can type-check an unavailable answer.
 */
import { SourceKey } from "@holdfast/schema/context"
import { Json } from "@holdfast/schema/json"
import { Data, Effect, Exit, Option, Schema } from "effect"

/** Answer of a loader that found no such fact. */
export const absent: unique symbol = Symbol.for("@holdfast/core/context/absent")
export type Absent = typeof absent

/** Answer of a loader that cannot observe its fact just now. */
export const unavailable: unique symbol = Symbol.for("@holdfast/core/context/unavailable")
export type Unavailable = typeof unavailable

/** What the author of a Context Source writes. Renderers are pure and never answer an empty text (SC13). */
export interface ContextSource<A> {
  readonly key: string
  readonly codec: Schema.Codec<A, Json>
  /** Called once per observation, in any order with other loaders; must be interruptible. */
  readonly load: Effect.Effect<NoInfer<A> | Absent>
  baseline(value: NoInfer<A>): string
  /** States the newly effective value only (SC12): the old one is not even passed in. */
  update(value: NoInfer<A>): string
  /** Said when the fact or its source is gone. Without it, that is a replacement (SC9). */
  removal?(value: NoInfer<A>): string
}

/** A Context Source whose loader may answer `unavailable`. */
export interface UncertainContextSource<A> extends Omit<ContextSource<A>, "load"> {
  readonly mayBeUnavailable: true
  readonly load: Effect.Effect<NoInfer<A> | Absent | Unavailable>
}

/** An ordered composition of sealed sources. */
export interface SystemContext {
  readonly keys: readonly string[]
  readonly [sealedSources]: readonly SealedSource[]
}

export const sealedSources: unique symbol = Symbol("sealed sources")

export type Renderer = "baseline" | "update" | "removal"

/** A source whose value type nobody outside can name. Internal to `context/`. */
export interface SealedSource {
  readonly key: string
  readonly mayBeUnavailable: boolean
  readonly load: Effect.Effect<Loaded>
  /** The stored value as the current codec encodes it; none if it cannot decode it (SC10). */
  readonly recode: (stored: Json) => Option.Option<Json>
}

export type Loaded = LoadedValue | Absent | Unavailable

export interface LoadedValue {
  readonly encoded: Json
  readonly renderers: {
    readonly baseline: () => string
    readonly update: () => string
    readonly removal: (() => string) | undefined
  }
}

export class InvalidSourceKey extends Data.TaggedError("InvalidSourceKey")<{
  readonly key: string
  readonly message: string
}> {}

export class DuplicateSourceKey extends Data.TaggedError("DuplicateSourceKey")<{
  readonly key: string
  readonly message: string
}> {}

/** A composition of one source. Throws InvalidSourceKey: a wrong key is a mistake in code (SC2). */
export function make<A>(source: ContextSource<A>): SystemContext
export function make<A>(source: UncertainContextSource<A>): SystemContext
export function make<A>(source: ContextSource<A> | UncertainContextSource<A>): SystemContext {
  if (!isSourceKey(source.key)) {
    throw new InvalidSourceKey({
      key: source.key,
      message: `Context Source key ${JSON.stringify(source.key)} is not of the form area/name`,
    })
  }
  return compose([seal(source)])
}

/** The composition without sources (SC14). */
export const empty: SystemContext = compose([])

/** All sources in caller order (SC3). Throws DuplicateSourceKey (SC2); `findDuplicate` asks first. */
export function combine(contexts: readonly SystemContext[]): SystemContext {
  const duplicate = findDuplicate(contexts)
  if (duplicate !== undefined) throw duplicate
  return compose(contexts.flatMap((context) => context[sealedSources]))
}

/** The first key that two of the sources share, as the error that `combine` would throw. */
export function findDuplicate(contexts: readonly SystemContext[]): DuplicateSourceKey | undefined {
  const seen = new Set<string>()
  for (const key of contexts.flatMap((context) => context.keys)) {
    if (seen.has(key))
      return new DuplicateSourceKey({ key, message: `two Context Sources share the key ${key}` })
    seen.add(key)
  }
  return undefined
}

const isSourceKey = Schema.is(SourceKey)
const isJson = Schema.is(Json)

function compose(sources: readonly SealedSource[]): SystemContext {
  return { keys: sources.map((source) => source.key), [sealedSources]: sources }
}

function seal<A>(source: ContextSource<A> | UncertainContextSource<A>): SealedSource {
  const encode = Schema.encodeUnknownSync(source.codec)
  const encodeExit = Schema.encodeUnknownExit(source.codec)
  const decodeExit = Schema.decodeUnknownExit(source.codec)
  const sealValue = (value: A): LoadedValue => {
    const encoded = encode(value)
    // A number such as Infinity type-checks as Json but would not survive being stored.
    if (!isJson(encoded)) throw new TypeError("the codec encoded to something that is not JSON")
    return {
      encoded,
      renderers: {
        baseline: () => source.baseline(value),
        update: () => source.update(value),
        removal: source.removal === undefined ? undefined : () => source.removal!(value),
      },
    }
  }
  return {
    key: source.key,
    mayBeUnavailable: "mayBeUnavailable" in source && source.mayBeUnavailable,
    load: Effect.map(source.load, (answer: A | Absent | Unavailable): Loaded => {
      if (answer === absent) return absent
      return answer === unavailable ? unavailable : sealValue(answer as A)
    }),
    recode: (stored) => {
      const decoded = decodeExit(stored)
      return Exit.isSuccess(decoded) ? Exit.getSuccess(encodeExit(decoded.value)) : Option.none()
    },
  }
}
