/**
 * The store port: the log of every Session, its projections, leases, scratch rows and blobs.
 * Writes are commands, plain data that can cross a thread. Each command is all or nothing;
 * commands that arrive together share one transaction and one sync, and a failing one does not
 * disturb its neighbours. A command's effect resolves only after the sync (PR1). Outcomes that
 * the caller must handle are values; failures of the outside world are StoreFailure.
 * Reads see every command that has resolved. They may be called at any time, by any process.
 *   PR1  an answered command is on disk          PR2  admission is idempotent by prompt id
 *   PR4  promotion happens once                  EP5  facts of one append are there or not
 *   DR1  a drain's commands carry its lease token, checked inside the transaction
 */
import type { Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { Event, Fact, FactOf, FactType } from "@holdfast/schema/event"
import type { Media } from "@holdfast/schema/media"
import type { MessageId, PromptId, Seq, SessionId, TurnId } from "@holdfast/schema/id"
import type { Location } from "@holdfast/schema/location"
import type { Message } from "@holdfast/schema/message"
import type { ModelRef } from "@holdfast/schema/model"
import type { AdmittedCall, AdmittedPrompt, Delivery, PromptReceipt } from "@holdfast/schema/prompt"
import type { LocationList, MessageList, SequenceList, SessionList } from "./lists.ts"
import type { JobReads, SettleJob, SettleJobOutcome } from "./job.ts"
import type { MemoryReads, ProjectCommand, ProjectOutcomes, ProjectPlace } from "./memory.ts"
import type { EmbeddingReads } from "./search/embedding.ts"
import type { NamedLeaseCommand, NamedLeaseOutcomes, NamedLeaseReads } from "./lease/named.ts"
import type { ContributedFact } from "./contributed-fact.ts"
import type { ScratchPiece } from "./scratch.ts"
import type { Damage, LogRecord, OpenAsk, PromptRow } from "./record.ts"
import type { SessionRow, SessionWindow, StoredTurn, StoreReport } from "./record.ts"
import type { SearchCommand, SearchOutcomes, SearchReads } from "./search/units.ts"
import type { StagedFile } from "./staged-file.ts"

export type { Damage, LogRecord, OpenAsk, PromptRow, SessionRow } from "./record.ts"
export type { SessionWindow, StoredTurn, StoreReport } from "./record.ts"
export type { ContributedFact } from "./contributed-fact.ts"
export type { StagedFile } from "./staged-file.ts"
export type { SearchAnswer, SearchQuestion, UnitAuthor } from "./search/units.ts"
export type { UnitHit, UnitPlace, UnitRecord } from "./search/units.ts"
export type { LocationList, MessageList, SequenceList, SessionList } from "./lists.ts"
export type {
  ChangeMemory,
  ChangeNotes,
  FailedDreams,
  MemoryList,
  NoteList,
  PlaceRow,
  ProjectMemory,
  ProjectPlace,
  ProjectRow,
} from "./memory.ts"
export type { HeldName, NamedLease } from "./lease/named.ts"
export type { ScratchPart, ScratchPiece } from "./scratch.ts"

/** Who holds a Session: enough for another process to find out whether the holder is gone. */
export interface LeaseOwner {
  readonly boot: string
  readonly space: string
  readonly pid: number
  readonly start: string
  /** Tells two runtimes of one process apart. */
  readonly instance: string
}

export interface Lease {
  readonly session: SessionId
  readonly owner: LeaseOwner
  /** Grows with every grant and is never reused: the fence. */
  readonly token: number
  /** Grows with every renewal. */
  readonly beat: number
}

export interface BlobWrite {
  readonly hash: string
  readonly bytes: Uint8Array
}

/** Makes a Location known; a repeat is safe (CO3). */
export interface OpenLocation {
  readonly kind: "open-location"
  readonly location: Location
}
/** It makes its Location known, too. */
export interface CreateSession {
  readonly kind: "create-session"
  readonly session: SessionId
  readonly time: number
  readonly fact: FactOf<"session.created">
}
/** Copies the log of another Session, up to a settled point, into a fresh one (SS1). */
export interface ForkSession {
  readonly kind: "fork-session"
  /** The fork. */
  readonly session: SessionId
  readonly time: number
  readonly source: SessionId
  /** The last message of it; null copies all that is settled. */
  readonly message: MessageId | null
  /** Null keeps that of the source. */
  readonly title: string | null
  /** What the ids of copied prompts begin with: prompt ids are unique in the store. */
  readonly prompts: PromptId
}
/** Takes over the log of a bundle (ST4). A repeat writes nothing. */
export interface ImportSession {
  readonly kind: "import-session"
  readonly session: SessionId
  /** Descriptor of a staged file with the lines of a bundle, each of which was checked. */
  readonly staged: number
  /** Permissions and the restart policy are taken over too. */
  readonly trusted: boolean
  /** Named by facts, and not in the bundle. */
  readonly absent: readonly string[]
  /** Null takes the Session over as itself; else as a second one, which shares a beginning with a source. */
  readonly copy: { readonly source: SessionId; readonly seq: number } | null
}
/** EP9, PE6: the Epoch ends, and open asks are withdrawn. */
export interface MoveSession {
  readonly kind: "move-session"
  readonly session: SessionId
  readonly time: number
  readonly location: Location
}
export interface DeleteSession {
  readonly kind: "delete-session"
  readonly session: SessionId
}
export interface Contribute {
  readonly kind: "contribute"
  readonly session: SessionId
  readonly time: number
  readonly fact: ContributedFact
  /** Whose memory the facts of a published history become, in the same commit (HI5); nobody's unless given. */
  readonly project?: ProjectPlace
  /** Whether a published history is refused where its range no longer holds what its fingerprint says (HI4). */
  readonly ifUnchanged?: boolean
  /** What is raised in the same commit: that the boundary may move behind a published history (HI5). */
  readonly raises?: readonly FactOf<"signal.raised">[]
}
export interface Admit {
  readonly kind: "admit"
  readonly session: SessionId
  readonly time: number
  readonly prompt: PromptId
  readonly text: string
  /** Their bytes are among `blobs`. */
  readonly images?: readonly Media[]
  /** What is stored of them is among `blobs`, too. */
  readonly calls?: readonly AdmittedCall[]
  readonly blobs?: readonly BlobWrite[]
  /** The hash of what was given, where this is not it (PR2). */
  readonly given?: string
  readonly delivery: Delivery
  /** It is the answer to what is asked: every open ask is declined in the same commit (PE6). */
  readonly declines?: boolean
  /** What was said before about it is looked up when it is promoted (NT2). */
  readonly sidekick?: boolean
  /** Who would lead: gets the lease with the admission if the Session is free and the prompt pending. */
  readonly leads?: LeaseOwner
}
export interface EditPrompt extends Omit<CancelPrompt, "kind"> {
  readonly kind: "edit-prompt"
  readonly text: string
}
export interface CancelPrompt {
  readonly kind: "cancel-prompt"
  readonly session: SessionId
  readonly time: number
  readonly prompt: PromptId
}
/** DR3. Without a holder it only withdraws open asks. */
export interface Interrupt {
  readonly kind: "interrupt"
  readonly session: SessionId
  readonly time: number
}
/** Grants a free Session (`toSettle`: with something open, DR4), or one whose holder is dead at this token and beat. */
export interface Acquire {
  readonly kind: "acquire"
  readonly session: SessionId
  readonly owner: LeaseOwner
  readonly dead: { readonly token: number; readonly beat: number } | null
  readonly toSettle?: boolean
}
export interface Renew {
  readonly kind: "renew"
  readonly session: SessionId
  readonly token: number
}
/** `whenIdle` releases only if no input is pending, in the same transaction. */
export interface Release {
  readonly kind: "release"
  readonly session: SessionId
  readonly token: number
  readonly whenIdle: boolean
}
/** The commit of a drain. */
export interface Append {
  readonly kind: "append"
  readonly session: SessionId
  readonly time: number
  readonly token: number
  readonly facts: readonly Fact[]
  readonly blobs: readonly BlobWrite[]
  /**
   * Refused with `interrupted` if a `session.interrupted` lies above this sequence. Null for
   * commits that settle what already happened; they pass.
   */
  readonly interruptedAbove: number | null
  /**
   * Refused with `stale` unless these prompts are still pending with exactly these bodies:
   * an edit or a cancel may have come between planning and commit. So is an append that ends an ask
   * which is not open any more.
   */
  readonly promotes: readonly { readonly prompt: PromptId; readonly bodySeq: Seq }[]
  /**
   * Refused with `stale` unless the log still ends here: facts that name sequences of their own
   * commit (a reduction that keeps input promoted with it) were planned for exactly this place.
   */
  readonly followsSeq: number | null
  /** Refused with `stale` if a `session.moved` lies above this sequence: it was planned for another place (EP9). */
  readonly movedAbove: number | null
  /** Scratch rows of the turn that end with this commit (by part index), or all of them. */
  readonly clearsScratch: "all" | readonly number[]
  readonly release: "keep" | "always" | "when-idle"
}
export interface Checkpoint {
  readonly kind: "checkpoint"
  readonly session: SessionId
  readonly time: number
  readonly token: number
  readonly turn: TurnId
  readonly parts: readonly ScratchPiece[]
}

export type Command =
  | OpenLocation
  | CreateSession
  | ForkSession
  | ImportSession
  | MoveSession
  | DeleteSession
  | SettleJob
  | ProjectCommand
  | Contribute
  | Admit
  | EditPrompt
  | CancelPrompt
  | Interrupt
  | Acquire
  | Renew
  | Release
  | Append
  | Checkpoint
  | NamedLeaseCommand
  | SearchCommand

export type SessionMissing = { readonly kind: "no-session" }

/** Asks ended with the command: the types of all that it put on record. Absent where there were none. */
interface WithAsks {
  readonly facts?: readonly FactType[]
}

export interface Outcomes extends ProjectOutcomes, NamedLeaseOutcomes, SearchOutcomes {
  "open-location": { readonly kind: "opened" }
  "create-session":
    | { readonly kind: "created"; readonly seq: Seq }
    /** The same was asked for before. */
    | { readonly kind: "repeated"; readonly row: SessionRow }
    | { readonly kind: "conflict" }
  "fork-session":
    | { readonly kind: "forked"; readonly row: SessionRow; readonly repeated: boolean }
    | { readonly kind: "conflict" }
    | { readonly kind: "no-message" }
    | { readonly kind: "unsettled" }
    /** The source is not there. */
    | SessionMissing
  "import-session":
    | {
        readonly kind: "imported"
        readonly change: "created" | "extended" | "same" | "older"
        readonly row: SessionRow
      }
    /** The log that is here went another way behind a sequence; `way` tells theirs from any other. */
    | { readonly kind: "diverged"; readonly common: number; readonly way: Uint8Array }
    | { readonly kind: "held"; readonly lease: Lease }
    /** Its facts do not fit each other. */
    | { readonly kind: "refused"; readonly problem: string }
  "move-session":
    | ({ readonly kind: "moved"; readonly seq: Seq } & WithAsks)
    /** It is there already. */
    | { readonly kind: "unmoved" }
    | SessionMissing
  "delete-session":
    | { readonly kind: "deleted" }
    | SessionMissing
    | { readonly kind: "held"; readonly lease: Lease }
  "settle-job": SettleJobOutcome
  contribute:
    | { readonly kind: "contributed"; readonly seq: Seq; readonly repeated: boolean }
    | { readonly kind: "refused"; readonly problem: "no-message" | "not-open" | "overtaken" }
    | SessionMissing
  admit:
    | ({
        readonly kind: "admitted"
        /** Where the log stood when this was said: at its admission, or later if it is repeated. */
        readonly seq: Seq
        readonly receipt: PromptReceipt
        readonly repeated: boolean
        readonly lease: Lease | null
      } & WithAsks)
    | { readonly kind: "conflict" }
    | SessionMissing
  "edit-prompt":
    | { readonly kind: "edited"; readonly receipt: PromptReceipt }
    | { readonly kind: "not-pending"; readonly state: "promoted" | "cancelled" }
    | { readonly kind: "no-prompt" }
    | SessionMissing
  "cancel-prompt":
    | { readonly kind: "cancelled"; readonly receipt: PromptReceipt }
    | { readonly kind: "not-pending"; readonly state: "promoted" | "cancelled" }
    | { readonly kind: "no-prompt" }
    | SessionMissing
  interrupt:
    | ({ readonly kind: "interrupted"; readonly seq: Seq } & WithAsks)
    | { readonly kind: "no-holder" }
    | SessionMissing
  acquire:
    | { readonly kind: "granted"; readonly lease: Lease }
    | { readonly kind: "held"; readonly lease: Lease }
    | { readonly kind: "settled" }
    | SessionMissing
  renew: { readonly kind: "renewed" } | { readonly kind: "lost" }
  release: { readonly kind: "released" } | { readonly kind: "pending" } | { readonly kind: "lost" }
  append:
    | { readonly kind: "appended"; readonly firstSeq: Seq; readonly lastSeq: Seq; readonly released: boolean }
    | { readonly kind: "lost" }
    | { readonly kind: "interrupted" }
    | { readonly kind: "stale" }
  checkpoint: { readonly kind: "kept" } | { readonly kind: "lost" }
}
export type OutcomeOf<C extends Command> = Outcomes[C["kind"]]

export interface Store extends SearchReads, MemoryReads, NamedLeaseReads, EmbeddingReads, JobReads {
  readonly commit: <C extends Command>(command: C) => Effect.Effect<OutcomeOf<C>, StoreFailure>

  /** A known Location by its canonical directory (CO3). */
  readonly location: (directory: string) => Effect.Effect<Location | null, StoreFailure>
  /** By directory, in the order of its bytes. */
  readonly locations: (list: LocationList) => Effect.Effect<readonly Location[], StoreFailure>
  readonly session: (id: SessionId) => Effect.Effect<SessionRow | null, StoreFailure>
  /** Newest first. */
  readonly sessions: (list: SessionList) => Effect.Effect<readonly SessionRow[], StoreFailure>
  readonly window: (id: SessionId) => Effect.Effect<SessionWindow | null, StoreFailure>
  /** Durable events above `after`, in order, at most `limit`. Damaged rows are reported, not returned. */
  readonly events: (
    id: SessionId,
    after: number,
    limit: number,
  ) => Effect.Effect<{ readonly events: readonly Event[]; readonly damage: readonly Damage[] }, StoreFailure>
  /** The log as it is stored, above `after` and up to `through`, at most `limit`. Fails at the first damaged row: a copy would hide it. */
  readonly records: (
    id: SessionId,
    after: number,
    through: number,
    limit: number,
  ) => Effect.Effect<readonly LogRecord[], StoreFailure>
  /** Up to where nothing of the log is open: no turn, and no call; null where there is no such Session. */
  readonly settledSeq: (id: SessionId) => Effect.Effect<number | null, StoreFailure>
  /** Room for what a command reads. Whoever opens it closes it. */
  readonly stage: () => Effect.Effect<StagedFile, StoreFailure>
  readonly messages: (id: SessionId, list: MessageList) => Effect.Effect<readonly Message[], StoreFailure>
  /** One message by its id, system messages too; null if this Session has none of it. */
  readonly message: (id: SessionId, message: MessageId) => Effect.Effect<Message | null, StoreFailure>
  /** By the sequence at which they started; all of them without a list. */
  readonly turns: (id: SessionId, list?: SequenceList) => Effect.Effect<readonly StoredTurn[], StoreFailure>
  readonly inbox: (id: SessionId) => Effect.Effect<readonly AdmittedPrompt[], StoreFailure>
  /** Open asks of one Session or, for null, of all, in the order in which they were raised. */
  readonly asks: (id: SessionId | null) => Effect.Effect<readonly OpenAsk[], StoreFailure>
  /** How many prompts and notices of all Sessions wait for their promotion. */
  readonly pendingInputs: () => Effect.Effect<number, StoreFailure>
  readonly prompt: (id: PromptId) => Effect.Effect<PromptRow | null, StoreFailure>
  readonly lease: (id: SessionId) => Effect.Effect<Lease | null, StoreFailure>
  /** What any Session learned last of a model's window, at or after a moment; null if none did (TU5). */
  readonly learnedWindow: (model: ModelRef, sinceMs: number) => Effect.Effect<number | null, StoreFailure>
  /** Null if nothing has that hash, or its bytes are gone. */
  readonly blob: (hash: string) => Effect.Effect<Uint8Array | null, StoreFailure>
  /** What recovery looks at: an open turn, an open call, a lease, a job, or policy `continue` with work due. */
  readonly unsettled: () => Effect.Effect<readonly SessionId[], StoreFailure>
  /** Reads everything, verifies checksums, and compares projections with a rebuild. */
  readonly inspect: () => Effect.Effect<StoreReport, StoreFailure>
  /** Writes the projections of all Sessions anew from the log. */
  readonly rebuild: () => Effect.Effect<void, StoreFailure>

  /** Calls back after each commit that advanced a Session (or deleted it: seq 0), until what it returns is called.
   *  Register before reading, re-query on wake, advance only by stored seq. */
  readonly onCommitted: (listener: (session: SessionId, seq: number) => void) => () => void
  readonly close: () => Effect.Effect<void, StoreFailure>
}
