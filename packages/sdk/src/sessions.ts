/**
 * `sessions`: everything that can be asked of a Session, one method a question.
 *
 * Each method takes one object with the names of the contract and rejects with a tagged failure.
 * The same interface stands before a Holdfast in this process and one behind a network (EM1).
 * Every list is a Page: it starts with a limit, and goes on with its cursor alone (PG1, PG4).
 */
import type { SendPrompt } from "@holdfast/core/runtime"
import type { DurableStreamEvent, Event } from "@holdfast/schema/event"
import type { SessionId } from "@holdfast/schema/id"
import type { Media } from "@holdfast/schema/media"
import type { Message } from "@holdfast/schema/message"
import type { MessageOrder, Page } from "@holdfast/schema/page"
import type { PlannedRequest } from "@holdfast/schema/planned-request"
import type { ModelInfo } from "@holdfast/schema/model"
import type { ProbeResult } from "@holdfast/schema/probe"
import type { AdmittedPrompt, PromptReceipt } from "@holdfast/schema/prompt"
import type { RunResult } from "@holdfast/schema/run-result"
import type { AllowedTool, RestartPolicy } from "@holdfast/schema/fact/session"
import type { SessionInfo } from "@holdfast/schema/session"
import type { SentRequest, TurnRecord, VerifiedTurn } from "@holdfast/schema/turn-record"

export interface OfSession {
  readonly sessionID: string
}

export interface OfPrompt extends OfSession {
  readonly promptID: string
}

export interface OfMessage extends OfSession {
  readonly messageID: string
}

/** An image that goes with a prompt: PNG, JPEG, GIF or WebP, whatever its name says. */
export interface PromptImage {
  readonly bytes: Uint8Array
  /** What it is called, in terminals and to the model. */
  readonly name?: string
}

export interface PromptInput extends Omit<SendPrompt, "images"> {
  readonly images?: readonly PromptImage[]
}

/** An image as it is stored: made fit for every model when it came in. */
export interface SessionImage {
  readonly media: Media
  readonly bytes: Uint8Array
}

/** How a list starts, or the cursor that continues it; never both. */
export interface PageInput {
  readonly limit?: number
  readonly cursor?: string
}

export interface MessagesInput extends OfSession, PageInput {
  /** Shows system messages too (EP11). */
  readonly system?: boolean
  readonly order?: MessageOrder
}

export interface HistoryInput extends OfSession, PageInput {
  /** Events above this sequence. */
  readonly after?: number
}

export interface CreateInput {
  /** Where the Session works; the instance's own directory unless given (CO3). */
  readonly directory?: string
  readonly title?: string
  /** As `provider/model`; without it the project's choice or the default. */
  readonly model?: string
  /** What a restart does with unfinished work; `onRestart` of the configuration unless given. */
  readonly policy?: RestartPolicy
  /** Tools beyond `read` that it may use, where the instance goes by what its Sessions were allowed. */
  readonly allow?: readonly AllowedTool[]
}

export interface UpdateInput extends OfSession {
  /** Null takes the title away. */
  readonly title?: string | null
  /** Holds for the next restart. */
  readonly policy?: RestartPolicy
  /** Holds from the next turn on. */
  readonly allow?: readonly AllowedTool[]
}

export interface Sessions {
  readonly create: (input?: CreateInput) => Promise<SessionInfo>
  readonly get: (input: OfSession) => Promise<SessionInfo>
  /** Newest first. */
  readonly list: (input?: PageInput) => Promise<Page<SessionInfo>>
  /** Sessions that this instance drains now. */
  readonly active: (input?: PageInput) => Promise<Page<SessionId>>
  /** Changes what is given, and leaves the rest. */
  readonly update: (input: UpdateInput) => Promise<SessionInfo>
  readonly delete: (input: OfSession) => Promise<void>
  /** Resolves when the prompt is on disk. Safe to repeat with an `id` of your own. */
  readonly prompt: (input: PromptInput) => Promise<PromptReceipt>
  readonly inbox: (input: OfSession & PageInput) => Promise<Page<AdmittedPrompt>>
  readonly editPrompt: (input: OfPrompt & { readonly text: string }) => Promise<PromptReceipt>
  readonly cancelPrompt: (input: OfPrompt) => Promise<PromptReceipt>
  readonly messages: (input: MessagesInput) => Promise<Page<Message>>
  readonly message: (input: OfMessage) => Promise<Message>
  /** Takes a message out of what models read, for good; it stays stored. Not while the Session is at work. */
  readonly quarantine: (input: OfMessage) => Promise<void>
  /** Cuts what the next request shows of the conversation, whatever its size; everything stays stored. */
  readonly fold: (input: OfSession) => Promise<void>
  /**
   * Sends the next request without these messages, to see whether the provider takes it. Its answer is
   * not awaited; it may cost money, and what it cost counts with the Session.
   */
  readonly probe: (input: OfSession & { readonly without: readonly string[] }) => Promise<ProbeResult>
  /** An image of the Session by its handle, as `media:ab12cd34ef56`. */
  readonly image: (input: OfSession & { readonly handle: string }) => Promise<SessionImage>
  /** Session History as the window holds it. */
  readonly context: (input: OfSession & PageInput) => Promise<Page<Message>>
  /** What the model would be sent next, segment by segment; nothing is sent or stored by asking. */
  readonly request: (input: OfSession) => Promise<PlannedRequest>
  /** Durable events after a sequence, then new ones as they come; nothing happens before the first `next()`. */
  readonly events: (input: OfSession & { readonly after?: number }) => AsyncIterable<DurableStreamEvent>
  /** The finite form of `events`. */
  readonly history: (input: HistoryInput) => Promise<Page<Event>>
  readonly turns: (input: OfSession & PageInput) => Promise<Page<TurnRecord>>
  /** Rebuilds past requests from the log and compares hashes. */
  readonly verify: (input: OfSession & PageInput) => Promise<Page<VerifiedTurn>>
  /** What one turn sent, rebuilt from the log, and whether these are the very bytes. */
  readonly sentRequest: (input: OfSession & { readonly turnID: string }) => Promise<SentRequest>
  /** Who would take the next turn: the model of the Session, or another while that one rests after a failure. */
  readonly model: (input: OfSession) => Promise<ModelInfo>
  /** Holds from the next turn on. */
  readonly switchModel: (input: OfSession & { readonly model: string }) => Promise<SessionInfo>
  readonly interrupt: (input: OfSession) => Promise<void>
  readonly resume: (input: OfSession) => Promise<void>
  /** Waits until the drain ends, then tells what became of the newest input. */
  readonly result: (input: OfSession) => Promise<RunResult>
}
