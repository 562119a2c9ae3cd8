/** What reads of a store give back, where it is no value of the schema alone. */
import type { Event, FactOf } from "@holdfast/schema/event"
import type { MessageId, Seq, SessionId } from "@holdfast/schema/id"
import type { PromptReceipt } from "@holdfast/schema/prompt"
import type { SessionState } from "@holdfast/schema/state/state"
import type { Summary } from "@holdfast/schema/state/summary"
import type { ScratchPart } from "./scratch.ts"

/** One row of the session projection: the summary that the fold gives. */
export interface SessionRow extends Summary {
  readonly id: SessionId
}

/** A record that could not be read; what is sound still loads (ST3). */
export interface Damage {
  readonly session: SessionId
  readonly seq: number
  readonly problem: string
}

/** A turn with its two facts; `settled` is null while it runs or after a crash. */
export interface StoredTurn {
  readonly startedSeq: Seq
  readonly startedAt: number
  readonly started: FactOf<"turn.started">
  readonly settled: FactOf<"turn.settled"> | null
}

/** What a drain needs to go on: bounded by the window, not by the age of the Session. */
export interface SessionWindow {
  readonly session: SessionId
  /** Equal to the fold of the whole log, where that is sound. */
  readonly state: SessionState
  /** Text checkpointed by a turn that never settled. */
  readonly scratch: readonly ScratchPart[]
  /** When the newest checkpoint of that turn was made; null where there is none. */
  readonly checkpointedAt: number | null
  readonly damage: readonly Damage[]
}

export interface OpenAsk {
  readonly session: SessionId
  readonly seq: number
  readonly time: number
  readonly raised: FactOf<"ask.raised">
}

/** An event, and the text that its row holds. */
export interface LogRecord extends Event {
  readonly data: string
}

export interface PromptRow {
  readonly receipt: PromptReceipt
  readonly message: MessageId | null
}

export interface StoreReport {
  readonly schemaVersion: number
  readonly bytes: number
  readonly damage: readonly Damage[]
  /** Projection rows that differ from a rebuild of the log. */
  readonly stale: readonly string[]
}
