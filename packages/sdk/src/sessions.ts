/**
 * `sessions`: everything that can be asked of a Session, one method a question.
 *
 * Each method takes one object with the names of the contract and rejects with a tagged failure.
 * Lists are bounded: where no limit is given, the default of this file holds.
 */
import { Effect } from "effect"
import type { Host } from "@holdfast/core/host/index"
import type { SendPrompt } from "@holdfast/core/runtime"
import type { VerifiedTurn } from "@holdfast/core/session/rebuild"
import type { RunResult } from "@holdfast/core/session/result"
import type { WindowSegment } from "@holdfast/core/session/window"
import type { Event } from "@holdfast/schema/event"
import type { SessionId } from "@holdfast/schema/id"
import type { Message } from "@holdfast/schema/message"
import type { AdmittedPrompt, PromptReceipt } from "@holdfast/schema/prompt"
import type { RestartPolicy, SessionInfo } from "@holdfast/schema/session"
import { tailEvents } from "./durable-events.ts"
import { parseModel } from "./model-name.ts"

interface OfSession {
  readonly sessionID: string
}

interface OfPrompt extends OfSession {
  readonly promptID: string
}

/** A position in the log of the Session, and how much to return after it. */
interface Range extends OfSession {
  readonly after?: number
  readonly limit?: number
}

interface MessageRange extends Range {
  /** Shows system messages too. */
  readonly system?: boolean
}

export interface CreateInput {
  readonly directory: string
  readonly title?: string
  /** As `provider/model`; without it the project's choice or the default. */
  readonly model?: string
  readonly policy?: RestartPolicy
}

type TurnRecord = Effect.Success<ReturnType<Host["turns"]>>[number]

export interface Sessions {
  readonly create: (input: CreateInput) => Promise<SessionInfo>
  readonly get: (input: OfSession) => Promise<SessionInfo>
  /** Newest first. `after` is the last id of the page before. */
  readonly list: (input?: {
    readonly after?: string
    readonly limit?: number
  }) => Promise<readonly SessionInfo[]>
  readonly delete: (input: OfSession) => Promise<void>
  /** Resolves when the prompt is on disk. Safe to repeat with an `id` of your own. */
  readonly prompt: (input: SendPrompt) => Promise<PromptReceipt>
  readonly inbox: (input: OfSession) => Promise<readonly AdmittedPrompt[]>
  readonly editPrompt: (input: OfPrompt & { readonly text: string }) => Promise<PromptReceipt>
  readonly cancelPrompt: (input: OfPrompt) => Promise<PromptReceipt>
  readonly messages: (input: MessageRange) => Promise<readonly Message[]>
  /** Durable events after a sequence, then new ones as they come; nothing happens before the first `next()`. */
  readonly events: (input: OfSession & { readonly after?: number }) => AsyncIterable<Event>
  /** The finite form of `events`. */
  readonly history: (input: Range) => Promise<readonly Event[]>
  readonly turns: (input: OfSession) => Promise<readonly TurnRecord[]>
  /** Rebuilds every past request from the log and compares hashes. */
  readonly verify: (input: OfSession) => Promise<readonly VerifiedTurn[]>
  readonly window: (input: OfSession) => Promise<readonly WindowSegment[]>
  readonly switchModel: (input: OfSession & { readonly model: string }) => Promise<SessionInfo>
  readonly interrupt: (input: OfSession) => Promise<void>
  readonly resume: (input: OfSession) => Promise<void>
  /** Sessions that this process drains now. */
  readonly active: () => readonly SessionId[]
  /** Waits until the drain in this process ends, then tells what became of the newest input. */
  readonly result: (input: OfSession) => Promise<RunResult>
}

const sessionsLimit = 50
const recordsLimit = 1_000

export function makeSessions(host: Host, closing: AbortSignal): Sessions {
  const run = Effect.runPromise
  return {
    create: ({ model, ...input }) =>
      run(
        model === undefined
          ? host.create(input)
          : Effect.flatMap(parseModel(model), (ref) => host.create({ ...input, model: ref })),
      ),
    get: ({ sessionID }) => run(host.get(sessionID)),
    list: ({ after, limit = sessionsLimit } = {}) =>
      run(host.list(after === undefined ? { limit } : { after: after as SessionId, limit })),
    delete: ({ sessionID }) => run(host.remove(sessionID)),
    prompt: (input) => run(host.prompt(input)),
    inbox: ({ sessionID }) => run(host.inbox(sessionID)),
    editPrompt: ({ sessionID, promptID, text }) => run(host.edit(sessionID, promptID, text)),
    cancelPrompt: ({ sessionID, promptID }) => run(host.cancel(sessionID, promptID)),
    messages: ({ sessionID, after = 0, limit = recordsLimit, system = false }) =>
      run(host.messages(sessionID, { afterSeq: after, limit, system })),
    events: ({ sessionID, after = 0 }) => tailEvents(host, sessionID, after, closing),
    history: ({ sessionID, after = 0, limit = recordsLimit }) =>
      run(host.events(sessionID, after, limit, false)),
    turns: ({ sessionID }) => run(host.turns(sessionID)),
    verify: ({ sessionID }) => run(host.verify(sessionID)),
    window: ({ sessionID }) => run(host.window(sessionID)),
    switchModel: ({ sessionID, model }) =>
      run(Effect.flatMap(parseModel(model), (ref) => host.switchModel(sessionID, ref))),
    interrupt: ({ sessionID }) => run(host.interrupt(sessionID)),
    resume: ({ sessionID }) => run(host.resume(sessionID)),
    active: host.active,
    result: ({ sessionID }) => run(host.result(sessionID)),
  }
}
