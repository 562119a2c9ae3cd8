/**
 * Ids. All are opaque: order in a Session is its sequence, never an id or a clock (PR6).
 *
 * The runtime makes `prefix_` + 20 characters of base 32 (100 random bits). A prompt id may be
 * chosen by the caller, to make admission idempotent (PR2), so its alphabet is wider.
 */
import { Schema } from "effect"

const made = (prefix: string, brand: string) =>
  Schema.String.check(
    Schema.isPattern(new RegExp(`^${prefix}_[0-9a-z]{1,40}$`), {
      expected: `an id like ${prefix}_… (${brand})`,
    }),
  )

export const SessionId = made("ses", "SessionId").pipe(Schema.brand("SessionId"))
export type SessionId = typeof SessionId.Type

export const MessageId = made("msg", "MessageId").pipe(Schema.brand("MessageId"))
export type MessageId = typeof MessageId.Type

export const TurnId = made("trn", "TurnId").pipe(Schema.brand("TurnId"))
export type TurnId = typeof TurnId.Type

/** Our own id of a call. Providers repeat theirs; tools get this one as idempotency key. */
export const CallId = made("call", "CallId").pipe(Schema.brand("CallId"))
export type CallId = typeof CallId.Type

export const PromptId = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/, {
    expected: "a prompt id: 1 to 128 of letters, digits and . _ : -, starting with a letter or digit",
  }),
).pipe(Schema.brand("PromptId"))
export type PromptId = typeof PromptId.Type

/** Follows from what the notice tells of, so that it is admitted once. */
export const NoticeId = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,199}$/, { expected: "a notice id" }),
).pipe(Schema.brand("NoticeId"))
export type NoticeId = typeof NoticeId.Type

export const AskId = made("ask", "AskId").pipe(Schema.brand("AskId"))
export type AskId = typeof AskId.Type

export const SignalId = made("sig", "SignalId").pipe(Schema.brand("SignalId"))
export type SignalId = typeof SignalId.Type

export const PtyId = made("pty", "PtyId").pipe(Schema.brand("PtyId"))
export type PtyId = typeof PtyId.Type

/** Position of an event in its Session's log: 1, 2, 3 … without gaps. */
export const Seq = Schema.Int.check(Schema.isGreaterThan(0))
export type Seq = typeof Seq.Type

export type IdPrefix = "ses" | "msg" | "trn" | "call" | "prm" | "ask" | "sig" | "pty"

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
const idLength = 20

/** A fresh id from 20 random bytes; the caller owns the randomness. */
export function idFromBytes(prefix: IdPrefix, bytes: Uint8Array): string {
  let text = `${prefix}_`
  for (let i = 0; i < idLength; i++) text += alphabet[(bytes[i] ?? 0) & 31]
  return text
}
