/**
 * Facts about input: prompts, which are somebody's words, and notices, which are nobody's (PR7).
 *
 *   admitted ──promote──▶ promoted        both kinds, once (PR4)
 *      └─────cancel────▶ cancelled        prompts only
 */
import { Schema } from "effect"
import { MessageId, NoticeId, PromptId, Seq } from "../id.ts"
import { Media, sha256 } from "../media.ts"
import { AdmittedCalls, Delivery } from "../prompt.ts"
import { count, fact, SyntheticPart } from "./fact.ts"

const body = { text: Schema.String, images: Schema.optionalKey(Schema.Array(Media)) }

/** What became a message: `tokens` is counted here, once (TG6); `added` is what the runtime puts beside it. */
const promoted = { message: MessageId, bodySeq: Seq, tokens: count, added: Schema.Array(SyntheticPart) }

export const PromptAdmitted = fact("prompt.admitted", {
  prompt: PromptId,
  ...body,
  /** Settled in the turn that follows the promotion, before a model is asked. An edit takes them away. */
  calls: Schema.optionalKey(AdmittedCalls),
  delivery: Delivery,
  /** It is looked up what was said before about it, when it is promoted (NT2). */
  sidekick: Schema.optionalKey(Schema.Literal(true)),
  /** SHA-256 of what was given, where something else is stored: secrets are masked (AU1). It tells a repeat (PR2). */
  given: Schema.optionalKey(sha256),
})
export const PromptEdited = fact("prompt.edited", { prompt: PromptId, ...body })
export const PromptCancelled = fact("prompt.cancelled", { prompt: PromptId })
/** PR4: consumes the inbox entry and appends the user message, whose text stands in `bodySeq`. */
export const PromptPromoted = fact("prompt.promoted", { prompt: PromptId, ...promoted })

/** What a notice tells of. Its id follows from this, so that it is admitted once. */
export const NoticeSource = Schema.Struct({
  kind: Schema.Literals(["child", "command", "job", "note", "runtime"]),
  id: Schema.String,
})
export type NoticeSource = typeof NoticeSource.Type

/** Begins the id of a source that is an imported summary: what another agent wrote in the place of what it cut. */
export const summarySource = "import-summary:"

export const NoticeAdmitted = fact("notice.admitted", {
  notice: NoticeId,
  source: NoticeSource,
  text: Schema.String,
  delivery: Delivery,
  /** Whether it calls for a turn; the end of a background command does not. */
  wakes: Schema.Boolean,
})
export const NoticePromoted = fact("notice.promoted", {
  notice: NoticeId,
  wakes: Schema.Boolean,
  ...promoted,
})
