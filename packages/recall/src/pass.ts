/**
 * The planner: which pass the next request is, and what it freezes (PS1, PS2).
 *
 *   nothing changed, nothing is due  ──▶ Hold      the previous request, and what is new behind it
 *   tools, settings, a record or the
 *   form of one; an execute; `flush` ──▶ Refresh   system and History Baseline stay
 *   first, another model, a new
 *   Baseline, a cold cache, a Delta
 *   that is full, a cut              ──▶ Fold      all of it is stated anew
 *
 * Pure: encoding is handed in, no model is called (PS9). The kind follows from what changed, and
 * the encoded blocks are looked at as well: a Hold whose bytes break is told as what it is. Every
 * pass but a Hold is recorded with its reason (PS7), and whatever waits rides on it (PS4).
 */
import type { Encoded } from "@holdfast/llm/wire"
import type { Fact } from "@holdfast/schema/event"
import type { PassOp, SignalRaised } from "@holdfast/schema/fact/recall"
import type { Break, PassKind } from "@holdfast/schema/turn"
import { describeBreak, sameSegment } from "./break.ts"
import { coldShare, condense, type Condensed, isOverfull, sparedShareMin, waitsFor } from "./condense.ts"
import { budgetOf, ceilingTokens, fits, floorOf, historyRoom, removableOf, sizeTokens } from "./cut.ts"
import { tokensIn, usageShare } from "./cut.ts"
import { decide, type Decision, isFresh, isMidTurn, thresholdOf, waitShare } from "./decide.ts"
import { foldFrozen, type Refreshed, refreshFrozen, refreshMemory } from "./history/fold.ts"
import { uncoveredSpan } from "./history/publish.ts"
import { planImages } from "./images.ts"
import { cutAsAsked, cutDown } from "./last-tier.ts"
import { learnWindow } from "./learned-window.ts"
import { fitKeyFiles } from "./pinned.ts"
import type { Candidate, Otherwise, Pass, PassQuestion, PlannedPass } from "./question.ts"
import {
  breakCauses,
  type Breaking,
  broken,
  type BrokenPass,
  compactedWith,
  type OwnCause,
  prepared,
} from "./record.ts"
import { addsHistory, addsMemory, addsMuchMemory, isOutdated, newCompartments } from "./slots.ts"
import { owesBaseline, showsOldMemory, slotTokens } from "./slots.ts"

export function plan(asked: PassQuestion): PlannedPass {
  const { asIs, refusal, limits: believed, historian, mode, history } = asked
  const memory = fitKeyFiles(history.memory, believed.contextTokens)
  const question = { ...asked, history: { ...history, memory } }
  const learned = refusal === null ? null : learnWindow(refusal, believed)
  const limits = learned === null ? believed : { ...believed, contextTokens: learned }
  const imagesBefore = planImages(asIs.view.messages, asIs.view.frozen.imagesBefore)
  const named: readonly PassOp[] = imagesBefore === null ? [] : [{ op: "name-images", below: imagesBefore }]
  const candidate = prepared(asIs, named, question.causes.epochCause !== null, question)
  const encoded = candidate.encode(candidate.view)
  const usage = usageShare(encoded.tokens, limits)
  const fitting = refusal === null && fits(encoded.tokens, limits)
  const now: Now = {
    candidate,
    encoded,
    named,
    usage,
    kinds: new Set(question.signals.map(({ kind }) => kind)),
  }
  const cutting = () => ({ asIs: candidate, compacted: compactedWith(question, named), limits, learned })
  const pass = fitting
    ? less(proceed(question, now), now.kinds.has("fold") ? cutAsAsked(question, cutting(), encoded) : null)
    : cutDown(question, { ...cutting(), reason: reasonOf(refusal) }, encoded)
  const full = refusal !== null || usage >= waitShare
  const waits = pass.waits || (full && historian.running && !historian.waited && mode === "primary")
  return { ...pass, waits, otherwise: fitting && pass.applied !== null ? leftAsItIs(question, now) : null }
}

/** The request without anything that a pass does to it; it may break the prefix all the same. */
function leftAsItIs(question: PassQuestion, { encoded, named }: Now): Otherwise {
  const causes = breakCauses(question, encoded, { cut: named.length > 0 ? "images" : null })
  return { encoded, break: describeBreak(question.previous, encoded.blocks, causes) }
}

/** What a person asks for, unless what is due anyway takes out more. */
const less = (due: Pass, asked: Pass | null): Pass =>
  asked === null || due.encoded.tokens < asked.encoded.tokens ? due : asked

const reasonOf = (refusal: PassQuestion["refusal"]): "ceiling" | "overflow" | "refusal" =>
  refusal === null ? "ceiling" : refusal.suspected === true ? "refusal" : "overflow"

/** The request as it would be if nothing were done. */
interface Now {
  readonly candidate: Candidate
  readonly encoded: Encoded
  readonly named: readonly PassOp[]
  readonly usage: number
  readonly kinds: ReadonlySet<SignalRaised["kind"]>
}

/** What a pass that breaks the prefix does. */
interface Work {
  readonly held: PassKind
  readonly decision: Decision
  readonly condensed: Condensed | null
  readonly own: OwnCause
}

/** It fits: what is due is done, and else it repeats the last request. */
function proceed(question: PassQuestion, now: Now): Pass {
  const pass = proceedAt(question, now)
  const after = { ...now, usage: usageShare(pass.encoded.tokens, question.limits) }
  if (pass.kind === "hold" || after.usage <= now.usage) return pass
  // What a break adds may make an execute due: it is done with it, or the next request would break once more.
  const becomesDue =
    decisionOf(question, now).kind === "hold" && decisionOf(question, after).kind === "execute"
  return becomesDue ? proceedAt(question, after) : pass
}

function proceedAt(question: PassQuestion, now: Now): Pass {
  const { candidate, encoded, named, usage, kinds } = now
  const { history, limits, mode, historian } = question
  const decision = decisionOf(question, now)
  const causes = breakCauses(question, encoded, { cut: named.length > 0 ? "images" : null })
  const found = describeBreak(question.previous, encoded.blocks, causes)
  const held = kindOf(question, now, found)
  const asked = kinds.has("flush") || kinds.has("fold")
  if (held === "hold" && decision.kind !== "execute" && !asked) return hold(question, now, found, decision)
  const due = decision.kind !== "hold" && !leavesAll(decision, now)
  const extracts =
    !due || (historian.running && !historian.inline) ? "no" : historian.inline ? "yes" : "short"
  const budgetTokens = budgetOf(limits)
  const { view } = candidate
  const wanted =
    mode === "primary" ? condense({ view, encoded, limits, budgetTokens, usage, history, extracts }) : null
  const folds = held === "fold" || isIdle(decision)
  const doing = (condensed: Condensed | null): BrokenPass => {
    const work: Work = { held, decision, condensed, own: ownCause(question, now, decision, condensed, found) }
    return (folds ? null : refresh(question, now, work)) ?? fold(question, now, work)
  }
  const tried = doing(wanted)
  const fitting = fits(tried.encoded.tokens, limits)
  const spares = fitting && tried.encoded.tokens <= encoded.tokens * (1 - sparedShareMin)
  const plain = wanted === null || spares ? null : doing(null)
  // What rides on the pass may add more than what leaves: it would be added without that, too, but where nothing else breaks.
  const breaks = held !== "hold" || (plain !== null && !isVain(question, plain))
  const shrinks = plain === null || (fitting && breaks && tried.encoded.tokens < plain.encoded.tokens)
  const pass = shrinks ? tried : plain
  const cuts = wanted !== null && shrinks
  if (breaks || cuts || !isVain(question, pass)) return pass
  // What a historian published and has no room waits on, and is no news for a second record.
  const news = isFresh(candidate.view.messages, question.executedSeq) || pass.applied.consumes.length > 0
  return news ? inVain(now, pass) : hold(question, now, found, decision)
}

/** Whether a Refresh does nothing that a break is for: a list of steps is anchored, and memory told, where something else breaks. */
function isVain({ signals }: PassQuestion, { kind, applied }: BrokenPass): boolean {
  const asks = signals.some((one) => one.kind !== "execute" && applied.consumes.includes(one.signal))
  return kind === "refresh" && !asks && applied.ops.every(({ op }) => op === "anchor-todo")
}

/** An execute that finds nothing to do is recorded, and changes no byte: memory that waits does not break anything by itself (PS4, PS7). */
function inVain({ candidate, encoded }: Now, pass: BrokenPass): BrokenPass {
  const applied = { ...pass.applied, ops: [], slots: null, tokensAfter: encoded.tokens }
  return { ...pass, encoded, frozen: candidate.view.frozen, break: null, applied, records: [applied] }
}

const decisionOf = (
  { limits, idle, mode, executedSeq, history }: PassQuestion,
  { candidate, usage, kinds }: Now,
): Decision =>
  decide({
    usage,
    threshold: thresholdOf(limits.executeShare),
    idleMs: idle.ms,
    lifetimeMs: idle.lifetimeMs,
    midTurn: isMidTurn(candidate.view.messages),
    fresh: isFresh(candidate.view.messages, executedSeq) || waitsFor(candidate.view, history),
    signals: kinds,
    mode,
  })

const isIdle = (decision: Decision): boolean => decision.kind === "execute" && decision.reason === "idle"

/** The previous request, and what is new behind it. An execute that is put off is stored once (PS8). */
function hold(question: PassQuestion, now: Now, found: Break | null, decision: Decision): Pass {
  const { candidate, encoded, kinds, usage } = now
  const raises = decision.kind === "put-off" && !kinds.has("execute")
  const records: readonly Fact[] = raises
    ? [
        {
          type: "signal.raised",
          signal: question.newSignal(),
          kind: "execute",
          detail: { usage: Math.round(usage * 1_000) / 1_000 },
        },
      ]
    : []
  const { frozen } = candidate.view
  const common = { encoded, frozen, learned: null, break: found, endsEpoch: false, waits: false }
  return { kind: "hold", ...common, applied: null, records }
}

/** What is put off is done where something else breaks the prefix. */
function dueTo(decision: Decision): "threshold" | "forced" | "idle" | null {
  if (decision.kind === "hold") return null
  return decision.kind === "put-off" || decision.reason === "deferred" ? "threshold" : decision.reason
}

/** What of a break is our own doing. */
function ownCause(
  { history }: PassQuestion,
  { named, kinds, candidate }: Now,
  decision: Decision,
  condensed: Condensed | null,
  found: Break | null,
): OwnCause {
  const cut = dueTo(decision)
  if (condensed !== null && cut !== null) return { cut }
  const { slots } = candidate.view.frozen
  const edited = showsOldMemory(slots, history.memory) ? "memory_changed" : null
  const outdated = isOutdated(slots, history.compartments)
  // A flush never folds: where a cold cache does, that is what it is.
  const asked = kinds.has("flush") && cut !== "idle" ? "flush" : kinds.has("fold") ? "asked" : null
  // What broke the request as it was may be undone by what this pass takes out of it.
  const first = cut === null ? (found?.reason ?? null) : `execute_${cut}`
  const work = outdated ? "history_changed" : (edited ?? asked ?? first)
  return { cut: named.length > 0 ? "images" : null, work }
}

/** The Delta is rendered anew; null where all of the history has to be. */
function refresh(
  question: PassQuestion,
  now: Now,
  { held, condensed, own, decision }: Work,
): BrokenPass | null {
  const { candidate, named, kinds, encoded } = now
  const { view } = candidate
  const { history } = question
  const gone = condensed === null ? [] : goneBelow(candidate, condensed)
  const moved =
    condensed === null
      ? refreshMemory(view, history)
      : refreshFrozen({ view, below: condensed.below, kept: condensed.newest, gone, history })
  const flushes = kinds.has("flush")
  const breaks = held !== "hold" || condensed !== null
  if (!flushes && mustFold(question, moved?.frozen.slots ?? view.frozen.slots, now, breaks)) return null
  const made = (by: Refreshed | null) =>
    broken(question, {
      pass: "refresh",
      candidate,
      frozen: by?.frozen ?? view.frozen,
      added: { ops: [...named, ...(by?.ops ?? [])], slots: by?.frozen.slots ?? null },
      causes: (pass) => breakCauses(question, pass, own),
      cause: decision.kind === "hold" ? (flushes ? "flush" : "refresh") : forcedOr("execute", decision),
      tokensBefore: encoded.tokens,
      endsEpoch: false,
      published: by?.published ?? [],
    })
  const pass = made(moved)
  // What is known of the project waits where there is no room for it (TU6).
  const waits = condensed === null && moved !== null && !fits(pass.encoded.tokens, question.limits)
  return waits ? made(null) : pass
}

const goneBelow = ({ view }: Candidate, { below, newest }: Condensed) =>
  removableOf(view, newest).filter(({ message: { seq } }) => seq < below)

/** HB3: the first compartments, a Delta that is full, or a fresh Baseline that was blocked and can be had now. */
function mustFold(
  question: PassQuestion,
  slots: Candidate["view"]["frozen"]["slots"],
  now: Now,
  breaks: boolean,
): boolean {
  if (slots === null) return false
  if (owesBaseline(slots)) {
    const replaced = compactedWith(question, now.named)
    if (replaced !== null && fits(replaced.encode(replaced.view).tokens, question.limits)) return true
  }
  if (breaks && addsMuchMemory(slots)) return true
  if (!addsHistory(slots) && !(breaks && addsMemory(slots))) return false
  if (addsHistory(slots) && slots.baseline === "") return true
  // What only memory makes too full waits as memory does.
  const judged = breaks ? slots : (now.candidate.view.frozen.slots ?? slots)
  return isOverfull(slotTokens(judged), budgetOf(question.limits))
}

/** All of the history is stated anew, with what was published since; it ends the Epoch if it takes in anything (EP7). */
function fold(question: PassQuestion, now: Now, work: Work): BrokenPass {
  const { candidate, encoded, named } = now
  const { limits, history, causes } = question
  const { slots } = candidate.view.frozen
  const takesIn = takesInNew(question, candidate, work.condensed)
  const owes = owesBaseline(slots)
  const ends = causes.epochCause === null && (owes || (takesIn && !isSwitch(question, work)))
  const compacted = ends ? compactedWith(question, named) : null
  const target = compacted ?? candidate
  const { view } = target
  const { condensed } = work
  const below = condensed?.below ?? view.frozen.from
  const kept = condensed?.newest ?? [...view.frozen.kept]
  const budgetTokens = budgetOf(limits)
  const floor = tokensIn(floorOf(encoded.blocks, view))
  const folded = (slotTokensMax: number) =>
    foldFrozen({
      view,
      frozen: view.frozen,
      below,
      kept,
      gone: condensed === null ? [] : goneBelow(target, condensed),
      added: [],
      history,
      budgetTokens,
      slotTokens: Math.max(0, Math.floor(slotTokensMax)),
      endsEpoch: compacted !== null || causes.epochCause !== null,
      blocked: ends && compacted === null,
    })
  const replaces = owes && compacted !== null && !takesIn
  const breaking = (
    frozen: Breaking["frozen"],
    from: Candidate,
    published: Breaking["published"],
  ): Breaking => ({
    pass: "fold",
    candidate: from,
    frozen,
    added: frozen,
    causes: (made) => ({
      ...breakCauses(question, made, work.own),
      ...(replaces && { epochCause: "compaction" }),
    }),
    cause: leavesAll(work.decision, now) ? "refresh" : forcedOr("fold", work.decision),
    ...(causes.first && { reason: "first" }),
    tokensBefore: encoded.tokens,
    endsEpoch: from === compacted,
    published: published ?? [],
  })
  const tried = (slotTokensMax: number) => {
    const { frozen, published } = folded(slotTokensMax)
    return broken(question, breaking(frozen, target, published))
  }
  const pass = tried(historyRoom(limits, budgetTokens, floor))
  if (fits(pass.encoded.tokens, limits)) return pass
  // The tail takes the room: then parts have what it leaves.
  const over = sizeTokens(pass.encoded.tokens, limits) - ceilingTokens(limits)
  const shorter = tried(slotTokens(pass.frozen.slots).baseline - over)
  if (fits(shorter.encoded.tokens, limits)) return shorter
  const least = tried(0)
  if (fits(least.encoded.tokens, limits)) return least
  return broken(question, breaking(candidate.view.frozen, candidate, []))
}

/** A cold cache alone takes nothing out of a window that is half empty: that would spare little and lose much. */
const leavesAll = (decision: Decision, { usage }: Now): boolean => isIdle(decision) && usage < coldShare

const forcedOr = (usual: "execute" | "fold", decision: Decision): "execute" | "fold" | "forced" =>
  decision.kind === "execute" && decision.reason === "forced" ? "forced" : usual

/** Whether compartments come in that the last Baseline did not hold. */
function takesInNew({ history }: PassQuestion, { view }: Candidate, condensed: Condensed | null): boolean {
  const below = condensed?.below ?? view.frozen.from
  const waiting = newCompartments(view.frozen.slots, history.compartments).some(({ toSeq }) => toSeq < below)
  if (waiting || condensed === null) return waiting
  const stays = new Set(condensed.newest)
  return view.messages.some(({ kind, seq }) => kind !== "system" && seq < below && !stays.has(seq))
}

/** Nothing but a switch of model, provider or agent. */
const isSwitch = ({ causes, previous }: PassQuestion, { held, decision }: Work): boolean =>
  held === "fold" &&
  decision.kind !== "execute" &&
  previous !== null &&
  (causes.modelChanged || causes.optionsChanged || causes.toolsChanged)

/** PS2, from what is known to have changed; the bytes have the last word on a Hold. */
function kindOf({ causes, previous, history }: PassQuestion, now: Now, found: Break | null): PassKind {
  const { slots } = now.candidate.view.frozen
  if (causes.first || causes.modelChanged || causes.epochCause !== null) return "fold"
  if (slots !== null && (slots.delta === "" || isOutdated(slots, history.compartments))) return "fold"
  if (showsOldMemory(slots, history.memory)) return "fold"
  if (uncoveredSpan(now.candidate.view.frozen, history) !== null) return "fold"
  // The first change says too little: behind changed tools, the agent prompt may have changed as well.
  const stays =
    found === null ||
    previous === null || // nothing says that it went
    standing.every((segment) => sameSegment(previous, now.encoded.blocks, segment))
  if (!stays) return "fold"
  const changed = causes.toolsChanged || causes.optionsChanged || causes.quarantined || now.named.length > 0
  return found !== null || changed ? "refresh" : "hold"
}

/** What a Refresh leaves as it is. */
const standing = ["system", "agent", "history-baseline"] as const
