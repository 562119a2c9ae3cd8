/**
 * The configuration that an instance works with, and where each value comes from.
 *
 * It tells names, places and addresses, and never what could be a secret: of a key only where it
 * comes from, of options nothing (AU1).
 */
import { Schema } from "effect"
import { Budget } from "../fact/budget.ts"
import { RestartPolicy } from "../fact/session.ts"
import { KeyState } from "./provider.ts"

const Line = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const Remark = Schema.Struct({ line: Line, message: Schema.String })

/** A place that settings come from. */
export const ConfigurationLayer = Schema.Struct({
  kind: Schema.Literals(["environment", "user", "project"]),
  /** A file; null for the environment. */
  file: Schema.NullOr(Schema.String),
  state: Schema.Literals(["read", "absent", "disabled"]),
  sets: Schema.Array(Schema.Struct({ key: Schema.String, line: Line })),
  faults: Schema.Array(Remark),
  /** What was left out of it, or replaced by a default; nothing stops for it (CF1). */
  warnings: Schema.optionalKey(Schema.Array(Remark)),
})
export type ConfigurationLayer = typeof ConfigurationLayer.Type

/** `program`: the options of whoever opened the instance, or a file that says something else by now. */
export const ConfigurationSource = Schema.Struct({
  kind: Schema.Literals(["environment", "user", "project", "program"]),
  file: Schema.NullOr(Schema.String),
  /** Counts from 1; 0 where there is no line. */
  line: Line,
})
export type ConfigurationSource = typeof ConfigurationSource.Type

/** A value in force; `from` is null where nobody set it. */
const valued = <S extends Schema.Top>(value: S) =>
  Schema.Struct({ value, from: Schema.NullOr(ConfigurationSource) })

export const ConfiguredProvider = Schema.Struct({
  name: Schema.String,
  wire: Schema.String,
  baseUrl: Schema.String,
  key: KeyState,
  /** Where the key comes from, in words; null where none is needed. */
  keyFrom: Schema.NullOr(Schema.String),
  /** Models that the settings name. */
  models: Schema.Array(Schema.String),
  from: ConfigurationSource,
})
export type ConfiguredProvider = typeof ConfiguredProvider.Type

export const Configuration = Schema.Struct({
  /** In the order in which they are read; of two that set the same, the later wins. */
  layers: Schema.Array(ConfigurationLayer),
  /** What a new Session in the Location speaks to, as `provider/model`; null if none is chosen. */
  model: valued(Schema.NullOr(Schema.String)),
  fallback: valued(Schema.Array(Schema.String)),
  /** What writes titles, as `provider/model`; null leaves the choice to the instance (SS2). */
  titleModel: valued(Schema.NullOr(Schema.String)),
  onRestart: valued(RestartPolicy),
  /** Of a new Session (DR9). */
  budget: valued(Budget),
  /** What writes history, as `provider/model`, in the order in which they are asked; none leaves it to the built-in one (HI1). */
  historian: Schema.optionalKey(valued(Schema.Array(Schema.String))),
  /** Its models in their order, what they are asked, and when a run may begin by itself. */
  dreamer: Schema.optionalKey(
    valued(
      Schema.Struct({
        models: Schema.Array(Schema.String),
        tasks: Schema.Array(Schema.String),
        schedule: Schema.String,
      }),
    ),
  ),
  /** What looks things up for prompts that ask for it, as `provider/model`, in the order in which they are asked; none is nobody (NT2). */
  sidekick: Schema.optionalKey(valued(Schema.Array(Schema.String))),
  cache: Schema.optionalKey(
    valued(
      Schema.Struct({
        lifetime: Schema.Literals(["auto", "5m", "1h"]),
        /** Bounds of requests that only keep a cache: how many in a row, and dollars of a Session; null sends none. */
        keepWarm: Schema.NullOr(Schema.Struct({ max: Schema.Int, costMax: Schema.Finite })),
      }),
    ),
  ),
  /** Dollars above which a request that pays again is asked for; null asks for none. */
  cost: Schema.optionalKey(valued(Schema.Struct({ askAbove: Schema.NullOr(Schema.Finite) }))),
  /** The share of the window at which old messages are summed up (PS5). */
  recall: Schema.optionalKey(
    valued(
      Schema.Struct({
        threshold: Schema.Finite,
        docs: Schema.optionalKey(Schema.Array(Schema.String)),
        textCompression: Schema.optionalKey(Schema.Boolean),
      }),
    ),
  ),
  /** The embedding model (`local`, `off` or `provider/model`), the length of embedded pieces, and hints (SE2). */
  search: Schema.optionalKey(
    valued(Schema.Struct({ embedding: Schema.String, chunkCharacters: Schema.Int, hint: Schema.Boolean })),
  ),
  /** Whether secrets are also masked by their shape (AU1). */
  maskShapes: valued(Schema.Boolean),
  /** The rules of the user, then those of the project; what is built in is not among them (PE1). */
  permissions: Schema.optionalKey(valued(Schema.Array(Schema.String))),
  timeZone: valued(Schema.NullOr(Schema.String)),
  /** How long complete outputs of calls are kept (TO7). */
  toolOutputDays: Schema.optionalKey(valued(Schema.Int)),
  webfetchPrivateHosts: Schema.optionalKey(valued(Schema.Array(Schema.String))),
  /** Those of the user, then those of the project. */
  instructions: Schema.optionalKey(valued(Schema.Array(Schema.String))),
  catalogUrl: valued(Schema.NullOr(Schema.String)),
  providers: Schema.Array(ConfiguredProvider),
  /** Names in the settings that no model has, with what to do. */
  problems: Schema.Array(Schema.String),
})
export type Configuration = typeof Configuration.Type
