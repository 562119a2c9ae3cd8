/**
 * The planned request: what the model would be sent next, segment by segment (PG3).
 *
 * It is what the next boundary would decide if it came now: pending input by the promotion rules,
 * a fresh look at the sources, the selection in force. Nothing is committed by asking. Tokens are
 * estimates, in the measure of the provider: by what it counted for the last request.
 */
import { Schema } from "effect"
import { PriceExpected } from "./fact/turn.ts"
import { SessionId, TurnId } from "./id.ts"
import { RecallStatus, ShownCompartment } from "./instance/window.ts"
import { Accuracy, ModelRef } from "./model.ts"
import { Break, Reason, SegmentName } from "./turn.ts"

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/**
 * What a block of a request says, the same on every wire. A wire that keeps an answer in one block
 * has `call` for one with calls and `text` for any other; one that keeps images with the words beside
 * them has `image`.
 */
export const BlockKind = Schema.Literals([
  "tool",
  "system",
  "text",
  "notice",
  "image",
  "reasoning",
  "call",
  "result",
  "hosted",
])
export type BlockKind = typeof BlockKind.Type

export const RequestBlock = Schema.Struct({
  role: Schema.NullOr(Schema.Literals(["user", "assistant", "system"])),
  kind: BlockKind,
  tokens: count,
  hash: Schema.String,
  /** The block as the provider gets it, as JSON, with the hash of an image in place of its bytes; only where it was asked for. */
  content: Schema.optionalKey(Schema.String),
})
export type RequestBlock = typeof RequestBlock.Type

export const RequestSegment = Schema.Struct({
  name: SegmentName,
  /** What it came from. */
  source: Schema.String,
  /** Why it is in the request. */
  why: Schema.String,
  tokens: count,
  /** Tokens of it that the provider is expected to read from its cache. */
  tokensCached: count,
  blocks: Schema.Array(RequestBlock),
})
export type RequestSegment = typeof RequestSegment.Type

const cost = Schema.NullOr(Schema.Finite)

export const PlannedRequest = Schema.Struct({
  session: SessionId,
  /** Null where no model can be found. */
  model: Schema.NullOr(ModelRef),
  /** Whether a turn would run now: input waits, or an answer is owed. */
  due: Schema.Boolean,
  /** Why it would not be sent, or null. */
  obstacle: Schema.NullOr(Reason),
  /** Identity of the request; equal to that of the turn it becomes. Null where nothing would be sent. */
  hash: Schema.NullOr(Schema.String),
  segments: Schema.Array(RequestSegment),
  /** What is sent beside the segments, as JSON: model, limits, how it is to reason. Only where content was asked for. */
  settings: Schema.optionalKey(Schema.String),
  tokens: count,
  tokensCached: count,
  /** Of the request before recall takes anything out, as a receipt tells it; absent where it takes nothing out. */
  tokensBefore: Schema.optionalKey(count),
  /** Images that the model would be shown; older ones may be named only (LL7). */
  images: count,
  /** Messages of the Session that are taken out of what models read (LL7). */
  quarantined: count,
  limit: Schema.NullOr(
    Schema.Struct({
      /** The window of the model. */
      contextTokens: count,
      /** Kept free for the answer. */
      outputTokens: count,
    }),
  ),
  /** Parts of the history that stand for messages which are not shown as they were, oldest first. */
  compartments: Schema.optionalKey(Schema.Array(ShownCompartment)),
  /** How far the next break is, and what waits for it; absent where nothing could be planned. */
  recall: Schema.optionalKey(RecallStatus),
  /** Dollars of its input; null where the price of the model is not known, absent where nothing could be planned. */
  costExpected: Schema.optionalKey(cost),
  /** Of its input, where the cache will be cold or the prefix breaks; null where neither is. */
  priceExpected: Schema.optionalKey(Schema.NullOr(PriceExpected)),
  /** Where this request would stop repeating the previous one. */
  break: Schema.NullOr(Break),
  /** The newest turn of the Session that broke, from the ledger. */
  lastBreak: Schema.NullOr(Schema.Struct({ turn: TurnId, ...Break.fields })),
  /** Dollars; null where the cost of a turn is not known. */
  cost: Schema.Struct({
    lastTurn: cost,
    session: cost,
    accuracy: Schema.Struct({ lastTurn: Accuracy, session: Accuracy }),
  }),
})
export type PlannedRequest = typeof PlannedRequest.Type
