/**
 * Summary: what lists, checks and recovery know of a Session without its history.
 *
 * The small half of the one fold: the store keeps it as the session row, the drain carries it in
 * its state, and both get it from `summarize` alone. Nothing here needs effect.
 *
 *   DR3  stopped: set by an interrupt, also by one that finds no holder and only withdraws asks;
 *        ended by the next input or turn
 *   PR8  owing: the newest promoted input has no turn that settled done, and no ask is open
 *        resumesFirst: a queued prompt waits for what is owed; not after an interrupt, and once
 *   PE3  asks: how many are open; while any is, nothing runs
 *   SS2  title: from the first prompt with words, unless a person said otherwise; turns have no part in it
 *   DR8  calls: the newest since somebody's words, to see a loop by
 *   DR9  budget: what it may spend; costKnown counts on where the cost is not known any more
 *   SS1  archived: until a prompt comes. What a fork copied was spent by its source, and counts there
 *   LL5  rhythm: how its requests follow each other, by which cached prefixes are given their life
 *   EP9  movedSeq: what was planned or found to block before it concerns another place
 */
import type { Budget } from "../fact/budget.ts"
import type { Event, FactOf } from "../event.ts"
import type {
  AllowRule,
  OnAsk,
  RestartPolicy,
  SessionKind,
  SessionOrigin,
  SessionParent,
  TitledBy,
  Waiting,
} from "../fact/session.ts"
import type { TurnId } from "../id.ts"
import type { Location } from "../location.ts"
import type { Accuracy, ModelRef, Usage } from "../model.ts"
import type { Break, Reason, TurnStatus } from "../turn.ts"
import { advanceCalls, type RecentCall } from "./recent-calls.ts"
import { answeredOnce, askedAgain, noRhythm, type Rhythm, warmedOnce } from "./rhythm.ts"
import { titleOf } from "./title.ts"
import { addSpent, knownCost, type Spent, spentBy, usageNone } from "./usage.ts"

export interface Summary {
  readonly seq: number
  readonly createdAt: number
  readonly updatedAt: number
  readonly kind: SessionKind
  readonly parent: SessionParent | null
  readonly origin: SessionOrigin | null
  readonly harness: string
  readonly location: Location
  readonly title: string | null
  readonly titledBy: TitledBy
  readonly model: ModelRef | null
  readonly agent: string
  readonly policy: RestartPolicy
  readonly onAsk: OnAsk
  readonly allow: readonly AllowRule[]
  readonly budget: Budget
  readonly archived: boolean
  /** Inputs admitted and not yet promoted or cancelled. */
  readonly pending: number
  /** Of these, notices that call for no turn of their own. */
  readonly quiet: number
  /** The newest promoted input has no turn that settled done. */
  readonly unanswered: boolean
  readonly owing: boolean
  /** What is owed goes before a queued prompt that wakes the Session. */
  readonly resumesFirst: boolean
  readonly asks: number
  readonly blocked: Reason | null
  /** Sequence of the newest word about `blocked`, 0 if there is none. */
  readonly blockedSeq: number
  readonly waiting: Waiting | null
  readonly openTurn: TurnId | null
  /** Calls on record without a settlement. */
  readonly openCalls: number
  readonly calls: readonly RecentCall[]
  readonly lastTurn: { readonly status: TurnStatus; readonly reason: Reason | null } | null
  /** Sequence of the newest session.interrupted, 0 if none. */
  readonly interruptedSeq: number
  /** Interrupted, with no input and no turn since (DR3). */
  readonly stopped: boolean
  /** Sequence of the newest session.moved, 0 if none. */
  readonly movedSeq: number
  /** Where the newest Epoch began, ended or not; 0 before the first. Older system messages are audit history (EP7). */
  readonly epochSeq: number
  /** The window begins here; what is kept from below it comes first. */
  readonly windowFrom: number
  readonly windowKept: readonly number[]
  /** End of what compartments cover; the next publication begins behind it. */
  readonly historyEnd: number
  readonly turns: number
  readonly usage: Usage
  /** Of usage and cost. */
  readonly accuracy: Accuracy
  /** Dollars; null once the cost of a turn is not known. */
  readonly cost: number | null
  /** Dollars that are known of: the cost, or the least that it can be. */
  readonly costKnown: number
  /** Of the newest settled turn. */
  readonly lastCost: number | null
  readonly lastAccuracy: Accuracy
  readonly lastBreak: (Break & { readonly turn: TurnId }) | null
  readonly rhythm: Rhythm
}

export const emptySummary: Summary = {
  seq: 0,
  createdAt: 0,
  updatedAt: 0,
  kind: "primary",
  parent: null,
  origin: null,
  harness: "",
  location: { directory: "/", projectRoot: "/" },
  title: null,
  titledBy: "runtime",
  model: null,
  agent: "",
  policy: "settle",
  onAsk: "wait",
  allow: [],
  budget: { tokens: null, money: null },
  archived: false,
  pending: 0,
  quiet: 0,
  unanswered: false,
  owing: false,
  resumesFirst: false,
  asks: 0,
  blocked: null,
  blockedSeq: 0,
  waiting: null,
  openTurn: null,
  openCalls: 0,
  calls: [],
  lastTurn: null,
  interruptedSeq: 0,
  stopped: false,
  movedSeq: 0,
  epochSeq: 0,
  windowFrom: 0,
  windowKept: [],
  historyEnd: 0,
  turns: 0,
  usage: usageNone,
  accuracy: "exact",
  cost: 0,
  costKnown: 0,
  lastCost: null,
  lastAccuracy: "exact",
  lastBreak: null,
  rhythm: noRhythm,
}

/** What others write commutes with what a drain writes; sequence and time only grow. */
export function summarize(summary: Summary, event: Pick<Event, "seq" | "time" | "fact">): Summary {
  const changed = change(summary, event)
  const { unanswered = summary.unanswered, asks = summary.asks } = changed
  const seq = Math.max(summary.seq, event.seq)
  const updatedAt = event.seq === seq ? event.time : summary.updatedAt
  const calls = advanceCalls(summary.calls, event.fact)
  return { ...summary, ...changed, seq, updatedAt, calls, owing: unanswered && asks === 0 }
}

function change(
  summary: Summary,
  { seq, time, fact }: Pick<Event, "seq" | "time" | "fact">,
): Partial<Summary> {
  switch (fact.type) {
    case "session.created": {
      const { type: _, budget = {}, ...said } = fact
      return { ...said, budget: { ...summary.budget, ...budget }, createdAt: time }
    }
    case "session.updated":
      return updated(summary, fact, seq)
    case "session.moved":
      return { location: fact.location, movedSeq: Math.max(summary.movedSeq, seq) }
    case "session.interrupted":
      return {
        interruptedSeq: Math.max(summary.interruptedSeq, seq),
        stopped: true,
        resumesFirst: false,
      }
    case "prompt.admitted":
      return { pending: summary.pending + 1, stopped: false, archived: false, ...titled(summary, fact.text) }
    case "notice.admitted":
      return { pending: summary.pending + 1, quiet: summary.quiet + (fact.wakes ? 0 : 1) }
    case "prompt.cancelled":
      return { pending: summary.pending - 1 }
    case "prompt.promoted":
      return { pending: summary.pending - 1, unanswered: true, resumesFirst: true }
    case "notice.promoted":
      return {
        pending: summary.pending - 1,
        quiet: summary.quiet - (fact.wakes ? 0 : 1),
        unanswered: true,
        resumesFirst: fact.wakes || summary.resumesFirst,
      }
    case "ask.raised":
      return { asks: summary.asks + 1 }
    case "ask.answered":
      return { asks: summary.asks - 1 }
    case "ask.withdrawn":
      return { asks: summary.asks - 1, stopped: summary.stopped || fact.cause === "interrupted" }
    case "epoch.started":
      return { epochSeq: seq }
    case "turn.started":
      return { ...started(summary, fact), rhythm: askedAgain(summary.rhythm, fact, time) }
    case "turn.settled":
      return { ...settled(summary, fact, seq), rhythm: answeredOnce(summary.rhythm, fact) }
    case "part.recorded":
      return fact.part.type === "call" ? { openCalls: summary.openCalls + 1 } : {}
    case "call.settled":
      return { openCalls: summary.openCalls - 1 }
    case "pass.applied": {
      const cut = fact.ops.findLast((op) => op.op === "cut")
      return cut === undefined ? {} : { windowFrom: cut.below, windowKept: cut.kept }
    }
    case "history.published":
      return { historyEnd: Math.max(summary.historyEnd, fact.toSeq) }
    case "revert.applied":
      return { unanswered: false, historyEnd: fact.historyEnd }
    case "cache.warmed":
      return {
        ...spend(summary, seq, spentOn(fact), fact.cost ?? 0),
        rhythm: warmedOnce(summary.rhythm, fact, time),
      }
    case "job.settled":
    case "request.probed":
      return spend(summary, seq, spentOn(fact), knownCost(fact))
    default:
      return {}
  }
}

const titled = ({ title, titledBy }: Summary, text: string): Partial<Summary> =>
  title === null && titledBy === "runtime" ? { title: titleOf(text) || null } : {}

function updated(summary: Summary, fact: FactOf<"session.updated">, seq: number): Partial<Summary> {
  const { type: _, fallback: __, budget, ...said } = fact
  return {
    ...said,
    ...(budget !== undefined && { budget: { ...summary.budget, ...budget } }),
    ...(said.blocked !== undefined && { blockedSeq: seq }),
  }
}

const spentOn = (fact: FactOf<"job.settled" | "cache.warmed" | "request.probed">): Spent => ({
  usage: fact.usage,
  accuracy: fact.type === "cache.warmed" ? "exact" : (fact.accuracy ?? "exact"),
  cost: fact.cost,
})

/** A fork, or a copy beside the Session that it shares a beginning with, spends nothing by what it copied. */
const spend = (summary: Summary, seq: number, spent: Spent, known: number): Partial<Summary> =>
  summary.origin !== null && seq <= summary.origin.seq
    ? {}
    : { ...addSpent(summary, spent), costKnown: summary.costKnown + known }

const started = (summary: Summary, fact: FactOf<"turn.started">): Partial<Summary> => ({
  turns: summary.turns + 1,
  openTurn: fact.turn,
  blocked: null,
  waiting: null,
  stopped: false,
  resumesFirst: fact.resumes === undefined ? summary.resumesFirst : fact.resumes === "asked",
  lastBreak: fact.break === null ? summary.lastBreak : { turn: fact.turn, ...fact.break },
})

const settled = (summary: Summary, fact: FactOf<"turn.settled">, seq: number): Partial<Summary> => {
  const spent = spentBy(fact)
  return {
    lastTurn: { status: fact.status, reason: fact.reason },
    openTurn: summary.openTurn === fact.turn ? null : summary.openTurn,
    unanswered: summary.unanswered && fact.status !== "done",
    waiting: null,
    ...spend(summary, seq, spent, knownCost(fact.ledger)),
    lastCost: spent.cost,
    lastAccuracy: spent.accuracy,
  }
}

/** Why nothing moves, unless the Session has moved to another place since (EP9). */
export const standingBlock = ({ blocked, blockedSeq, movedSeq }: Summary): Reason | null =>
  blockedSeq > movedSeq ? blocked : null

/** Whether a wake finds something to promote: notices that call for no turn wait for one, and asks hold all (PR5, PE6). */
export const isEligible = ({ pending, quiet, asks }: Summary): boolean => asks === 0 && pending > quiet

/** Whether a resume has something to do: a debt, or input that it promotes (PR8). */
export const hasWork = (summary: Summary): boolean => summary.owing || isEligible(summary)

/** Why a drain begins with a turn though nothing may be promoted: a resume asks for what is owed, or input waits behind it (PR8). */
export const goesOn = (summary: Summary, asked: boolean): "asked" | "woken" | null => {
  if (!summary.owing) return null
  if (asked) return "asked"
  return summary.resumesFirst && isEligible(summary) ? "woken" : null
}

/** Whether a restart has something to carry on with, unless it was interrupted (DR5). */
export const isDue = (summary: Summary): boolean => summary.policy === "continue" && hasWork(summary)

/** What recovery has to look at: a turn or a call that nobody settled. */
export const isOpen = ({ openTurn, openCalls }: Summary): boolean => openTurn !== null || openCalls > 0
