/**
 * What every reader yields: the records of a session that another agent kept, in one neutral shape.
 *
 * A reader invents nothing: a field that a file does not state is null, and what it cannot read is a
 * `skipped` record. Records come in file order, and each names its session, since one file or store
 * can hold many (side chains, a whole database). What holds for every reader:
 *
 * - A `session` record comes before any other of that session, once; later ones say what was learned since.
 * - An assistant message may come in several records of the same `message`; their parts follow each other.
 * - A `usage` record comes after the parts that its request answered with. A request can be counted on
 *   several lines and in several files: by `request`, the last one holds.
 * - `id` names a message in its session: the agent's own id, or `#` and the line where it has none.
 * - A message continues the one before it in its session, unless a `branch` record stands before it.
 */
import type { Json } from "@holdfast/schema/json"

export const agents = ["claude-code", "codex", "pi", "opencode", "transcript"] as const
export type Agent = (typeof agents)[number]

export type ForeignRecord =
  | SessionRecord
  | PromptRecord
  | AssistantRecord
  | ResultRecord
  | UsageRecord
  | CompactionRecord
  | BranchRecord
  | SettingRecord
  | SkippedRecord

/** A header, or what a later line adds to it: null fields say nothing. */
export interface SessionRecord {
  readonly type: "session"
  readonly session: string
  readonly agent: Agent
  readonly title: string | null
  readonly directory: string | null
  /** Milliseconds since 1970. */
  readonly createdAt: number | null
  readonly parent: ForeignParent | null
}

/** A side chain belongs to a call of its parent; a branch kept in a file of its own goes on from a message. */
export interface ForeignParent {
  readonly kind: "child" | "branch"
  /** The native id, or the path that the file names. */
  readonly session: string
  /** Of the call or the message; null where the file does not say. */
  readonly at: string | null
}

interface Placed {
  readonly session: string
  readonly id: string
  /** Null where the file gives no time. */
  readonly at: number | null
  /** Of the file, from 1; of a store, the row in the order it is read. */
  readonly line: number
}

export interface PromptRecord extends Placed {
  readonly type: "prompt"
  /** Words of a person; what the agent put in (instructions, reminders, output of its own commands); a summary. */
  readonly by: "person" | "agent" | "summary"
  readonly text: string
  readonly images: readonly ForeignImage[]
}

/** Its bytes, or only a name for them: a path or an address. */
export type ForeignImage =
  | { readonly mediaType: string; readonly base64: string }
  | { readonly mediaType: string | null; readonly name: string }

export interface AssistantRecord extends Placed {
  readonly type: "assistant"
  /** Which message of the model the parts belong to. */
  readonly message: string
  readonly provider: string | null
  readonly model: string | null
  readonly parts: readonly ForeignPart[]
  /** How the answer ended, as the agent calls it; null where it says nothing. */
  readonly finish: string | null
}

export type ForeignPart =
  | { readonly type: "text"; readonly text: string }
  /** `native` is the block as it was recorded, where it holds what only its provider can read. */
  | { readonly type: "reasoning"; readonly text: string; readonly native: Json | null }
  | { readonly type: "call"; readonly call: string; readonly name: string; readonly input: Json }
  /** What a tool of the provider's own did. */
  | { readonly type: "hosted"; readonly name: string; readonly native: Json }

export interface ResultRecord extends Placed {
  readonly type: "result"
  /** The id of the call as the model gave it; ids can repeat in one session (TG7). */
  readonly call: string
  readonly name: string | null
  readonly state: "done" | "failed" | "interrupted" | "declined"
  readonly text: string
  readonly images: readonly ForeignImage[]
}

/** Tokens of one request, as the provider reported them. */
export interface UsageTokens {
  /** Neither read from a cache nor written to one. */
  readonly input: number
  readonly cacheRead: number
  /** Written for the provider's shortest life, or for one that the file does not state. */
  readonly cacheWrite5m: number
  readonly cacheWrite1h: number
  /** Reasoning included. */
  readonly output: number
}

export interface UsageRecord extends UsageTokens {
  readonly type: "usage"
  readonly session: string
  /** Unique over all files of the agent. */
  readonly request: string
  readonly provider: string
  readonly model: string
  /** When the request was sent, where the file says; else when its answer was recorded. */
  readonly at: number | null
  readonly line: number
}

/** What went before is no longer sent, but for what is kept; a prompt by `summary` may follow. */
export interface CompactionRecord extends Placed {
  readonly type: "compaction"
  /** The first earlier message that stays; null where the file does not say, or none does. */
  readonly keptFrom: string | null
  readonly tokensBefore: number | null
  readonly cause: "automatic" | "asked" | null
}

/** What follows continues after this message and not after the last one; null is the very beginning. */
export interface BranchRecord {
  readonly type: "branch"
  readonly session: string
  readonly after: string | null
  readonly at: number | null
  readonly line: number
}

/** From here on requests are made with this; `value` is a name, or a hash of what is too long for one. */
export interface SettingRecord {
  readonly type: "setting"
  readonly session: string
  readonly name: "model" | "effort" | "tools" | "system"
  readonly value: string
  readonly at: number | null
  readonly line: number
}

/** Something of the file that no other record tells. */
export interface SkippedRecord {
  readonly type: "skipped"
  /** Null where even the session is not known. */
  readonly session: string | null
  readonly line: number
  readonly why: SkipReason
  /** The kind that is not known, or the beginning of what is wrong. */
  readonly detail: string
}

export type SkipReason =
  | "not-json"
  | "not-utf8"
  | "cut-off"
  | "too-long"
  | "unknown-kind"
  | "wrong-shape"
  | "not-kept"

/** A reader: bytes in, records out; it never throws on what the bytes say. */
export type Reader = (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<ForeignRecord>
