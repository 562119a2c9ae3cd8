/** Facts about Provider Turns, the parts of their answers, and calls. */
import { Schema } from "effect"
import { CallId, MessageId, Seq, TurnId } from "../id.ts"
import { CallOutcome, RecordedPart } from "../message.ts"
import { ModelRef } from "../model.ts"
import { Break, LedgerRow, LeftOut, PassKind, Reason, RequestRecord, TurnStatus } from "../turn.ts"
import { Todo } from "./todo.ts"
import { count, fact, SyntheticPart } from "./fact.ts"

/** Estimated from what is to be written, and what would have been read. */
export const PriceExpected = Schema.Struct({
  /** Dollars of the input; null where the price of the model is not known. */
  cost: Schema.NullOr(Schema.Finite),
  /** Dollars without what the pass did, had the cache held all of the request before. */
  costWarm: Schema.NullOr(Schema.Finite),
  /** Dollars without what the pass did, with the cache as it is: what would be sent otherwise. Null where nothing else could be sent, absent where the pass changed little. */
  costOtherwise: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
  /** Tokens that were sent before and are to be paid for again. */
  tokensAgain: count,
  /** `cold` where the cache has lapsed, also if the prefix breaks. */
  cause: Schema.Literals(["cold", "break"]),
})
export type PriceExpected = typeof PriceExpected.Type

export const TurnStarted = fact("turn.started", {
  turn: TurnId,
  message: MessageId,
  model: ModelRef,
  agent: Schema.String,
  endpoint: Schema.String,
  /** Hash of the tool definitions offered; their bytes are kept as a blob (TU1). */
  tools: Schema.String,
  /** Hash of the Model Request Options and limits, kept as a blob (TU1). */
  options: Schema.String,
  pass: PassKind,
  request: RequestRecord,
  /** The log as far as the plan had seen it; what others wrote above it is folded in after the turn. */
  seenSeq: count,
  /** Turns since the newest promoted input, this one included (DR7). */
  allowanceUsed: count,
  /** Goes on with what was left unanswered: as somebody asked, or ahead of a queued prompt that woke the Session (PR8). */
  resumes: Schema.optionalKey(Schema.Literals(["asked", "woken"])),
  /** What the boundary knew for the ledger: a turn that is killed keeps it (TU7). */
  break: Schema.NullOr(Break),
  cacheExpected: count,
  /** Of its input, before it is sent, where the cache will be cold or the prefix breaks; absent elsewhere. */
  priceExpected: Schema.optionalKey(PriceExpected),
})

export const PartRecorded = fact("part.recorded", {
  turn: TurnId,
  message: MessageId,
  index: count,
  part: RecordedPart,
  tokens: count,
})

export const CallStarted = fact("call.started", { turn: TurnId, message: MessageId, call: CallId })

/** What a call did to a file: enough to take it back where nobody touched it since (TL5). */
export const FileEffect = Schema.Struct({
  /** Canonical and absolute: a Session may move. */
  path: Schema.String,
  kind: Schema.Literals(["created", "modified", "deleted", "moved"]),
  /** Where it was moved from. */
  from: Schema.optionalKey(Schema.String),
  mode: Schema.NullOr(count),
  /** Hash of the blob with the bytes before; null where there were none. */
  before: Schema.NullOr(Schema.String),
  /** Hash of the bytes after; null where there are none. */
  after: Schema.NullOr(Schema.String),
})
export type FileEffect = typeof FileEffect.Type

/** Which version of a file a call read: the hash of all its bytes. */
export const SeenFile = Schema.Struct({ path: Schema.String, hash: Schema.String })
export type SeenFile = typeof SeenFile.Type

/** On record before the first file changes, so that after a kill the files tell what of it happened (DR4). */
export const CallPlanned = fact("call.planned", {
  turn: TurnId,
  message: MessageId,
  call: CallId,
  effects: Schema.Array(FileEffect),
})

export const CallSettled = fact("call.settled", {
  turn: TurnId,
  message: MessageId,
  call: CallId,
  outcome: CallOutcome,
  effects: Schema.Array(FileEffect),
  seen: Schema.optionalKey(Schema.Array(SeenFile)),
  /** The list of steps that takes the place of the one before. */
  todos: Schema.optionalKey(Schema.Array(Todo)),
  /** Reminders behind the output, outside its limit (ND1). */
  added: Schema.Array(SyntheticPart),
  tokens: count,
})

export const TurnSettled = fact("turn.settled", {
  turn: TurnId,
  status: TurnStatus,
  reason: Schema.NullOr(Reason),
  ledger: LedgerRow,
  /** Absent where nothing was. */
  leftOut: Schema.optionalKey(Schema.Array(LeftOut)),
})

/** A background command, from its start to its end; it ends with its runtime. */
export const CommandStarted = fact("command.started", {
  command: Schema.String,
  call: CallId,
  line: Schema.String,
  /** Where all of its output goes (TO3). */
  outputFile: Schema.optionalKey(Schema.String),
  /** Who runs it: enough for another process to find out whether that one is gone. */
  runtime: Schema.optionalKey(
    Schema.Struct({
      boot: Schema.String,
      space: Schema.String,
      pid: Schema.Int,
      start: Schema.String,
      instance: Schema.String,
    }),
  ),
})
export const CommandEnded = fact("command.ended", {
  command: Schema.String,
  cause: Schema.Literals(["exited", "killed", "runtime-ended"]),
  exitCode: Schema.NullOr(Schema.Int),
})

/** TL5: staged with what it would do, applied in one step, undone as a whole. */
export const RevertStaged = fact("revert.staged", {
  revert: Schema.String,
  /** The first message that goes, and where it stands. */
  message: MessageId,
  fromSeq: Seq,
  files: Schema.Array(
    Schema.Struct({ path: Schema.String, action: Schema.Literals(["restore", "remove", "conflict"]) }),
  ),
})
export const RevertApplied = fact("revert.applied", {
  revert: Schema.String,
  fromSeq: Seq,
  /** Compartments over messages that go, by their ids. Undone, the historian writes them anew. */
  withdraws: Schema.Array(Schema.String),
  /** End of what the others cover; 0 where none is left. */
  historyEnd: count,
})
export const RevertUndone = fact("revert.undone", { revert: Schema.String })
