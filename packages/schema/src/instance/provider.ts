/** Providers and models that an instance can use, as a surface lists them. No key is in any of it (AU1). */
import { Schema } from "effect"
import { Price } from "../model.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** `given`: there is a key; `none`: none is needed; `missing`: one is needed and cannot be had. */
export const KeyState = Schema.Literals(["given", "none", "missing"])
export type KeyState = typeof KeyState.Type

export const ListedProvider = Schema.Struct({
  name: Schema.String,
  wire: Schema.String,
  baseUrl: Schema.String,
  /** Not on this machine: requests may cost money. */
  paid: Schema.Boolean,
  key: KeyState,
  /** What to do about a key that is missing. */
  keyProblem: Schema.NullOr(Schema.String),
  /** Its keys are there for other programs too, and no setting names it: nobody chose it. */
  ambient: Schema.Boolean,
  /** It serves more models than are listed. */
  open: Schema.Boolean,
  /** How many of them are listed. */
  models: Count,
})
export type ListedProvider = typeof ListedProvider.Type

/** How a provider caches the prefix of a request to a model. */
export const PrefixCache = Schema.Struct({
  /** What makes it cache: our markers, breakpoints beside its own, or nothing; or it is not known. */
  written: Schema.Literals(["markers", "breakpoints", "automatic", "unknown"]),
  /** A shorter prefix is not cached; null where nothing is known. */
  tokensMin: Schema.NullOr(Count),
  /** How long it can live without use, such as `5m`; none where nothing is promised. */
  lives: Schema.Array(Schema.String),
})
export type PrefixCache = typeof PrefixCache.Type

export const ListedModel = Schema.Struct({
  provider: Schema.String,
  model: Schema.String,
  wire: Schema.String,
  contextTokens: Count,
  outputTokens: Count,
  /** Dollars for a million tokens; null where it is not known. */
  price: Schema.NullOr(Price),
  tools: Schema.Boolean,
  images: Schema.Boolean,
  structuredOutput: Schema.Boolean,
  reasoning: Schema.Literals(["budget", "effort", "adaptive", "none"]),
  cache: PrefixCache,
  variants: Schema.Array(Schema.String),
  /** A new Session speaks to it unless told otherwise. */
  default: Schema.Boolean,
  /** Its place in the fallback list, from 1; null if it is not in it. */
  fallback: Schema.NullOr(Count),
})
export type ListedModel = typeof ListedModel.Type
