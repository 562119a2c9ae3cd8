/** What waits in a Session's inbox: prompts, and notices, which are nobody's words (PR7). */
import type { NoticeSource } from "../fact/input.ts"
import type { NoticeId, Seq, SessionId } from "../id.ts"
import type { AdmittedPrompt, Delivery } from "../prompt.ts"

export type { AdmittedPrompt } from "../prompt.ts"

export interface AdmittedNotice {
  readonly notice: NoticeId
  readonly session: SessionId
  readonly admittedSeq: Seq
  readonly bodySeq: Seq
  readonly source: NoticeSource
  readonly text: string
  readonly delivery: Delivery
  /** Whether it calls for a turn of its own. */
  readonly wakes: boolean
}

export type AdmittedInput = AdmittedPrompt | AdmittedNotice

export const isNotice = (input: AdmittedInput): input is AdmittedNotice => "notice" in input
