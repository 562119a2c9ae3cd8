/**
 * Outcome: the record that every run ends with, and which exit code follows from it.
 *
 * Whatever goes wrong becomes such a record too, so that a program which reads `--json` always
 * finds one as the last line.
 */
import { type Accuracy, type Usage, usageNone } from "@holdfast/schema/model"
import { type Ask, isFailure, type FailureTag, type RunResult } from "@holdfast/sdk"
import { exitCode, exitCodeOfStatus } from "./exit-code.ts"

export type RunStatus = RunResult["status"]

export interface FinalRecord {
  readonly type: "result"
  readonly status: RunStatus
  readonly reason: { readonly code: string; readonly message: string } | null
  readonly session: string | null
  readonly prompt: string | null
  readonly turns: number
  readonly text: string
  readonly usage: Usage
  readonly accuracy: Accuracy
  readonly cost: number | null
  readonly provider: string | null
  readonly model: string | null
  /** What was declined because nobody could be asked; absent where nothing was (PE4). */
  readonly declined?: RunResult["declined"]
  /** What waits for an answer; absent where nothing does. */
  readonly asks?: readonly Ask[]
}

/** Wrong arguments, as opposed to work that failed. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}

/** Failures that another command line or configuration would mend. */
const usageTags: readonly FailureTag[] = [
  "AgentNotFound",
  "AnswerRefused",
  "ConfigurationInvalid",
  "DreamNotFound",
  "ImageNotFound",
  "InvalidId",
  "InvalidRequest",
  "LocationMissing",
  "MemoryNotFound",
  "MessageNotFound",
  "ModelNotFound",
  "NoteNotFound",
  "PromptNotFound",
  "PromptRefused",
  "RuleInvalid",
  "SessionConflict",
  "SessionNotFound",
  "TurnNotFound",
  "WorkspaceNotFound",
]
const usageCode = "usage"
/** The prompt was taken back while it waited: nothing of it was done, and nothing is owed for it. */
export const withdrawnCode = "withdrawn"
/** Its message names the whole command that goes on, with the limit to raise (DR9). */
export const spentCode = "budget_spent"
const credentialCode = "credential"
const usageCodes: ReadonlySet<string> = new Set([usageCode, credentialCode, ...usageTags.map(codeOf)])

export function exitCodeOf(record: FinalRecord): number {
  // A provider may refuse a request by the same word: then a turn has run.
  const wrongUsage =
    record.status === "failed" &&
    record.turns === 0 &&
    record.reason !== null &&
    usageCodes.has(record.reason.code)
  return wrongUsage ? exitCode.usage : exitCodeOfStatus[record.status]
}

/** `prompt` is the input that this run admitted: what happened before it is not its result. */
export function recordOf(result: RunResult, prompt: string | null): FinalRecord {
  const { status, reason, session, model } = result
  const answered = prompt === null || result.prompt === prompt
  return {
    type: "result",
    status,
    reason,
    session,
    prompt: prompt ?? result.prompt,
    turns: answered ? result.turns : 0,
    text: answered ? result.text : "",
    usage: answered ? result.usage : usageNone,
    accuracy: answered ? result.accuracy : "exact",
    cost: answered ? result.cost : 0,
    provider: model?.provider ?? null,
    model: model?.model ?? null,
    ...(answered && result.declined !== undefined && { declined: result.declined }),
  }
}

/** `spell` may change the message for whoever reads it. */
export function failureRecord(
  caught: unknown,
  session: string | null = null,
  spell: (message: string) => string = (message) => message,
): FinalRecord {
  const { code, message } = reasonOf(caught)
  return stoppedRecord("failed", { code, message: spell(message) }, session)
}

export const stoppedRecord = (
  status: RunStatus,
  reason: FinalRecord["reason"],
  session: string | null = null,
): FinalRecord => ({
  type: "result",
  status,
  reason,
  session,
  prompt: null,
  turns: 0,
  text: "",
  usage: usageNone,
  accuracy: "exact",
  cost: null,
  provider: null,
  model: null,
})

function reasonOf(caught: unknown): { readonly code: string; readonly message: string } {
  if (caught instanceof UsageError) return { code: usageCode, message: caught.message }
  if (isFailure(caught, "ModelNotFound") && caught.code !== undefined)
    return { code: caught.code, message: caught.message }
  if (isFailure(caught)) return { code: codeOf(caught._tag), message: caught.message }
  const said = caught instanceof Error ? caught.message : String(caught)
  return { code: "defect", message: `Holdfast broke: ${said}. Set HOLDFAST_DEBUG=1 to see where.` }
}

/** `SessionNotFound` as `session_not_found`: codes look alike, wherever they come from. */
function codeOf(tag: string): string {
  return tag.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
}
