/**
 * Prompts: input that is durable before anybody is told so (PR1).
 *
 *   admitted ──promote──▶ promoted
 *      └─────cancel────▶ cancelled
 *
 * The text is stored once, in the event that admitted or edited it. PR7: only these records are
 * ever the user's words.
 */
import { Schema } from "effect"
import { PromptId, Seq, SessionId } from "./id.ts"
import { Media, sha256 } from "./media.ts"

export const Delivery = Schema.Literals(["steer", "queue"])
export type Delivery = typeof Delivery.Type

export const PromptState = Schema.Literals(["pending", "promoted", "cancelled"])
export type PromptState = typeof PromptState.Type

/** What the user wants looked at or run before the model reads the words: a call like any other (PE1). */
export const PromptCall = Schema.Struct({
  tool: Schema.Literals(["read", "bash"]),
  /** The path of a file or directory, or a command. */
  argument: Schema.NonEmptyString.check(Schema.isMaxLength(16_384)),
})
export type PromptCall = typeof PromptCall.Type

export const promptCallsMax = 20
export const PromptCalls = Schema.Array(PromptCall).check(Schema.isMaxLength(promptCallsMax))

/** One whose result was stored with the prompt: nobody had to be asked, so it was read at once. */
export const AdmittedCall = Schema.Struct({
  ...PromptCall.fields,
  /** `hash` names the blob that holds the result as it will be settled. Absent where the call is still to be made. */
  content: Schema.optionalKey(
    Schema.Struct({ kind: Schema.Literals(["text", "image", "listing"]), hash: sha256 }),
  ),
})
export type AdmittedCall = typeof AdmittedCall.Type
export const AdmittedCalls = Schema.Array(AdmittedCall).check(Schema.isMaxLength(promptCallsMax))

/** What a prompt says. */
export interface PromptBody {
  readonly text: string
  readonly images?: readonly Media[]
  readonly calls?: readonly AdmittedCall[]
}

/** Input waiting in the inbox. */
export const AdmittedPrompt = Schema.Struct({
  id: PromptId,
  session: SessionId,
  admittedSeq: Seq,
  /** The event that holds the text in force: the admission, or the latest edit. */
  bodySeq: Seq,
  text: Schema.String,
  images: Schema.optionalKey(Schema.Array(Media)),
  calls: Schema.optionalKey(AdmittedCalls),
  delivery: Delivery,
  /** The sidekick is asked when it is promoted (NT2). */
  sidekick: Schema.optionalKey(Schema.Literal(true)),
})
export type AdmittedPrompt = typeof AdmittedPrompt.Type

/** The answer to `prompt`: from now on no crash loses the input. */
export const PromptReceipt = Schema.Struct({
  session: SessionId,
  prompt: PromptId,
  admittedSeq: Seq,
  delivery: Delivery,
  state: PromptState,
})
export type PromptReceipt = typeof PromptReceipt.Type

export const promptBytesMax = 1_048_576

export interface TextFault {
  readonly code: "empty" | "too_long" | "lone_surrogate" | "nul"
  readonly message: string
}

/** Why this text cannot be a prompt, or null. Positions count UTF-16 units from 0. */
export function findTextFault(text: string): TextFault | null {
  if (text.trim() === "") return { code: "empty", message: "The prompt is empty. Write what you want done." }
  const nul = text.indexOf("\u0000")
  if (nul >= 0) {
    return { code: "nul", message: `The prompt holds a NUL character at position ${nul}. Remove it.` }
  }
  if (!text.isWellFormed()) {
    const position = firstLoneSurrogate(text)
    return {
      code: "lone_surrogate",
      message: `The prompt holds half of a surrogate pair at position ${position}. Remove or complete it.`,
    }
  }
  const bytes = Buffer.byteLength(text)
  if (bytes > promptBytesMax) {
    return {
      code: "too_long",
      message: `The prompt has ${bytes} bytes; the limit is ${promptBytesMax} (1 MiB). Put long material in a file and name it.`,
    }
  }
  return null
}

function firstLoneSurrogate(text: string): number {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0xd800 || unit > 0xdfff) continue
    const next = text.charCodeAt(i + 1)
    if (unit < 0xdc00 && next >= 0xdc00 && next <= 0xdfff) i++
    else return i
  }
  return -1
}
