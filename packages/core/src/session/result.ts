/**
 * Result: what became of the newest input of a Session, as the one record that a headless run
 * ends with. It is read from the log, so it is the same after a restart and in every process; only
 * what could not be written is known to the process alone that led the Session.
 */
import { Effect } from "effect"
import type { StoreFailure } from "@holdfast/schema/error"
import type { Fact } from "@holdfast/schema/event"
import type { SessionId } from "@holdfast/schema/id"
import type { Message } from "@holdfast/schema/message"
import { addSpent, spentBy, spentNone } from "@holdfast/schema/model"
import type { DeclinedCall, RunResult } from "@holdfast/schema/run-result"
import type { SessionRow, Store, StoredTurn } from "@holdfast/store/port"
import type { Ended } from "./coordinator/slot.ts"
import { declinedIn } from "@holdfast/schema/state/declined"
import { newestInputs } from "@holdfast/schema/state/state"
import { deriveStatus, endOf } from "./status.ts"

export type { RunResult, RunStatus } from "@holdfast/schema/run-result"

export const runResult = Effect.fnUntraced(function* (
  store: Store,
  row: SessionRow,
  ended: Ended | null,
): Effect.fn.Return<RunResult, StoreFailure> {
  const { id: session } = row
  const [last] = yield* store.turns(session, { afterSeq: 0, beforeSeq: Number.MAX_SAFE_INTEGER, limit: 1 })
  const outcome = outcomeOf(ended, row, last)
  const waiting = isBeforeTurn(outcome, last) ? (yield* store.inbox(session)).at(-1) : undefined
  if (waiting !== undefined) {
    return { ...outcome, session, prompt: waiting.id, turns: 0, text: "", ...spentNone, model: null }
  }
  const messages = yield* sinceNewestInput(store, session)
  const firstInput = newestInputs(messages)[0] ?? 0
  const turns = yield* store.turns(session, { afterSeq: firstInput, limit: Number.MAX_SAFE_INTEGER })
  const spent = turns.map(({ settled }) => spentBy(settled)).reduce(addSpent, spentNone)
  const newest = messages.findLast((message) => message.kind === "user")
  const declined = yield* declinedSince(store, session, messages, firstInput)
  return {
    ...outcome,
    session,
    prompt: newest?.kind === "user" ? newest.prompt : null,
    turns: turns.length,
    text: finalText(messages),
    ...spent,
    model: turns.at(-1)?.started.model ?? null,
    ...(declined.length > 0 && { declined }),
  }
})

/** It ended before a turn: what was said and done belongs to the input before, and nothing to the one that waits. */
const isBeforeTurn = ({ status }: Pick<RunResult, "status">, last: StoredTurn | undefined): boolean =>
  unlessLast[status]?.includes(last?.settled?.status ?? "done") === false

/** Where the last turn ended so, the end is its own. */
const unlessLast: Readonly<Partial<Record<RunResult["status"], readonly string[]>>> = {
  asking: ["asking", "continue"],
  blocked: ["asking", "continue"],
  interrupted: ["asking", "continue", "failed", "interrupted"],
}

/** Since the newest input. The log is read only where a call was declined. */
const declinedSince = Effect.fnUntraced(function* (
  store: Store,
  session: SessionId,
  messages: readonly Message[],
  afterSeq: number,
): Effect.fn.Return<readonly DeclinedCall[], StoreFailure> {
  const isDeclined = (message: Message) =>
    message.kind === "assistant" &&
    message.seq > afterSeq &&
    message.parts.some(({ part }) => part.type === "call" && part.state === "declined")
  if (!messages.some(isDeclined)) return []
  const facts: Fact[] = []
  for (let after = afterSeq; ;) {
    const { events } = yield* store.events(session, after, eventsAtOnce)
    facts.push(...events.map(({ fact }) => fact))
    const last = events.at(-1)
    if (last === undefined) return declinedIn(facts)
    after = last.seq
  }
})

const eventsAtOnce = 512

/** How many of the last messages are read at first. */
const messagesAtFirst = 32

/** The last messages, at least from the newest input on: a result costs what came of it, not the Session. */
const sinceNewestInput = Effect.fnUntraced(function* (store: Store, session: SessionId) {
  for (let limit = messagesAtFirst; ; limit *= 4) {
    const list = { afterSeq: 0, beforeSeq: Number.MAX_SAFE_INTEGER, limit, system: true }
    const messages = yield* store.messages(session, list)
    const inputs = newestInputs(messages)
    const isWhole = inputs.length > 0 && inputs[0] !== messages[0]?.seq
    if (isWhole || messages.length < limit) return messages
  }
})

function outcomeOf(
  ended: Ended | null,
  row: SessionRow,
  last: StoredTurn | undefined,
): Pick<RunResult, "status" | "reason"> {
  const settled = last?.settled ?? null
  const end = ended?.end ?? { kind: "done" }
  if (end.kind !== "done" && !isOvertaken(ended, last)) return { status: end.kind, reason: end.reason }
  const { state, reason } = deriveStatus(row, false)
  // Ends that no turn tells: it was not begun, or whoever led it is gone (DR4).
  if (state === "asking" || state === "blocked" || state === "interrupted") return { status: state, reason }
  if (settled === null) {
    return { status: "failed", reason: { code: "no_turn", message: "No turn ran for this Session." } }
  }
  if (settled.status === "done") return { status: "done", reason: null }
  if (settled.status === "continue") {
    return {
      status: "interrupted",
      reason: { code: "unfinished", message: "The work is not finished. Resume to carry on." },
    }
  }
  const { status, reason: said } = settled
  return { status: status === "asking" ? status : endOf(status, said), reason: said }
}

/** Whoever led the Session after us has written what became of it. */
function isOvertaken(ended: Ended | null, last: StoredTurn | undefined): boolean {
  if (ended === null || last === undefined || last.settled === null) return false
  const lost = ended.end.kind === "failed" && ended.end.reason.code === "lease_lost"
  return lost || (ended.seq !== null && last.startedSeq > ended.seq)
}

function finalText(messages: readonly Message[]): string {
  const last = messages.at(-1)
  if (last?.kind !== "assistant") return ""
  return last.parts.flatMap(({ part }) => (part.type === "text" ? [part.text] : [])).join("\n\n")
}
