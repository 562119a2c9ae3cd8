/** System Context: what other folders of the runtime may use of it. */
export {
  dateSource,
  environmentSource,
  EnvironmentFacts,
  InvalidTimeZone,
  type DateSettings,
} from "./builtin.ts"
export {
  initialize,
  reconcile,
  replace,
  type Generation,
  type Initialization,
  type Reconciliation,
  type Replacement,
} from "./generation.ts"
export { ContextDefect, loaderTimeoutMs, observe, type Observation } from "./observation.ts"
export { makeRegistry, type SystemContextRegistry } from "./registry.ts"
export { recallSource } from "./recall-guidance.ts"
export { singleLine } from "./single-line.ts"
export {
  absent,
  combine,
  DuplicateSourceKey,
  empty,
  InvalidSourceKey,
  make,
  unavailable,
  type Absent,
  type ContextSource,
  type Renderer,
  type SystemContext,
  type Unavailable,
  type UncertainContextSource,
} from "./system-context.ts"
