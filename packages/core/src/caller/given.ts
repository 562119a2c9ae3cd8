/** What callers give: ids and texts, or the sentence that says what is wrong with them. */
import { Effect, Schema } from "effect"
import {
  InvalidId,
  MessageNotFound,
  PromptRefused,
  type SessionNotFound,
  StoreFailure,
} from "@holdfast/schema/error"
import { guardFor } from "@holdfast/schema/fact/guard"
import { MessageId, PromptId, SessionId } from "@holdfast/schema/id"
import { findTextFault } from "@holdfast/schema/prompt"

/** What any call on a Session may answer. */
export type KnownFailure = SessionNotFound | InvalidId | StoreFailure

export const sessionId = (text: string): Effect.Effect<SessionId, InvalidId> => {
  if (isSessionId(text)) return Effect.succeed(text)
  const message = `${JSON.stringify(text)} is no Session id. They look like ses_… ; \`holdfast sessions\` lists them.`
  return Effect.fail(new InvalidId({ value: text, message }))
}

/** An id that its caller chose for a Session, to make the call safe to repeat (SS1). */
export const chosenSessionId = (text: string): Effect.Effect<SessionId, InvalidId> => {
  if (isSessionId(text)) return Effect.succeed(text)
  const message = `${JSON.stringify(text)} cannot be the id of a Session: use ses_ and 1 to 40 lower-case letters and digits.`
  return Effect.fail(new InvalidId({ value: text, message }))
}

export const promptId = (text: string): Effect.Effect<PromptId, InvalidId> => {
  if (isPromptId(text)) return Effect.succeed(text)
  const message = `${JSON.stringify(text)} is no prompt id: use 1 to 128 letters, digits and . _ : -, starting with a letter or digit.`
  return Effect.fail(new InvalidId({ value: text, message }))
}

export const legalText = (text: string): Effect.Effect<void, PromptRefused> => {
  const fault = findTextFault(text)
  return fault === null ? Effect.void : Effect.fail(new PromptRefused(fault))
}

export const decodeMessageId = Schema.decodeUnknownOption(MessageId)

/** Of a foreign id, in a failure's sentence. */
export const shownLengthMax = 200

export const messageNotFound = (session: string, id: string): MessageNotFound =>
  new MessageNotFound({ id, message: `Session ${session} has no message ${id.slice(0, shownLengthMax)}.` })

export const busy = (message: string): StoreFailure =>
  new StoreFailure({ code: "busy", outcomeUnknown: false, message, detail: "" })

const isSessionId = guardFor(SessionId)
const isPromptId = guardFor(PromptId)
