/**
 * Refusals: what a provider that does not take a request may mean by it, and how it is told.
 *
 *   known words ──▶ too long: reduce, once more (TU5)
 *   words that name nothing else, and larger than the last request that was taken ──▶ perhaps too long: the same, once
 *   anything else ──▶ told, with what was added since the last request that was taken (LL7)
 *
 * A second try that is refused as well is not followed by a third, whoever resumes: what was cut for
 * nothing must not be cut again.
 */
import { Effect } from "effect"
import type { ProviderFailure } from "@holdfast/llm/wire"
import { imagesOf, type SizeRefusal } from "@holdfast/recall"
import type { StoreFailure } from "@holdfast/schema/error"
import { addedSinceTaken } from "@holdfast/schema/state/added"
import { modelKey } from "@holdfast/schema/state/state"
import type { Reason } from "@holdfast/schema/turn"
import type { TurnRecord } from "@holdfast/schema/turn-record"
import type { OpenedTurn } from "../boundary.ts"
import type { Lead } from "../lead.ts"
import { namesOtherCause } from "./other-cause.ts"
import { nameSuspects } from "./suspect.ts"

/** Why a request has to be reduced. */
export interface Refusal extends SizeRefusal {
  /** As it was told. */
  readonly reason: Reason
}

/** How far back a request that was taken is looked for. */
const turnsMax = 32
/** No model takes less: a request of fewer tokens was refused for something else. */
const suspectedTokensMin = 8_000
const unsaidCodes: ReadonlySet<string> = new Set(["invalid_request", "unknown"])

/** What the refusal says of the size of the request; null if nothing. */
export const findRefusal = Effect.fnUntraced(function* (
  { ports, session, loaded: { state } }: Lead,
  { started }: OpenedTurn,
  failure: ProviderFailure,
): Effect.fn.Return<SizeRefusal | null, StoreFailure> {
  // A body of too many bytes says nothing about a window of tokens.
  if (failure.code === "request_too_large") return { words: "", refusedTokens: 0, acceptedTokens: 0 }
  const known = failure.code === "context_overflow"
  const mayBe = unsaidCodes.has(failure.code) && failure.status !== null && !namesOtherCause(failure.message)
  if (!known && !mayBe) return null
  const turns = yield* newestTurns({ ports, session })
  const taken = lastTaken(turns, started)
  if (!known) {
    const shows = (addedSinceTaken(state.messages) ?? []).some((message) => imagesOf(message).length > 0)
    return shows ? null : suspectSize(turns, started)
  }
  const acceptedTokens = taken === null ? 0 : taken.reportedTokens
  return { words: failure.message, refusedTokens: started.request.tokensEstimated, acceptedTokens }
})

/** Those among which a request that was taken is looked for. */
export const newestTurns = ({ ports, session }: Pick<Lead, "ports" | "session">) =>
  ports.store.turns(session, { afterSeq: 0, beforeSeq: Number.MAX_SAFE_INTEGER, limit: turnsMax })

type Started = TurnRecord["started"]

/** Whether it may have been refused for its size, from the turns on record. */
export function suspectSize(turns: readonly TurnRecord[], started: Started): SizeRefusal | null {
  const refusedTokens = started.request.tokensEstimated
  const taken = lastTaken(turns, started)
  if (refusedTokens < suspectedTokensMin || refusedTokens <= (taken?.estimatedTokens ?? 0)) return null
  const since = turns.slice(taken === null ? 0 : taken.at + 1)
  const tried = since.some((turn) => turn.started.break?.reason.startsWith("cut_") === true)
  if (tried) return null
  return { suspected: true, words: "", refusedTokens, acceptedTokens: taken?.reportedTokens ?? 0 }
}

interface Taken {
  readonly at: number
  readonly estimatedTokens: number
  readonly reportedTokens: number
}

/** The newest request that this model took. */
export function lastTaken(turns: readonly TurnRecord[], { model }: Started): Taken | null {
  const at = turns.findLastIndex((turn) => modelKey(turn.started.model) === modelKey(model) && wasTaken(turn))
  const turn = turns[at]
  if (turn === undefined) return null
  return { at, estimatedTokens: turn.started.request.tokensEstimated, reportedTokens: reportedOf(turn) }
}

/** Answered, or broken off in the middle of an answer. */
const wasTaken = (turn: TurnRecord): boolean =>
  reportedOf(turn) > 0 &&
  (turn.settled?.status === "interrupted" || turn.settled?.ledger.attempts.at(-1)?.failure === null)

function reportedOf({ settled }: TurnRecord): number {
  // That of one request: a row holds all attempts together.
  const usage = settled?.ledger.attempts.at(-1)?.usage
  return usage === undefined ? 0 : usage.input + usage.cacheRead + usage.cacheWrite
}

/** The reason of a turn that failed, with what to do about it. */
export function toldRefusal(
  { session, loaded: { state } }: Lead,
  { placed, started }: OpenedTurn,
  { code, message }: ProviderFailure,
  reduced: boolean,
): Reason {
  if (code === "context_overflow" && reduced) {
    const { tokensEstimated } = started.request
    const again = `It was cut to about ${tokensEstimated} tokens before. Choose a model with a larger window, or ask for a further cut: holdfast fold ${session}`
    return { code, message: `${message} ${again}` }
  }
  return nameSuspects({ code, message }, { session, images: placed.holes.length, messages: state.messages })
}
