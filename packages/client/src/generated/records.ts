// Made from the contract by `npm run codegen`; changes here are lost.

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

/** A prompt that waits in the inbox. */
export interface AdmittedPrompt {
  readonly id: string
  readonly session: string
  readonly admittedSeq: number
  readonly bodySeq: number
  readonly text: string
  readonly images?: readonly {
    readonly hash: string
    readonly mediaType: "image/png" | "image/jpeg" | "image/gif" | "image/webp"
    readonly bytes: number
    readonly width: number
    readonly height: number
    readonly name: string | null
    readonly given?: string
  }[]
  readonly calls?: readonly {
    readonly tool: "read" | "bash"
    readonly argument: string
    readonly content?: { readonly kind: "text" | "image" | "listing"; readonly hash: string }
  }[]
  readonly delivery: "steer" | "queue"
  readonly sidekick?: true
}

export interface AgentNotFound {
  readonly _tag: "AgentNotFound"
  readonly message: string
  readonly agent: string
}

export interface AnswerRefused {
  readonly _tag: "AnswerRefused"
  readonly message: string
  readonly ask: string
}

/** Something that a Session waits for somebody to answer. */
export interface Ask {
  readonly id: string
  readonly session: string
  readonly raisedAt: number
  readonly raisedSeq?: number
  readonly kind: "permission" | "question" | "other"
  readonly question: string
  readonly resources: readonly { readonly action: string; readonly resource: string }[]
  readonly rule: string | null
  readonly agent: string
  readonly options: readonly string[]
  readonly call: { readonly id: string; readonly name: string; readonly input: Json } | null
}

/** ask.answered */
export interface AskAnswered {
  readonly type: "ask.answered"
  readonly ask: string
  readonly decision: "allow" | "decline" | "answer"
  readonly scope: "once" | "session" | "project"
  readonly text: string | null
  readonly approves?: {
    readonly resources: readonly { readonly action: string; readonly resource: string }[]
    readonly rules: readonly string[]
  }
  readonly by: "person" | "on-ask"
}

export interface AskNotOpen {
  readonly _tag: "AskNotOpen"
  readonly message: string
  readonly ask: string
}

/** ask.raised */
export interface AskRaised {
  readonly type: "ask.raised"
  readonly ask: string
  readonly subject:
    | { readonly kind: "call"; readonly turn: string; readonly message: string; readonly call: string }
    | { readonly kind: "request"; readonly name: string; readonly detail: Json }
    | { readonly kind: "trust"; readonly path: string; readonly hash: string }
    | { readonly kind: "elicitation"; readonly server: string; readonly schema: Json }
  readonly question: string
  readonly resources: readonly { readonly action: string; readonly resource: string }[]
  readonly rule: string | null
  readonly agent: string
  readonly options: readonly string[]
}

/** ask.withdrawn */
export interface AskWithdrawn {
  readonly type: "ask.withdrawn"
  readonly ask: string
  readonly cause: "interrupted" | "moved" | "declined"
}

/** The answer of one turn, part by part. */
export interface AssistantMessage {
  readonly id: string
  readonly seq: number
  readonly kind: "assistant"
  readonly turn: string
  readonly parts: readonly {
    readonly index: number
    readonly part:
      | { readonly type: "text"; readonly text: string; readonly interrupted: boolean }
      | { readonly type: "reasoning"; readonly text: string; readonly interrupted: boolean }
      | { readonly type: "hosted"; readonly name: string }
      | {
          readonly type: "call"
          readonly call: string
          readonly nativeId: string
          readonly name: string
          readonly input: Json
          readonly seq?: number
          readonly tokens?: number
          readonly state: "pending" | "running" | "done" | "failed" | "interrupted" | "declined"
          readonly outcome: {
            readonly state: "done" | "failed" | "interrupted" | "declined"
            readonly output: string
            readonly truncated: {
              readonly linesTotal: number
              readonly bytesTotal: number
              readonly linesKept: number
              readonly bytesKept: number
            } | null
            readonly errorCode: string | null
            readonly outputFile?: {
              readonly path: string
              readonly bytes: number
              readonly complete: boolean
            }
            readonly lossy?: true
            readonly structured?: Json
            readonly images?: readonly {
              readonly hash: string
              readonly mediaType: "image/png" | "image/jpeg" | "image/gif" | "image/webp"
              readonly bytes: number
              readonly width: number
              readonly height: number
              readonly name: string | null
              readonly given?: string
            }[]
            readonly stillRunning?: true
          } | null
          readonly added?: readonly {
            readonly kind: "hint" | "nudge" | "note" | "finding" | "gap"
            readonly text: string
          }[]
        }
  }[]
  readonly quarantined?: number
}

/** What a request that changed what had been sent before kept, dropped and summed up, and what it cost. */
export interface BreakReceipt {
  readonly turn: string
  readonly number: number
  readonly startedSeq: number
  readonly startedAt: number
  readonly pass: "hold" | "refresh" | "fold"
  readonly break: {
    readonly block: number
    readonly segment: "params" | "tools" | "system" | "agent" | "history-baseline" | "history-delta" | "tail"
    readonly reason: string
  } | null
  readonly tokensBefore: number
  readonly tokensAfter: number
  readonly kept: { readonly messages: number; readonly compartments: number }
  readonly held: readonly {
    readonly id: string
    readonly fromSeq: number
    readonly toSeq: number
    readonly title: string
    readonly tierBefore: number | null
    readonly tier: number | null
    readonly archived?: "now" | "before"
  }[]
  readonly summarised: readonly {
    readonly id: string
    readonly fromSeq: number
    readonly toSeq: number
    readonly title: string
    readonly tier: number | null
    readonly archived?: boolean
    readonly by: "model" | "extractive" | "rebuild"
    readonly messages: number
    readonly messagesBefore?: number
    readonly first: string | null
    readonly last: string | null
  }[]
  readonly left: readonly string[]
  readonly dropped: {
    readonly messages: number
    readonly calls: number
    readonly skeletons: number
    readonly strips: number
    readonly images?: number
    readonly shortened?: number
  }
  readonly cost: number | null
  readonly costHistorian: number | null
  readonly priceExpected: {
    readonly cost: number | null
    readonly costWarm: number | null
    readonly costOtherwise?: number | null
    readonly tokensAgain: number
    readonly cause: "cold" | "break"
  } | null
}

/** What became of a bundle that was imported. */
export interface BundleImport {
  readonly change: "created" | "extended" | "same" | "older" | "copied"
  readonly source: string
  readonly session: Session
  readonly events: number
  readonly messages: number
  readonly calls: number
  readonly permissions: "none" | "kept" | "dropped"
  readonly masked: number
  readonly absent: number
}

export interface BundleRefused {
  readonly _tag: "BundleRefused"
  readonly message: string
  readonly code: "damaged" | "newer" | "too_large" | "misfit" | "pieces"
}

/** cache.warmed */
export interface CacheWarmed {
  readonly type: "cache.warmed"
  readonly model: { readonly provider: string; readonly model: string }
  readonly inRow: number
  readonly usage: {
    readonly input: number
    readonly output: number
    readonly cacheRead: number
    readonly cacheWrite: number
    readonly cacheWrite1h?: number
  }
  readonly cost: number | null
}

/** call.planned */
export interface CallPlanned {
  readonly type: "call.planned"
  readonly turn: string
  readonly message: string
  readonly call: string
  readonly effects: readonly {
    readonly path: string
    readonly kind: "created" | "modified" | "deleted" | "moved"
    readonly from?: string
    readonly mode: number | null
    readonly before: string | null
    readonly after: string | null
  }[]
}

/** call.settled */
export interface CallSettled {
  readonly type: "call.settled"
  readonly turn: string
  readonly message: string
  readonly call: string
  readonly outcome: {
    readonly state: "done" | "failed" | "interrupted" | "declined"
    readonly output: string
    readonly truncated: {
      readonly linesTotal: number
      readonly bytesTotal: number
      readonly linesKept: number
      readonly bytesKept: number
    } | null
    readonly errorCode: string | null
    readonly outputFile?: { readonly path: string; readonly bytes: number; readonly complete: boolean }
    readonly lossy?: true
    readonly structured?: Json
    readonly images?: readonly {
      readonly hash: string
      readonly mediaType: "image/png" | "image/jpeg" | "image/gif" | "image/webp"
      readonly bytes: number
      readonly width: number
      readonly height: number
      readonly name: string | null
      readonly given?: string
    }[]
    readonly stillRunning?: true
  }
  readonly effects: readonly {
    readonly path: string
    readonly kind: "created" | "modified" | "deleted" | "moved"
    readonly from?: string
    readonly mode: number | null
    readonly before: string | null
    readonly after: string | null
  }[]
  readonly seen?: readonly { readonly path: string; readonly hash: string }[]
  readonly todos?: readonly {
    readonly content: string
    readonly status: "pending" | "in_progress" | "completed" | "cancelled"
  }[]
  readonly added: readonly {
    readonly kind: "hint" | "nudge" | "note" | "finding" | "gap"
    readonly text: string
  }[]
  readonly tokens: number
}

/** call.started */
export interface CallStarted {
  readonly type: "call.started"
  readonly turn: string
  readonly message: string
  readonly call: string
}

export interface CallerRefused {
  readonly _tag: "CallerRefused"
  readonly message: string
  readonly header: "host" | "origin"
}

/** command.ended */
export interface CommandEnded {
  readonly type: "command.ended"
  readonly command: string
  readonly cause: "exited" | "killed" | "runtime-ended"
  readonly exitCode: number | null
}

/** command.started */
export interface CommandStarted {
  readonly type: "command.started"
  readonly command: string
  readonly call: string
  readonly line: string
  readonly outputFile?: string
}

/** The settings in force and the places that they come from, without anything secret. */
export interface Configuration {
  readonly layers: readonly {
    readonly kind: "environment" | "user" | "project"
    readonly file: string | null
    readonly state: "read" | "absent" | "disabled"
    readonly sets: readonly { readonly key: string; readonly line: number }[]
    readonly faults: readonly { readonly line: number; readonly message: string }[]
    readonly warnings?: readonly { readonly line: number; readonly message: string }[]
  }[]
  readonly model: {
    readonly value: string | null
    readonly from: {
      readonly kind: "environment" | "user" | "project" | "program"
      readonly file: string | null
      readonly line: number
    } | null
  }
  readonly fallback: {
    readonly value: readonly string[]
    readonly from: {
      readonly kind: "environment" | "user" | "project" | "program"
      readonly file: string | null
      readonly line: number
    } | null
  }
  readonly titleModel: {
    readonly value: string | null
    readonly from: {
      readonly kind: "environment" | "user" | "project" | "program"
      readonly file: string | null
      readonly line: number
    } | null
  }
  readonly onRestart: {
    readonly value: "settle" | "continue"
    readonly from: {
      readonly kind: "environment" | "user" | "project" | "program"
      readonly file: string | null
      readonly line: number
    } | null
  }
  readonly budget: {
    readonly value: { readonly tokens: number | null; readonly money: number | null }
    readonly from: {
      readonly kind: "environment" | "user" | "project" | "program"
      readonly file: string | null
      readonly line: number
    } | null
  }
  readonly historian?: {
    readonly value: readonly string[]
    readonly from: {
      readonly kind: "environment" | "user" | "project" | "program"
      readonly file: string | null
      readonly line: number
    } | null
  }
  readonly dreamer?: {
    readonly value: {
      readonly models: readonly string[]
      readonly tasks: readonly string[]
      readonly schedule: string
    }
    readonly from: {
      readonly kind: "environment" | "user" | "project" | "program"
      readonly file: string | null
      readonly line: number
    } | null
  }
  readonly sidekick?: {
    readonly value: readonly string[]
    readonly from: {
      readonly kind: "environment" | "user" | "project" | "program"
      readonly file: string | null
      readonly line: number
    } | null
  }
  readonly cache?: {
    readonly value: {
      readonly lifetime: "auto" | "5m" | "1h"
      readonly keepWarm: { readonly max: number; readonly costMax: number } | null
    }
    readonly from: {
      readonly kind: "environment" | "user" | "project" | "program"
      readonly file: string | null
      readonly line: number
    } | null
  }
  readonly cost?: {
    readonly value: { readonly askAbove: number | null }
    readonly from: {
      readonly kind: "environment" | "user" | "project" | "program"
      readonly file: string | null
      readonly line: number
    } | null
  }
  readonly recall?: {
    readonly value: {
      readonly threshold: number
      readonly docs?: readonly string[]
      readonly textCompression?: boolean
    }
    readonly from: {
      readonly kind: "environment" | "user" | "project" | "program"
      readonly file: string | null
      readonly line: number
    } | null
  }
  readonly search?: {
    readonly value: { readonly embedding: string; readonly chunkCharacters: number; readonly hint: boolean }
    readonly from: {
      readonly kind: "environment" | "user" | "project" | "program"
      readonly file: string | null
      readonly line: number
    } | null
  }
  readonly maskShapes: {
    readonly value: boolean
    readonly from: {
      readonly kind: "environment" | "user" | "project" | "program"
      readonly file: string | null
      readonly line: number
    } | null
  }
  readonly permissions?: {
    readonly value: readonly string[]
    readonly from: {
      readonly kind: "environment" | "user" | "project" | "program"
      readonly file: string | null
      readonly line: number
    } | null
  }
  readonly timeZone: {
    readonly value: string | null
    readonly from: {
      readonly kind: "environment" | "user" | "project" | "program"
      readonly file: string | null
      readonly line: number
    } | null
  }
  readonly toolOutputDays?: {
    readonly value: number
    readonly from: {
      readonly kind: "environment" | "user" | "project" | "program"
      readonly file: string | null
      readonly line: number
    } | null
  }
  readonly webfetchPrivateHosts?: {
    readonly value: readonly string[]
    readonly from: {
      readonly kind: "environment" | "user" | "project" | "program"
      readonly file: string | null
      readonly line: number
    } | null
  }
  readonly instructions?: {
    readonly value: readonly string[]
    readonly from: {
      readonly kind: "environment" | "user" | "project" | "program"
      readonly file: string | null
      readonly line: number
    } | null
  }
  readonly catalogUrl: {
    readonly value: string | null
    readonly from: {
      readonly kind: "environment" | "user" | "project" | "program"
      readonly file: string | null
      readonly line: number
    } | null
  }
  readonly providers: readonly {
    readonly name: string
    readonly wire: string
    readonly baseUrl: string
    readonly key: "given" | "none" | "missing"
    readonly keyFrom: string | null
    readonly models: readonly string[]
    readonly from: {
      readonly kind: "environment" | "user" | "project" | "program"
      readonly file: string | null
      readonly line: number
    }
  }[]
  readonly problems: readonly string[]
}

export interface ConfigurationInvalid {
  readonly _tag: "ConfigurationInvalid"
  readonly message: string
  readonly file: string
  readonly line: number
}

export interface ContentTypeRefused {
  readonly _tag: "ContentTypeRefused"
  readonly message: string
}

/** context.updated */
export interface ContextUpdated {
  readonly type: "context.updated"
  readonly message: string
  readonly text: string
  readonly texts: readonly { readonly key: string; readonly text: string }[]
  readonly tokens: number
}

/** A run of the dreamer with every difference that it made. */
export interface DreamDetail {
  readonly run: DreamRun
  readonly differences: readonly DreamDifference[]
}

/** One thing that a run of the dreamer changed. */
export interface DreamDifference {
  readonly task?:
    | "tidy"
    | "consolidate"
    | "verify"
    | "archive-stale"
    | "improve"
    | "smart-notes"
    | "maintain-docs"
    | "key-files"
    | "profile"
  readonly kind: "archive" | "update" | "merge" | "split" | "document" | "key-files" | "profile" | "note"
  readonly of: readonly string[]
  readonly before: readonly string[]
  readonly after: readonly string[]
  readonly made?: readonly string[]
  readonly reason: string
}

export interface DreamNotFound {
  readonly _tag: "DreamNotFound"
  readonly message: string
  readonly run: string
}

/** What a run of the dreamer changed, or would, and what it cost. */
export interface DreamReport {
  readonly run: string | null
  readonly outcome: "done" | "failed" | "interrupted" | "planned" | "elsewhere"
  readonly changes: readonly DreamedChange[]
  readonly flags: readonly { readonly memory: string; readonly text: string; readonly reason: string }[]
  readonly tasks: readonly DreamedTask[]
  readonly memoriesBefore: number
  readonly memoriesAfter: number
  readonly usage: {
    readonly input: number
    readonly output: number
    readonly cacheRead: number
    readonly cacheWrite: number
    readonly cacheWrite1h?: number
  }
  readonly cost: number | null
}

/** A run of the dreamer. */
export interface DreamRun {
  readonly run: string
  readonly by: "timer" | "person"
  readonly startedAt: number
  readonly settledAt: number | null
  readonly outcome: "done" | "failed" | "interrupted" | null
  readonly tasks: readonly DreamedTask[]
  readonly changes?: number
  readonly takenBack?: true
  readonly cost: number | null
}

/** One thing that the dreamer changed, or would. */
export interface DreamedChange {
  readonly task:
    | "tidy"
    | "consolidate"
    | "verify"
    | "archive-stale"
    | "improve"
    | "smart-notes"
    | "maintain-docs"
    | "key-files"
    | "profile"
  readonly kind: "archive" | "update" | "merge" | "split" | "document" | "key-files" | "profile" | "note"
  readonly of: readonly string[]
  readonly before: readonly string[]
  readonly after: readonly string[]
  readonly reason: string
}

/** What became of one task of a run. */
export interface DreamedTask {
  readonly task:
    | "tidy"
    | "consolidate"
    | "verify"
    | "archive-stale"
    | "improve"
    | "smart-notes"
    | "maintain-docs"
    | "key-files"
    | "profile"
  readonly outcome: "done" | "failed" | "skipped"
  readonly reason: string | null
  readonly changes: number
  readonly refused: number
}

/** How far the vectors are by which search compares meaning. */
export interface EmbeddingState {
  readonly model: string | null
  readonly sessions: number
  readonly done: number
  readonly due: number
  readonly trouble: string | null
}

/** epoch.started */
export interface EpochStarted {
  readonly type: "epoch.started"
  readonly baseline: string
  readonly cause: "first" | "incompatible" | "compaction" | "moved" | "reverted"
}

/** One durable event. `seq` counts from 1 in each Session, without gaps. */
export interface Event {
  readonly session: string
  readonly seq: number
  readonly time: number
  readonly fact: Fact
}

/** What happened; `type` says which of these it is. */
export type Fact =
  | SessionCreated
  | SessionUpdated
  | SessionMoved
  | SessionInterrupted
  | PromptAdmitted
  | PromptEdited
  | PromptCancelled
  | PromptPromoted
  | NoticeAdmitted
  | NoticePromoted
  | AskRaised
  | AskAnswered
  | AskWithdrawn
  | EpochStarted
  | ContextUpdated
  | TurnStarted
  | TurnSettled
  | PartRecorded
  | CallStarted
  | CallPlanned
  | CallSettled
  | PassApplied
  | SignalRaised
  | HistoryPublished
  | LimitLearned
  | CacheWarmed
  | RequestProbed
  | MessageQuarantined
  | RevertStaged
  | RevertApplied
  | RevertUndone
  | CommandStarted
  | CommandEnded
  | JobSettled
  | NoteWritten
  | NoteChanged

/** A file, a directory, or something else in a directory of a Location. */
export interface FileEntry {
  readonly name: string
  readonly path: string
  readonly kind: "file" | "directory" | "link" | "other"
  readonly bytes: number | null
  readonly modifiedAt: number | null
}

/** A memory or a commit in which it was found. */
export interface FoundOther {
  readonly kind: "memory" | "commit"
  readonly id: string
  readonly project?: string
  readonly place: number
  readonly time: number
  readonly exact: boolean
  readonly text: string
  readonly marks: readonly (readonly [number, number])[]
}

/** A place of a Session where it was found. */
export interface FoundPlace {
  readonly session: string
  readonly title: string | null
  readonly project?: string
  readonly author: "user" | "assistant" | "call" | "output" | "summary"
  readonly part: string
  readonly fromSeq: number
  readonly toSeq: number
  readonly time: number
  readonly exact: boolean
  readonly text: string
  readonly marks: readonly (readonly [number, number])[]
}

/** Whether everything works, and if not, what does not. */
export interface Health {
  readonly healthy: boolean
  readonly version: string
  readonly contract: string
  readonly degraded: readonly { readonly part: string; readonly cause: string; readonly since: number }[]
}

/** history.published */
export interface HistoryPublished {
  readonly type: "history.published"
  readonly fromSeq: number
  readonly toSeq: number
  readonly fingerprint: string
  readonly by: "model" | "extractive" | "rebuild"
  readonly compartments: readonly {
    readonly id: string
    readonly fromSeq: number
    readonly toSeq: number
    readonly title: string
    readonly tiers: readonly [string, string, string, string]
    readonly importance: number
    readonly episode: string
  }[]
  readonly events: readonly { readonly seq: number; readonly text: string }[]
  readonly facts: readonly { readonly category: string; readonly text: string }[]
  readonly observations: readonly string[]
  readonly replaces: readonly string[]
  readonly job: string | null
}

export interface ImageNotFound {
  readonly _tag: "ImageNotFound"
  readonly message: string
  readonly handle: string
}

export interface InternalFailure {
  readonly _tag: "InternalFailure"
  readonly message: string
  readonly ref: string
}

export interface InvalidCursor {
  readonly _tag: "InvalidCursor"
  readonly message: string
  readonly code: "unreadable" | "foreign" | "gone"
}

export interface InvalidId {
  readonly _tag: "InvalidId"
  readonly message: string
  readonly value: string
}

export interface InvalidRequest {
  readonly _tag: "InvalidRequest"
  readonly message: string
  readonly part: "path" | "query" | "headers" | "payload"
}

/** job.settled */
export interface JobSettled {
  readonly type: "job.settled"
  readonly job: string
  readonly kind: "historian" | "editor" | "dreamer" | "sidekick" | "title"
  readonly outcome: "done" | "failed" | "aborted"
  readonly reason: { readonly code: string; readonly message: string } | null
  readonly usage: {
    readonly input: number
    readonly output: number
    readonly cacheRead: number
    readonly cacheWrite: number
  }
  readonly accuracy?: "exact" | "estimated" | "incomplete"
  readonly cost: number | null
  readonly costKnown?: number
}

/** limit.learned */
export interface LimitLearned {
  readonly type: "limit.learned"
  readonly model: { readonly provider: string; readonly model: string }
  readonly contextTokens: number
}

/** A model that can be used, with its limits, its prices and what it can do. */
export interface ListedModel {
  readonly provider: string
  readonly model: string
  readonly wire: string
  readonly contextTokens: number
  readonly outputTokens: number
  readonly price: {
    readonly input: number
    readonly output: number
    readonly cacheRead: number
    readonly cacheWrite: number
    readonly cacheWrite1h?: number
  } | null
  readonly tools: boolean
  readonly images: boolean
  readonly structuredOutput: boolean
  readonly reasoning: "budget" | "effort" | "adaptive" | "none"
  readonly cache: {
    readonly written: "markers" | "breakpoints" | "automatic" | "unknown"
    readonly tokensMin: number | null
    readonly lives: readonly string[]
  }
  readonly variants: readonly string[]
  readonly default: boolean
  readonly fallback: number | null
}

/** Something that happens right now; it is not stored and may be missed. */
export type LiveEvent =
  | {
      readonly session: string
      readonly type: "text-delta"
      readonly turn: string
      readonly index: number
      readonly text: string
      readonly offset: number
    }
  | {
      readonly session: string
      readonly type: "reasoning-delta"
      readonly turn: string
      readonly index: number
      readonly text: string
      readonly offset: number
    }
  | {
      readonly session: string
      readonly type: "open-part"
      readonly turn: string
      readonly index: number
      readonly part: "text" | "reasoning"
      readonly text: string
    }
  | {
      readonly session: string
      readonly type: "call-delta"
      readonly turn: string
      readonly index: number
      readonly name: string
    }
  | { readonly session: string; readonly type: "output-delta"; readonly call: string; readonly text: string }
  | {
      readonly session: string
      readonly type: "attempt-failed"
      readonly turn: string
      readonly reason: { readonly code: string; readonly message: string }
      readonly waitMs: number
    }
  | {
      readonly session: string
      readonly type: "drain-end"
      readonly status: string
      readonly reason: { readonly code: string; readonly message: string } | null
      readonly owing: boolean | null
    }
  | { readonly session: string; readonly type: "committed"; readonly facts: readonly string[] }
  | { readonly type: "pty-opened"; readonly pty: string }
  | { readonly type: "pty-exited"; readonly pty: string }
  | { readonly type: "pty-closed"; readonly pty: string }
  | { readonly type: "connected" }
  | { readonly type: "heartbeat" }
  | { readonly type: "disposed" }
  | { readonly type: "cut-off"; readonly reason: { readonly code: string; readonly message: string } }

/** A directory that Sessions may work in, and the project that it belongs to. */
export interface Location {
  readonly directory: string
  readonly projectRoot: string
}

export interface LocationMissing {
  readonly _tag: "LocationMissing"
  readonly message: string
  readonly directory: string
}

export interface LocationUnknown {
  readonly _tag: "LocationUnknown"
  readonly message: string
  readonly directory: string
}

/** A statement that holds for a project beyond one Session. */
export interface Memory {
  readonly id: string
  readonly category: "PROJECT_RULES" | "ARCHITECTURE" | "CONSTRAINTS" | "CONFIG_VALUES" | "NAMING"
  readonly text: string
  readonly status: "active" | "archived" | "superseded"
  readonly source: {
    readonly by: "person" | "agent" | "historian" | "dreamer"
    readonly wordsOf?: "person" | "agent" | "historian" | "dreamer"
    readonly session: string | null
    readonly messages: readonly string[]
    readonly fromSeq?: number
    readonly toSeq?: number
    readonly task?:
      | "tidy"
      | "consolidate"
      | "verify"
      | "archive-stale"
      | "improve"
      | "smart-notes"
      | "maintain-docs"
      | "key-files"
      | "profile"
    readonly reason?: string
  }
  readonly seen: number
  readonly createdAt: number
  readonly updatedAt: number
  readonly expiresAt: number | null
  readonly supersededBy: string | null
  readonly supersedes: readonly string[]
  readonly reason: string | null
  readonly changedSeq: number
  readonly uses: number
  readonly usedAt: number | null
}

/** A memory and how it came to be. */
export interface MemoryDetail {
  readonly memory: Memory
  readonly history: readonly MemoryEvent[]
  readonly project?: string
}

/** A change of a memory, and where it came from. */
export interface MemoryEvent {
  readonly seq: number
  readonly time: number
  readonly change: "written" | "seen" | "updated" | "archived" | "restored" | "merged" | "superseded"
  readonly by: "person" | "agent" | "historian" | "dreamer"
  readonly place: {
    readonly session: string
    readonly title: string | null
    readonly exists: boolean
    readonly messages: readonly number[]
  } | null
  readonly text: string | null
  readonly category: "PROJECT_RULES" | "ARCHITECTURE" | "CONSTRAINTS" | "CONFIG_VALUES" | "NAMING" | null
  readonly expiresAt?: number | null
  readonly reason: string | null
  readonly others: readonly string[]
}

export interface MemoryNotFound {
  readonly _tag: "MemoryNotFound"
  readonly message: string
  readonly memory: string
}

export interface MemoryRefused {
  readonly _tag: "MemoryRefused"
  readonly message: string
  readonly code: "inactive" | "duplicate" | "categories" | "unshared" | "too-many" | "no-project" | "caller"
  readonly ids: readonly string[]
}

/** One message of a Session. */
export type Message = UserMessage | AssistantMessage | SystemMessage | NoticeMessage

export interface MessageNotFound {
  readonly _tag: "MessageNotFound"
  readonly message: string
  readonly id: string
}

/** message.quarantined */
export interface MessageQuarantined {
  readonly type: "message.quarantined"
  readonly message: string
}

export interface MessageUnsettled {
  readonly _tag: "MessageUnsettled"
  readonly message: string
  readonly id: string
}

/** A model that a turn can speak to. */
export interface Model {
  readonly provider: string
  readonly model: string
  readonly baseUrl: string
  readonly paid: boolean
  readonly contextTokens: number
  readonly images: boolean
  readonly price: {
    readonly input: number
    readonly output: number
    readonly cacheRead: number
    readonly cacheWrite: number
    readonly cacheWrite1h?: number
  } | null
  readonly insteadOf?: {
    readonly model: { readonly provider: string; readonly model: string }
    readonly until: number
  }
}

export interface ModelNotFound {
  readonly _tag: "ModelNotFound"
  readonly message: string
  readonly model: string
  readonly code?: "credential"
}

export interface NotSupported {
  readonly _tag: "NotSupported"
  readonly message: string
  readonly field: string
  readonly contract: string
}

/** A reminder of a Session or of a project. */
export interface Note {
  readonly id: string
  readonly text: string
  readonly condition: string | null
  readonly status: "open" | "waiting" | "ready" | "surfaced" | "dismissed"
  readonly session: string | null
  readonly by: "person" | "agent" | "historian" | "dreamer"
  readonly place: {
    readonly session: string
    readonly title: string | null
    readonly exists: boolean
    readonly messages: readonly number[]
  } | null
  readonly createdAt: number | null
  readonly reason: string | null
  readonly surfacedIn: string | null
}

/** note.changed */
export interface NoteChanged {
  readonly type: "note.changed"
  readonly note: string
  readonly text?: string
  readonly state?: "open" | "ready" | "dismissed"
}

export interface NoteNotFound {
  readonly _tag: "NoteNotFound"
  readonly message: string
  readonly note: string
}

/** note.written */
export interface NoteWritten {
  readonly type: "note.written"
  readonly note: string
  readonly text: string
  readonly anchor: string | null
  readonly condition: string | null
}

export interface NothingOwed {
  readonly _tag: "NothingOwed"
  readonly message: string
  readonly session: string
}

/** notice.admitted */
export interface NoticeAdmitted {
  readonly type: "notice.admitted"
  readonly notice: string
  readonly source: { readonly kind: "child" | "command" | "job" | "note" | "runtime"; readonly id: string }
  readonly text: string
  readonly delivery: "steer" | "queue"
  readonly wakes: boolean
}

/** Words of the runtime, and nobody's. */
export interface NoticeMessage {
  readonly id: string
  readonly seq: number
  readonly kind: "notice"
  readonly notice: string
  readonly source: { readonly kind: "child" | "command" | "job" | "note" | "runtime"; readonly id: string }
  readonly text: string
  readonly added?: readonly {
    readonly kind: "hint" | "nudge" | "note" | "finding" | "gap"
    readonly text: string
  }[]
  readonly tokens?: number
  readonly quarantined?: number
}

/** notice.promoted */
export interface NoticePromoted {
  readonly type: "notice.promoted"
  readonly notice: string
  readonly wakes: boolean
  readonly message: string
  readonly bodySeq: number
  readonly tokens: number
  readonly added: readonly {
    readonly kind: "hint" | "nudge" | "note" | "finding" | "gap"
    readonly text: string
  }[]
}

/** part.recorded */
export interface PartRecorded {
  readonly type: "part.recorded"
  readonly turn: string
  readonly message: string
  readonly index: number
  readonly part:
    | { readonly type: "text"; readonly text: string; readonly interrupted: boolean }
    | { readonly type: "reasoning"; readonly text: string; readonly interrupted: boolean }
    | { readonly type: "hosted"; readonly name: string }
    | {
        readonly type: "call"
        readonly call: string
        readonly nativeId: string
        readonly name: string
        readonly input: Json
      }
  readonly tokens: number
}

/** pass.applied */
export interface PassApplied {
  readonly type: "pass.applied"
  readonly pass: "refresh" | "fold"
  readonly reason: string
  readonly ops: readonly (
    | {
        readonly op: "drop"
        readonly unit: { readonly message: string; readonly call: string | null; readonly image?: number }
        readonly leaves: "nothing" | "skeleton"
      }
    | {
        readonly op: "strip"
        readonly message: string
        readonly what: "reasoning" | "noise" | "images" | "reduce-call" | "shell"
      }
    | { readonly op: "shorten"; readonly message: string; readonly depth: number }
    | {
        readonly op: "cut"
        readonly below: number
        readonly kept: readonly number[]
        readonly messages: number
      }
    | { readonly op: "name-images"; readonly below: number }
    | { readonly op: "anchor-todo"; readonly message: string; readonly todo: Json }
  )[]
  readonly slots: {
    readonly baseline: string
    readonly delta: string
    readonly boundary: number
    readonly markers: Json
  } | null
  readonly consumes: readonly string[]
  readonly moves?: readonly {
    readonly signal: string
    readonly outcome: "applied" | "already" | "stale"
    readonly reason: string | null
  }[]
  readonly tokensBefore: number
  readonly tokensAfter: number
}

export interface PathNotFound {
  readonly _tag: "PathNotFound"
  readonly message: string
  readonly path: string
}

export interface PathOutside {
  readonly _tag: "PathOutside"
  readonly message: string
  readonly path: string
}

export interface PathRefused {
  readonly _tag: "PathRefused"
  readonly message: string
  readonly path: string
  readonly code: "invalid" | "not_a_file" | "not_a_directory" | "unreadable"
}

/** What the model would be sent next, segment by segment. */
export interface PlannedRequest {
  readonly session: string
  readonly model: { readonly provider: string; readonly model: string } | null
  readonly due: boolean
  readonly obstacle: { readonly code: string; readonly message: string } | null
  readonly hash: string | null
  readonly segments: readonly {
    readonly name: "params" | "tools" | "system" | "agent" | "history-baseline" | "history-delta" | "tail"
    readonly source: string
    readonly why: string
    readonly tokens: number
    readonly tokensCached: number
    readonly blocks: readonly {
      readonly role: "user" | "assistant" | "system" | null
      readonly kind:
        | "tool"
        | "system"
        | "text"
        | "notice"
        | "image"
        | "reasoning"
        | "call"
        | "result"
        | "hosted"
      readonly tokens: number
      readonly hash: string
      readonly content?: string
    }[]
  }[]
  readonly settings?: string
  readonly tokens: number
  readonly tokensCached: number
  readonly tokensBefore?: number
  readonly images: number
  readonly quarantined: number
  readonly limit: { readonly contextTokens: number; readonly outputTokens: number } | null
  readonly compartments?: readonly {
    readonly id: string
    readonly fromSeq: number
    readonly toSeq: number
    readonly title: string
    readonly tier: number | null
    readonly archived?: boolean
    readonly tokens: number
    readonly place: "baseline" | "delta" | "waiting" | "hidden"
  }[]
  readonly recall?: {
    readonly usage: number
    readonly threshold: number
    readonly tokensLeft: number
    readonly messagesHidden: number
    readonly tags: number
    readonly tagsDropped: number
    readonly waiting: readonly {
      readonly kind: "drop" | "execute" | "flush" | "fold" | "move" | "memory" | "expiry"
      readonly count: number
    }[]
  }
  readonly costExpected?: number | null
  readonly priceExpected?: {
    readonly cost: number | null
    readonly costWarm: number | null
    readonly costOtherwise?: number | null
    readonly tokensAgain: number
    readonly cause: "cold" | "break"
  } | null
  readonly break: {
    readonly block: number
    readonly segment: "params" | "tools" | "system" | "agent" | "history-baseline" | "history-delta" | "tail"
    readonly reason: string
  } | null
  readonly lastBreak: {
    readonly turn: string
    readonly block: number
    readonly segment: "params" | "tools" | "system" | "agent" | "history-baseline" | "history-delta" | "tail"
    readonly reason: string
  } | null
  readonly cost: {
    readonly lastTurn: number | null
    readonly session: number | null
    readonly accuracy: {
      readonly lastTurn: "exact" | "estimated" | "incomplete"
      readonly session: "exact" | "estimated" | "incomplete"
    }
  }
}

/** Whether the provider took a request that only asked so. */
export type ProbeResult =
  | { readonly kind: "taken" }
  | { readonly kind: "refused"; readonly reason: { readonly code: string; readonly message: string } }
  | { readonly kind: "failed"; readonly reason: { readonly code: string; readonly message: string } }

/** Whose memory a directory has. */
export interface ProjectInfo {
  readonly root: string
  readonly shares: string | null
  readonly copyOf: readonly string[]
  readonly active: number
  readonly parted?: { readonly from: string; readonly taken: number; readonly archived: number }
}

/** prompt.admitted */
export interface PromptAdmitted {
  readonly type: "prompt.admitted"
  readonly prompt: string
  readonly text: string
  readonly images?: readonly {
    readonly hash: string
    readonly mediaType: "image/png" | "image/jpeg" | "image/gif" | "image/webp"
    readonly bytes: number
    readonly width: number
    readonly height: number
    readonly name: string | null
    readonly given?: string
  }[]
  readonly calls?: readonly {
    readonly tool: "read" | "bash"
    readonly argument: string
    readonly content?: { readonly kind: "text" | "image" | "listing"; readonly hash: string }
  }[]
  readonly delivery: "steer" | "queue"
  readonly sidekick?: true
}

/** prompt.cancelled */
export interface PromptCancelled {
  readonly type: "prompt.cancelled"
  readonly prompt: string
}

export interface PromptConflict {
  readonly _tag: "PromptConflict"
  readonly message: string
  readonly prompt: string
}

/** prompt.edited */
export interface PromptEdited {
  readonly type: "prompt.edited"
  readonly prompt: string
  readonly text: string
  readonly images?: readonly {
    readonly hash: string
    readonly mediaType: "image/png" | "image/jpeg" | "image/gif" | "image/webp"
    readonly bytes: number
    readonly width: number
    readonly height: number
    readonly name: string | null
    readonly given?: string
  }[]
}

export interface PromptNotFound {
  readonly _tag: "PromptNotFound"
  readonly message: string
  readonly prompt: string
}

export interface PromptNotPending {
  readonly _tag: "PromptNotPending"
  readonly message: string
  readonly prompt: string
  readonly state: "promoted" | "cancelled"
}

/** prompt.promoted */
export interface PromptPromoted {
  readonly type: "prompt.promoted"
  readonly prompt: string
  readonly message: string
  readonly bodySeq: number
  readonly tokens: number
  readonly added: readonly {
    readonly kind: "hint" | "nudge" | "note" | "finding" | "gap"
    readonly text: string
  }[]
}

/** The prompt is on disk; `state` says whether the model got it already. */
export interface PromptReceipt {
  readonly session: string
  readonly prompt: string
  readonly admittedSeq: number
  readonly delivery: "steer" | "queue"
  readonly state: "pending" | "promoted" | "cancelled"
}

export interface PromptRefused {
  readonly _tag: "PromptRefused"
  readonly message: string
  readonly code: "empty" | "too_long" | "lone_surrogate" | "nul" | "image" | "no_sidekick"
}

/** Somebody who serves models, and whether there is a key for them. */
export interface Provider {
  readonly name: string
  readonly wire: string
  readonly baseUrl: string
  readonly paid: boolean
  readonly key: "given" | "none" | "missing"
  readonly keyProblem: string | null
  readonly ambient: boolean
  readonly open: boolean
  readonly models: number
}

/** A terminal, and whether its program still runs. */
export interface Pty {
  readonly id: string
  readonly title: string
  readonly argv: readonly string[]
  readonly directory: string
  readonly columns: number
  readonly rows: number
  readonly cursor: number
  readonly exit: { readonly code: number | null; readonly signal: string | null } | null
}

export interface PtyEnded {
  readonly _tag: "PtyEnded"
  readonly message: string
  readonly pty: string
}

/** What a reader of a terminal gets; `data` is base64, and a cursor counts bytes since the start. */
export type PtyItem =
  | {
      readonly type: "screen"
      readonly cursor: number
      readonly columns: number
      readonly rows: number
      readonly data: string
    }
  | { readonly type: "output"; readonly cursor: number; readonly data: string }
  | { readonly type: "resized"; readonly columns: number; readonly rows: number }
  | {
      readonly type: "exit"
      readonly cursor: number
      readonly code: number | null
      readonly signal: string | null
    }
  | {
      readonly type: "cut-off"
      readonly cursor: number
      readonly reason: { readonly code: string; readonly message: string }
    }

export interface PtyNotFound {
  readonly _tag: "PtyNotFound"
  readonly message: string
  readonly pty: string
}

export interface PtyRefused {
  readonly _tag: "PtyRefused"
  readonly message: string
  readonly code: "program" | "too_many" | "input"
}

/** Lets one WebSocket in, once. */
export interface PtyTicket {
  readonly ticket: string
  readonly expiresMs: number
}

export interface PtyUnavailable {
  readonly _tag: "PtyUnavailable"
  readonly message: string
  readonly detail: string
}

/** What became of compartments that were to be made anew. */
export interface RebuildResult {
  readonly ranges: number
  readonly unchanged: number
  readonly overtaken: number
  readonly compartmentsBefore: number
  readonly compartmentsAfter: number
  readonly messages: number
  readonly byModel: number
  readonly withoutModel: readonly {
    readonly code: string
    readonly message: string
    readonly ranges: number
  }[]
  readonly cost: number | null
}

export interface RequestHeadTooLarge {
  readonly _tag: "RequestHeadTooLarge"
  readonly message: string
  readonly bytesMax: number
}

/** request.probed */
export interface RequestProbed {
  readonly type: "request.probed"
  readonly model: { readonly provider: string; readonly model: string }
  readonly without: readonly string[]
  readonly taken: boolean
  readonly usage: {
    readonly input: number
    readonly output: number
    readonly cacheRead: number
    readonly cacheWrite: number
    readonly cacheWrite1h?: number
  }
  readonly accuracy?: "exact" | "estimated" | "incomplete"
  readonly cost: number | null
}

export interface RequestTimedOut {
  readonly _tag: "RequestTimedOut"
  readonly message: string
}

export interface RequestTooLarge {
  readonly _tag: "RequestTooLarge"
  readonly message: string
  readonly bytesMax: number
}

/** revert.applied */
export interface RevertApplied {
  readonly type: "revert.applied"
  readonly revert: string
  readonly fromSeq: number
  readonly withdraws: readonly string[]
  readonly historyEnd: number
}

/** revert.staged */
export interface RevertStaged {
  readonly type: "revert.staged"
  readonly revert: string
  readonly message: string
  readonly fromSeq: number
  readonly files: readonly { readonly path: string; readonly action: "restore" | "remove" | "conflict" }[]
}

/** revert.undone */
export interface RevertUndone {
  readonly type: "revert.undone"
  readonly revert: string
}

/** What is as it was before a run. */
export interface RevertedDream {
  readonly run: string
  readonly reverted: readonly string[]
  readonly expired?: readonly string[]
  readonly documents: readonly string[]
  readonly others?: readonly string[]
  readonly kept: readonly { readonly of: string; readonly reason: string }[]
  readonly already?: readonly string[]
  readonly remaining?: readonly string[]
}

export interface RouteNotFound {
  readonly _tag: "RouteNotFound"
  readonly message: string
}

export interface RuleInvalid {
  readonly _tag: "RuleInvalid"
  readonly message: string
  readonly rule: string
}

/** What became of the newest prompt. */
export interface RunResult {
  readonly status: "done" | "failed" | "asking" | "blocked" | "interrupted"
  readonly reason: { readonly code: string; readonly message: string } | null
  readonly session: string
  readonly prompt: string | null
  readonly turns: number
  readonly text: string
  readonly usage: {
    readonly input: number
    readonly output: number
    readonly cacheRead: number
    readonly cacheWrite: number
    readonly cacheWrite1h?: number
  }
  readonly accuracy: "exact" | "estimated" | "incomplete"
  readonly cost: number | null
  readonly model: { readonly provider: string; readonly model: string } | null
  readonly declined?: readonly {
    readonly call: string
    readonly name: string
    readonly resources: readonly { readonly action: string; readonly resource: string }[]
    readonly rule: string | null
  }[]
}

/** What was found, best first. */
export interface SearchResult {
  readonly found: readonly FoundPlace[]
  readonly also?: readonly FoundOther[]
  readonly unindexed: number
}

/** What a turn sent, rebuilt from the log. */
export interface SentRequest {
  readonly turn: string
  readonly verdict:
    | { readonly kind: "same" }
    | { readonly kind: "different"; readonly expected: string; readonly found: string }
    | { readonly kind: "other-encoder"; readonly encoder: string }
    | { readonly kind: "unreadable"; readonly problem: string }
  readonly url: string
  readonly headers: readonly string[]
  readonly body: string | null
}

/** A Session, with its state as it is now. */
export interface Session {
  readonly id: string
  readonly kind: "primary" | "child" | "job"
  readonly parent: { readonly session: string; readonly call: string | null } | null
  readonly origin: {
    readonly kind: "fork" | "import"
    readonly source: string
    readonly seq: number
    readonly message?: string
  } | null
  readonly location: { readonly directory: string; readonly projectRoot: string }
  readonly title: string | null
  readonly model: { readonly provider: string; readonly model: string } | null
  readonly agent: string
  readonly policy: "settle" | "continue"
  readonly onAsk: "wait" | "deny" | "allow" | "fail"
  readonly allow: readonly string[]
  readonly budget: { readonly tokens: number | null; readonly money: number | null }
  readonly archived: boolean
  readonly createdAt: number
  readonly updatedAt: number
  readonly seq: number
  readonly turns: number
  readonly usage: {
    readonly input: number
    readonly output: number
    readonly cacheRead: number
    readonly cacheWrite: number
    readonly cacheWrite1h?: number
  }
  readonly accuracy: "exact" | "estimated" | "incomplete"
  readonly cost: number | null
  readonly costKnown: number
  readonly status: {
    readonly state: "idle" | "running" | "waiting" | "asking" | "blocked" | "interrupted" | "failed"
    readonly owing: boolean
    readonly pending: number
    readonly asks: number
    readonly reason: { readonly code: string; readonly message: string } | null
    readonly waitingUntil: number | null
  }
}

export interface SessionConflict {
  readonly _tag: "SessionConflict"
  readonly message: string
  readonly session: string
}

/** session.created */
export interface SessionCreated {
  readonly type: "session.created"
  readonly kind: "primary" | "child" | "job"
  readonly parent: { readonly session: string; readonly call: string | null } | null
  readonly origin: {
    readonly kind: "fork" | "import"
    readonly source: string
    readonly seq: number
    readonly message?: string
  } | null
  readonly location: { readonly directory: string; readonly projectRoot: string }
  readonly title: string | null
  readonly titledBy: "person" | "runtime"
  readonly model: { readonly provider: string; readonly model: string } | null
  readonly agent: string
  readonly policy: "settle" | "continue"
  readonly onAsk: "wait" | "deny" | "allow" | "fail"
  readonly allow?: readonly string[]
  readonly budget?: { readonly tokens?: number | null; readonly money?: number | null }
  readonly harness: string
}

/** The last item of a stream whose Session was deleted; it has no sequence. */
export interface SessionDeleted {
  readonly session: string
  readonly fact: { readonly type: "session.deleted" }
}

/** session.interrupted */
export interface SessionInterrupted {
  readonly type: "session.interrupted"
}

/** session.moved */
export interface SessionMoved {
  readonly type: "session.moved"
  readonly location: { readonly directory: string; readonly projectRoot: string }
}

export interface SessionNotFound {
  readonly _tag: "SessionNotFound"
  readonly message: string
  readonly session: string
}

/** session.updated */
export interface SessionUpdated {
  readonly type: "session.updated"
  readonly title?: string | null
  readonly titledBy?: "person" | "runtime"
  readonly model?: { readonly provider: string; readonly model: string }
  readonly agent?: string
  readonly policy?: "settle" | "continue"
  readonly onAsk?: "wait" | "deny" | "allow" | "fail"
  readonly allow?: readonly string[]
  readonly budget?: { readonly tokens?: number | null; readonly money?: number | null }
  readonly archived?: boolean
  readonly blocked?: { readonly code: string; readonly message: string } | null
  readonly waiting?: {
    readonly until: number
    readonly reason: { readonly code: string; readonly message: string }
  } | null
  readonly fallback?: {
    readonly from: { readonly provider: string; readonly model: string }
    readonly to: { readonly provider: string; readonly model: string }
    readonly until: number
    readonly reason: { readonly code: string; readonly message: string }
    readonly paid?: boolean
  }
}

/** signal.raised */
export interface SignalRaised {
  readonly type: "signal.raised"
  readonly signal: string
  readonly kind: "drop" | "execute" | "flush" | "fold" | "move" | "memory" | "expiry"
  readonly detail: Json
}

export interface StoreFailure {
  readonly _tag: "StoreFailure"
  readonly message: string
  readonly code: "busy" | "full" | "read_only" | "corrupt" | "newer" | "mismatch" | "closed" | "unavailable"
  readonly outcomeUnknown: boolean
  readonly detail: string
}

/** A fact that changed; shown on request only. */
export interface SystemMessage {
  readonly id: string
  readonly seq: number
  readonly kind: "system"
  readonly text: string
  readonly keys: readonly string[]
  readonly texts: readonly { readonly key: string; readonly text: string }[]
  readonly tokens?: number
}

export interface TurnNotFound {
  readonly _tag: "TurnNotFound"
  readonly message: string
  readonly turn: string
}

/** One turn, with its row of the ledger. */
export interface TurnRecord {
  readonly startedSeq: number
  readonly startedAt: number
  readonly started: {
    readonly type: "turn.started"
    readonly turn: string
    readonly message: string
    readonly model: { readonly provider: string; readonly model: string }
    readonly agent: string
    readonly endpoint: string
    readonly tools: string
    readonly options: string
    readonly pass: "hold" | "refresh" | "fold"
    readonly request: {
      readonly hash: string
      readonly prefixHash: string
      readonly encoder: string
      readonly blocks: number
      readonly bytes: number
      readonly tokensEstimated: number
      readonly markers: readonly { readonly block: number; readonly lifetime: string }[]
      readonly params: string
    }
    readonly seenSeq: number
    readonly allowanceUsed: number
    readonly resumes?: "asked" | "woken"
    readonly break: {
      readonly block: number
      readonly segment:
        | "params"
        | "tools"
        | "system"
        | "agent"
        | "history-baseline"
        | "history-delta"
        | "tail"
      readonly reason: string
    } | null
    readonly cacheExpected: number
    readonly priceExpected?: {
      readonly cost: number | null
      readonly costWarm: number | null
      readonly costOtherwise?: number | null
      readonly tokensAgain: number
      readonly cause: "cold" | "break"
    }
  }
  readonly settled: {
    readonly type: "turn.settled"
    readonly turn: string
    readonly status: "done" | "continue" | "asking" | "failed" | "interrupted"
    readonly reason: { readonly code: string; readonly message: string } | null
    readonly ledger: {
      readonly usage: {
        readonly input: number
        readonly output: number
        readonly cacheRead: number
        readonly cacheWrite: number
        readonly cacheWrite1h?: number
      }
      readonly accuracy?: "exact" | "estimated" | "incomplete"
      readonly cost: number | null
      readonly costKnown?: number
      readonly attempts: readonly {
        readonly failure: { readonly code: string; readonly message: string } | null
        readonly waitMs: number
        readonly usage?: {
          readonly input: number
          readonly output: number
          readonly cacheRead: number
          readonly cacheWrite: number
          readonly cacheWrite1h?: number
        }
        readonly accuracy?: "exact" | "estimated" | "incomplete"
      }[]
      readonly durationMs: number
      readonly atLeast?: true
      readonly finish: string | null
    }
    readonly leftOut?: readonly { readonly extra: string; readonly problem: string }[]
  } | null
  readonly warmed?: readonly {
    readonly seq: number
    readonly at: number
    readonly model: { readonly provider: string; readonly model: string }
    readonly inRow: number
    readonly usage: {
      readonly input: number
      readonly output: number
      readonly cacheRead: number
      readonly cacheWrite: number
      readonly cacheWrite1h?: number
    }
    readonly cost: number | null
  }[]
}

/** turn.settled */
export interface TurnSettled {
  readonly type: "turn.settled"
  readonly turn: string
  readonly status: "done" | "continue" | "asking" | "failed" | "interrupted"
  readonly reason: { readonly code: string; readonly message: string } | null
  readonly ledger: {
    readonly usage: {
      readonly input: number
      readonly output: number
      readonly cacheRead: number
      readonly cacheWrite: number
      readonly cacheWrite1h?: number
    }
    readonly accuracy?: "exact" | "estimated" | "incomplete"
    readonly cost: number | null
    readonly costKnown?: number
    readonly attempts: readonly {
      readonly failure: { readonly code: string; readonly message: string } | null
      readonly waitMs: number
      readonly usage?: {
        readonly input: number
        readonly output: number
        readonly cacheRead: number
        readonly cacheWrite: number
        readonly cacheWrite1h?: number
      }
      readonly accuracy?: "exact" | "estimated" | "incomplete"
    }[]
    readonly durationMs: number
    readonly atLeast?: true
    readonly finish: string | null
  }
  readonly leftOut?: readonly { readonly extra: string; readonly problem: string }[]
}

/** turn.started */
export interface TurnStarted {
  readonly type: "turn.started"
  readonly turn: string
  readonly message: string
  readonly model: { readonly provider: string; readonly model: string }
  readonly agent: string
  readonly endpoint: string
  readonly tools: string
  readonly options: string
  readonly pass: "hold" | "refresh" | "fold"
  readonly request: {
    readonly hash: string
    readonly prefixHash: string
    readonly encoder: string
    readonly blocks: number
    readonly bytes: number
    readonly tokensEstimated: number
    readonly markers: readonly { readonly block: number; readonly lifetime: string }[]
    readonly params: string
  }
  readonly seenSeq: number
  readonly allowanceUsed: number
  readonly resumes?: "asked" | "woken"
  readonly break: {
    readonly block: number
    readonly segment: "params" | "tools" | "system" | "agent" | "history-baseline" | "history-delta" | "tail"
    readonly reason: string
  } | null
  readonly cacheExpected: number
  readonly priceExpected?: {
    readonly cost: number | null
    readonly costWarm: number | null
    readonly costOtherwise?: number | null
    readonly tokensAgain: number
    readonly cause: "cold" | "break"
  }
}

export interface Unauthorized {
  readonly _tag: "Unauthorized"
  readonly message: string
}

/** What somebody said. */
export interface UserMessage {
  readonly id: string
  readonly seq: number
  readonly kind: "user"
  readonly prompt: string
  readonly text: string
  readonly images?: readonly {
    readonly hash: string
    readonly mediaType: "image/png" | "image/jpeg" | "image/gif" | "image/webp"
    readonly bytes: number
    readonly width: number
    readonly height: number
    readonly name: string | null
    readonly given?: string
  }[]
  readonly calls?: readonly {
    readonly tool: "read" | "bash"
    readonly argument: string
    readonly content?: { readonly kind: "text" | "image" | "listing"; readonly hash: string }
  }[]
  readonly added?: readonly {
    readonly kind: "hint" | "nudge" | "note" | "finding" | "gap"
    readonly text: string
  }[]
  readonly tokens?: number
  readonly quarantined?: number
}

/** Whether the request of a turn, rebuilt from the log, is the one that was sent. */
export interface VerifiedTurn {
  readonly turn: string
  readonly startedSeq: number
  readonly verdict:
    | { readonly kind: "same" }
    | { readonly kind: "different"; readonly expected: string; readonly found: string }
    | { readonly kind: "other-encoder"; readonly encoder: string }
    | { readonly kind: "unreadable"; readonly problem: string }
}

/** Projects whose Sessions see each other's memories of some categories. */
export interface Workspace {
  readonly name: string
  readonly categories: readonly (
    | "PROJECT_RULES"
    | "ARCHITECTURE"
    | "CONSTRAINTS"
    | "CONFIG_VALUES"
    | "NAMING"
  )[]
  readonly members: readonly string[]
}

export interface WorkspaceNotFound {
  readonly _tag: "WorkspaceNotFound"
  readonly message: string
  readonly workspace: string
}

export interface WorkspaceRefused {
  readonly _tag: "WorkspaceRefused"
  readonly message: string
  readonly code: "taken" | "elsewhere" | "no-member" | "too-many" | "caller"
  readonly workspace: string
}
