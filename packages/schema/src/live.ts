/**
 * Live events: what happens right now in one instance. They are never stored, carry no sequence
 * and may be missed; durable events tell the same story in complete parts (TU3, EV4).
 *
 *   connected ──▶ activity of Sessions and terminals, a heartbeat where nothing happens ──▶ disposed | cut-off
 */
import { Schema } from "effect"
import { CallId, PtyId, SessionId, TurnId } from "./id.ts"
import { Reason } from "./turn.ts"

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const activity = <T extends string, F extends Schema.Struct.Fields>(type: T, fields: F) =>
  Schema.Struct({ session: SessionId, type: Schema.Literal(type), ...fields })

const streamed = { turn: TurnId, index: count }

/** `offset`: where in its part it begins, in UTF-16 code units, as JavaScript counts them. */
const piece = { text: Schema.String, offset: count }

const terminal = <T extends string>(type: T) => Schema.Struct({ type: Schema.Literal(type), pty: PtyId })

/** Activity of this instance: of one Session, or of one terminal (EV5). */
export const LiveEvent = Schema.Union([
  activity("text-delta", { ...streamed, ...piece }),
  activity("reasoning-delta", { ...streamed, ...piece }),
  /** What a part said before its reader came; only at the beginning of a stream of one Session (EV2). */
  activity("open-part", { ...streamed, part: Schema.Literals(["text", "reasoning"]), text: Schema.String }),
  activity("call-delta", { ...streamed, name: Schema.String }),
  activity("output-delta", { call: CallId, text: Schema.String }),
  /** The attempt is made again: text shown since it began is void. */
  activity("attempt-failed", { turn: TurnId, reason: Reason, waitMs: count }),
  /** `owing`: whether an input is left without an answer (PR8); null where the process cannot know. */
  activity("drain-end", {
    status: Schema.String,
    reason: Schema.NullOr(Reason),
    owing: Schema.NullOr(Schema.Boolean),
  }),
  /** This instance has put facts of these types on record, each named once; durable events tell them. */
  activity("committed", { facts: Schema.Array(Schema.String) }),
  terminal("pty-opened"),
  /** Its program has ended; what it put out can still be read. */
  terminal("pty-exited"),
  terminal("pty-closed"),
])
export type LiveEvent = typeof LiveEvent.Type

/** Life of the stream itself; only the live stream carries it (EV4). */
const LifecycleEvent = Schema.Union([
  Schema.Struct({ type: Schema.Literal("connected") }),
  Schema.Struct({ type: Schema.Literal("heartbeat") }),
  /** The instance closes; nothing follows. */
  Schema.Struct({ type: Schema.Literal("disposed") }),
])

/** EV2: the reader was too far behind; nothing follows. */
const CutOff = Schema.Struct({ type: Schema.Literal("cut-off"), reason: Reason })

/** Everything that `events.subscribe` sends. */
export const LiveStreamEvent = Schema.Union([LiveEvent, LifecycleEvent, CutOff])
export type LiveStreamEvent = typeof LiveStreamEvent.Type
