/**
 * Prompts, as callers give, change and take them back (PR1 to PR5). None of it needs the lease.
 *
 * Everything that an admission brings is made fit, read and masked before it is committed; a repeat is
 * told by what was given (PR2).
 */
import { Clock, Effect } from "effect"
import {
  PromptConflict,
  PromptNotFound,
  PromptNotPending,
  PromptRefused,
  type SessionNotFound,
} from "@holdfast/schema/error"
import type { AdmittedPrompt, Delivery, PromptCall, PromptReceipt } from "@holdfast/schema/prompt"
import type { Admit, EditPrompt, OutcomeOf, SessionRow } from "@holdfast/store/port"
import type { GivenImage } from "../media/normalise.ts"
import { promptImages } from "../media/prompt-images.ts"
import { remindOfNotes } from "../memory/surface.ts"
import { maskedBody } from "../secrets/masked-input.ts"
import { type Coordinator, sessionNotFound } from "../session/coordinator/coordinator.ts"
import { lookAtSettings, type RuntimePorts } from "../session/ports.ts"
import { readContents } from "../session/request/prompt-content.ts"
import { type KnownFailure, legalText, promptId, sessionId } from "./given.ts"

export interface SendPrompt {
  readonly sessionID: string
  readonly text: string
  /** Made fit before the prompt is admitted (LL7). */
  readonly images?: readonly GivenImage[]
  /** Made before a model reads the words, as calls of the Session: asked for and recorded. Files that may be read are read at once. */
  readonly calls?: readonly PromptCall[]
  /** Chosen by the caller, it makes the call safe to repeat (PR2). */
  readonly id?: string
  readonly delivery?: Delivery
  /** It is the answer to what the Session asks: all of it is declined, and this is promoted next (PE6). */
  readonly declines?: boolean
  /** What was said before about it is looked up first, and told beside it (NT2). */
  readonly sidekick?: boolean
  /** False admits only (PR5). */
  readonly resume?: boolean
}

export interface PromptsOfCallers {
  readonly prompt: (
    input: SendPrompt,
  ) => Effect.Effect<PromptReceipt, PromptRefused | PromptConflict | KnownFailure>
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

export function makePromptCalls(
  ports: RuntimePorts,
  coordinator: Pick<Coordinator, "admit">,
  known: (sessionID: string) => Effect.Effect<SessionRow, KnownFailure>,
): PromptsOfCallers {
  const { store } = ports
  return {
    prompt: Effect.fnUntraced(function* (input) {
      const session = yield* sessionId(input.sessionID)
      const prompt = yield* promptId(input.id ?? ports.newId("prm"))
      yield* legalText(input.text)
      if (input.sidekick === true) {
        yield* lookAtSettings(ports)
        const before = input.id === undefined ? null : yield* store.prompt(prompt)
        if (before === null && (ports.sidekick?.() ?? null) === null) return yield* noSidekick
      }
      // An answer is read before anything else that waits.
      const delivery = input.declines === true ? "steer" : (input.delivery ?? "steer")
      const { blobs = [], ...images } = yield* promptImages(input.images ?? [], ports.normaliseImage)
      const read = yield* readContents(ports, session, input.calls ?? [])
      const time = yield* Clock.currentTimeMillis
      yield* remindOfNotes(ports, session)
      const admission: Admit = {
        kind: "admit",
        session,
        time,
        prompt,
        ...maskedBody(ports.masks, { text: input.text, ...images, calls: read.calls }),
        blobs: [...blobs, ...read.blobs],
        delivery,
        ...(input.declines === true && { declines: true }),
        ...(input.sidekick === true && { sidekick: true }),
      }
      const outcome = yield* input.resume === false ? store.commit(admission) : coordinator.admit(admission)
      if (outcome.kind === "no-session") return yield* sessionNotFound(input.sessionID)
      if (outcome.kind === "conflict") {
        const message = `The prompt id ${prompt} was used before with another text, Session or delivery. Choose a fresh id.`
        return yield* new PromptConflict({ prompt, message })
      }
      return outcome.receipt
    }),
    inbox: Effect.fnUntraced(function* (sessionID) {
      return yield* store.inbox((yield* known(sessionID)).id)
    }),
    edit: Effect.fnUntraced(function* (sessionID, prompt, text) {
      const session = yield* sessionId(sessionID)
      const id = yield* promptId(prompt)
      yield* legalText(text)
      const time = yield* Clock.currentTimeMillis
      const body = { text: ports.masks.text(text) }
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

const noSidekick = new PromptRefused({
  code: "no_sidekick",
  message: `No model is configured for the sidekick. Name one in the setting sidekick, as in { "sidekick": { "model": "NAME/MODEL" } }, or send the prompt without it.`,
})

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
