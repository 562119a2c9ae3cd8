/** Inbox: what callers do with prompts that wait: list them, change one, take one back (PR3). */
import { Clock, Effect } from "effect"
import {
  PromptNotFound,
  PromptNotPending,
  type PromptRefused,
  type SessionNotFound,
} from "@holdfast/schema/error"
import type { AdmittedPrompt, PromptReceipt } from "@holdfast/schema/prompt"
import type { EditPrompt, OutcomeOf, SessionRow } from "@holdfast/store/port"
import { sessionNotFound } from "../session/coordinator/coordinator.ts"
import type { RuntimePorts } from "../session/ports.ts"
import { type KnownFailure, legalText, promptId, sessionId } from "./given.ts"

export interface InboxCalls {
  readonly inbox: (sessionID: string) => Effect.Effect<readonly AdmittedPrompt[], KnownFailure>
  readonly edit: (
    sessionID: string,
    prompt: string,
    text: string,
  ) => Effect.Effect<PromptReceipt, PromptRefused | PromptNotFound | PromptNotPending | KnownFailure>
  readonly cancel: (
    sessionID: string,
    prompt: string,
  ) => Effect.Effect<PromptReceipt, PromptNotFound | PromptNotPending | KnownFailure>
}

type Known = (sessionID: string) => Effect.Effect<SessionRow, KnownFailure>

export function makeInboxCalls({ store, masks }: RuntimePorts, known: Known): InboxCalls {
  return {
    inbox: Effect.fnUntraced(function* (sessionID) {
      return yield* store.inbox((yield* known(sessionID)).id)
    }),
    edit: Effect.fnUntraced(function* (sessionID, prompt, text) {
      const session = yield* sessionId(sessionID)
      const id = yield* promptId(prompt)
      yield* legalText(text)
      const time = yield* Clock.currentTimeMillis
      const body = { text: masks.text(text) }
      const outcome = yield* store.commit({ kind: "edit-prompt", session, time, prompt: id, ...body })
      if (outcome.kind === "edited") return outcome.receipt
      return yield* notChanged(outcome, sessionID, prompt)
    }),
    cancel: Effect.fnUntraced(function* (sessionID, prompt) {
      const session = yield* sessionId(sessionID)
      const id = yield* promptId(prompt)
      const time = yield* Clock.currentTimeMillis
      const outcome = yield* store.commit({ kind: "cancel-prompt", session, time, prompt: id })
      if (outcome.kind === "cancelled") return outcome.receipt
      return yield* notChanged(outcome, sessionID, prompt)
    }),
  }
}

const notChanged = (
  outcome: Exclude<OutcomeOf<EditPrompt>, { kind: "edited" }>,
  sessionID: string,
  prompt: string,
): Effect.Effect<never, SessionNotFound | PromptNotFound | PromptNotPending> => {
  if (outcome.kind === "no-session") return Effect.fail(sessionNotFound(sessionID))
  if (outcome.kind === "no-prompt") {
    const message = `Session ${sessionID} has no prompt ${prompt}.`
    return Effect.fail(new PromptNotFound({ prompt, message }))
  }
  const { state } = outcome
  const message = `Prompt ${prompt} is already ${state} and cannot be changed any more.`
  return Effect.fail(new PromptNotPending({ prompt, state, message }))
}
