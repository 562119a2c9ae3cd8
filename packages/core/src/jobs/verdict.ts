/**
 * What the end of a job's drain means for its list of models (HI8): only what another attempt could have
 * mended moves on to the next one, and an answer that is of no use does.
 */
import { isRetryable } from "@holdfast/llm/failure/failure"
import type { Reason } from "@holdfast/schema/turn"
import type { DrainEnd } from "../session/drain.ts"

/** How long a job may take, with all models of its list together. */
export const jobMsMax = 300_000
export const timeoutCode = "job_timeout"

export interface JobFailure {
  readonly kind: "failed" | "aborted"
  readonly reason: Reason
  /** Whether the next model of the list is asked. */
  readonly movesOn: boolean
}

const invalidOutputCode = "job_output_invalid"

/** Answers that are none: another model may give one (HI1). */
const useless: ReadonlySet<string> = new Set(["empty_answer", "output_limit", "refusal", invalidOutputCode])

/** A name in the list that is no model, or whose key is missing, is passed over. */
const unreachable: ReadonlySet<string> = new Set(["model_not_found", "key_missing"])

export function judgeEnd(end: Exclude<DrainEnd, { kind: "done" }>): JobFailure {
  const { kind } = end
  const reason = withoutResuming(end.reason)
  if (kind === "interrupted") return { kind: "aborted", reason, movesOn: false }
  const movesOn = isRetryable(reason.code) || useless.has(reason.code) || unreachable.has(reason.code)
  return { kind: "failed", reason, movesOn }
}

/** Nobody can resume a job: what asked for it asks again by itself. */
const withoutResuming = ({ message, ...rest }: Reason): Reason => ({
  ...rest,
  message: message.replace(/ Resume to [^.]{1,60}\.$/, ""),
})

export const invalidOutput = (faults: readonly string[]): JobFailure => ({
  kind: "failed",
  reason: {
    code: invalidOutputCode,
    message: `The answer of the model cannot be used. ${faults.join(" ")}`.slice(0, messageUnitsMax),
  },
  movesOn: true,
})

const messageUnitsMax = 600
