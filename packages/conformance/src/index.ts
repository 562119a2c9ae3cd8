/** Conformance: cases that show whether a Holdfast keeps its contract. Adding a line here is an API decision. */
export { type Case, type Need } from "./case.ts"
export { allCases } from "./cases/index.ts"
export {
  CannotRun,
  type CaseResult,
  conform,
  type Conformance,
  type ConformOptions,
  type Outcome,
  prepare,
} from "./conform.ts"
export { reportJson, reportText, type RuleSummary, summarizeCases, type Summary } from "./report.ts"
export {
  type EffectAccess,
  embeddedTarget,
  type RawAccess,
  type ServerOptions,
  serverTarget,
  type Target,
} from "./target.ts"
