/**
 * The planner: which pass the next request is, and what it freezes (PS1, PS2).
 *
 *   nothing changed            ──▶ Hold      the previous request, and what is new behind it
 *   tools, settings, a record
 *   or the form of one         ──▶ Refresh   system and History Baseline stay
 *   first, another model, a
 *   new Baseline, a cut        ──▶ Fold      all of it is stated anew
 *
 * Pure: encoding is handed in, no model is called (PS9). The kind follows from what changed, and
 * the encoded blocks are looked at as well: a Hold whose bytes break is told as what it is. Every
 * pass but a Hold is recorded with its reason (PS7).
 */
import { paramsHash } from "@holdfast/llm/blocks"
import type { Block, Encoded } from "@holdfast/llm/wire"
import type { Fact, FactOf } from "@holdfast/schema/event"
import type { PassOp } from "@holdfast/schema/fact/recall"
import type { SignalId } from "@holdfast/schema/id"
import { type Frozen, frozenOf, inWindow } from "@holdfast/schema/state/frozen"
import type { Break, PassKind } from "@holdfast/schema/turn"
import { type BreakCauses, breakReason, describeBreak, sameSegment } from "./break.ts"
import {
  budgetOf,
  cutShares,
  type FloorItem,
  fits,
  floorOf,
  planCut,
  sizeTokens,
  type WindowLimits,
} from "./cut.ts"
import type { KnownHistory, Published } from "./history/publish.ts"
import { planImages } from "./images.ts"
import { learnWindow, type SizeRefusal } from "./learned-window.ts"
import type { HistoryView } from "./render.ts"
import { owedUpdates, settleUpdates } from "./slots.ts"

/** A history that the next request could show, and its bytes. */
export interface Candidate {
  readonly view: HistoryView
  readonly encode: (view: HistoryView) => Encoded
}

export interface PassQuestion {
  readonly asIs: Candidate
  /** The same with the Epoch ended here; null where a replacement is blocked (EP8). */
  readonly compacted: () => Candidate | null
  readonly limits: WindowLimits
  readonly history: KnownHistory
  /** The provider said that the last request was too long: this one is cut whatever the estimate says. */
  readonly refusal: SizeRefusal | null
  /** Signals by which a person asks for a cut; they end with this pass. */
  readonly asked: readonly SignalId[]
  /** Blocks of the previous request; null if it is not known or there was none. */
  readonly previous: readonly Block[] | null
  readonly causes: PassCauses
}

/** What changed since the previous request, as far as it is known before anything is rendered. */
export interface PassCauses extends Omit<BreakCauses, "paramsChanged" | "cut"> {
  /** There is no previous request. */
  readonly first: boolean
  /** Hash of the settings of the previous request; null if there was none. */
  readonly previousParams: string | null
}

export type Pass =
  | {
      readonly kind: PassKind
      readonly encoded: Encoded
      readonly frozen: Frozen
      /** The record of it; null for a Hold. */
      readonly applied: FactOf<"pass.applied"> | null
      /** All that is stored with it: compartments of what a cut takes out, and the record itself. */
      readonly records: readonly Fact[]
      /** Whether the Epoch ends with it (EP7). */
      readonly endsEpoch: boolean
      /** The window to believe in from now on; null if nothing was learned (TU5). */
      readonly learned: number | null
      readonly break: Break | null
    }
  | {
      readonly kind: "stuck"
      readonly encoded: Encoded
      readonly applied: null
      readonly records: readonly []
      readonly learned: null
      /** What cannot be reduced. */
      readonly floor: readonly FloorItem[]
      readonly break: Break | null
    }

export function plan(question: PassQuestion): Pass {
  const { asIs, refusal, asked, limits: believed } = question
  const learned = refusal === null ? null : learnWindow(refusal, believed)
  const limits = learned === null ? believed : { ...believed, contextTokens: learned }
  const imagesBefore = planImages(asIs.view.messages, asIs.view.frozen.imagesBefore)
  const named: readonly PassOp[] = imagesBefore === null ? [] : [{ op: "name-images", below: imagesBefore }]
  const candidate = prepare(asIs, named, question.causes.epochCause !== null)
  const encoded = candidate.encode(candidate.view)
  const fitting = refusal === null && fits(encoded.tokens, limits)
  if (fitting && asked.length === 0) return keep(question, candidate.view, encoded, named)
  const cutting = { asIs: candidate, compacted: compactedWith(question, named), learned }
  if (!fitting) {
    const reason = refusal === null ? "ceiling" : refusal.suspected === true ? "refusal" : "overflow"
    const found = cut(question, { ...cutting, limits, reason }, encoded)
    if (found.kind !== "stuck" || reason !== "refusal") return found
    return lessThan(question, { ...cutting, limits: believed, reason }, encoded) ?? found
  }
  const wanted: Cutting = { ...cutting, limits: halved(encoded.tokens, limits), reason: "asked" }
  const found = cut(question, wanted, encoded)
  if (found.kind !== "stuck") return found
  // It fits as it is: that nothing of it can go is no reason to fail.
  return lessThan(question, { ...wanted, limits }, encoded) ?? keep(question, candidate.view, encoded, named)
}

/** A cut that is only a guess, or a wish, has to be worth the break. */
const worthShare = 0.25

/** The newest input alone is larger than what was aimed at: the rest goes, if that is worth it. */
function lessThan(question: PassQuestion, cutting: Cutting, before: Encoded): Pass | null {
  const contextTokens = sizeTokens(before.tokens, cutting.limits) + cutting.limits.outputTokens
  const limits = { ...cutting.limits, contextTokens }
  const found = cut(question, { ...cutting, limits, learned: null }, before)
  const worth = found.encoded.tokens <= before.tokens * (1 - worthShare)
  return found.kind !== "stuck" && worth ? found : null
}

/** What a person asks to be cut: half of it goes, where the newest input leaves that much. */
const halved = (tokensEstimated: number, limits: WindowLimits): WindowLimits => ({
  ...limits,
  contextTokens: Math.floor(sizeTokens(tokensEstimated, limits) / 2) + limits.outputTokens,
})

/** Images over the bound are named, and under a fresh Baseline nothing of an earlier one is owed. */
function prepare(candidate: Candidate, named: readonly PassOp[], fresh: boolean): Candidate {
  const { frozen } = candidate.view
  const slots = fresh ? settleUpdates(frozen.slots) : frozen.slots
  if (named.length === 0 && slots === frozen.slots) return candidate
  return { ...candidate, view: frozenView(candidate.view, frozenOf([...frozen.ops, ...named], slots)) }
}

function compactedWith(question: PassQuestion, named: readonly PassOp[]): Candidate | null {
  const compacted = question.compacted()
  return compacted === null ? null : prepare(compacted, named, true)
}

/** A view under other frozen state. */
const frozenView = ({ messages }: HistoryView, frozen: Frozen): HistoryView => ({
  messages: messages.filter((message) => inWindow(message, frozen, 0)),
  frozen,
})

/** It fits: nothing of the history goes. */
function keep(question: PassQuestion, view: HistoryView, encoded: Encoded, named: readonly PassOp[]): Pass {
  const causes = breakCauses(question, encoded, named.length > 0 ? "images" : null)
  const found = describeBreak(question.previous, encoded.blocks, causes)
  const held = kindOf(question, encoded, found, named.length > 0)
  const kind = held === "hold" && question.asked.length > 0 ? "refresh" : held
  const common = { encoded, learned: null, break: found, endsEpoch: false, frozen: view.frozen }
  if (kind === "hold") return { kind, ...common, applied: null, records: [] }
  // A replacement that was blocked rides on the next break (TU6).
  const owes = owedUpdates(view.frozen.slots).length > 0
  const replaced = owes ? replaceEpoch(question, named, encoded.tokens) : null
  if (replaced !== null) return replaced
  const stated = kind === "fold" ? view.frozen : { ops: named, slots: null }
  const reason =
    held === "hold" ? "asked" : question.causes.first ? "first" : (found?.reason ?? breakReason(causes))
  const tokens = { before: encoded.tokens, after: encoded.tokens }
  const applied = passApplied(question, kind, reason, stated, tokens)
  return { kind, ...common, applied, records: [applied] }
}

function replaceEpoch(question: PassQuestion, named: readonly PassOp[], tokensBefore: number): Pass | null {
  const candidate = compactedWith(question, named)
  if (candidate === null) return null
  const encoded = candidate.encode(candidate.view)
  if (!fits(encoded.tokens, question.limits)) return null
  const causes = { ...breakCauses(question, encoded, null), epochCause: "compaction" }
  return folded(question, candidate.view.frozen, encoded, { causes, tokensBefore, endsEpoch: true })
}

interface Folding {
  readonly causes: BreakCauses
  readonly tokensBefore: number
  readonly endsEpoch: boolean
  readonly learned?: number | null
  readonly published?: readonly Published[]
}

function folded(
  question: PassQuestion,
  frozen: Frozen,
  encoded: Encoded,
  { causes, tokensBefore, endsEpoch, learned = null, published = [] }: Folding,
): Pass {
  const tokens = { before: tokensBefore, after: encoded.tokens }
  const applied = passApplied(question, "fold", breakReason(causes), frozen, tokens)
  const found = describeBreak(question.previous, encoded.blocks, causes)
  const records = [...published, applied]
  return { kind: "fold", encoded, frozen, endsEpoch, learned, break: found, applied, records }
}

const passApplied = (
  { asked }: PassQuestion,
  pass: "refresh" | "fold",
  reason: string,
  { ops, slots }: Pick<Frozen, "ops" | "slots">,
  tokens: { readonly before: number; readonly after: number },
): FactOf<"pass.applied"> => ({
  type: "pass.applied",
  pass,
  reason,
  ops,
  slots,
  consumes: asked,
  tokensBefore: tokens.before,
  tokensAfter: tokens.after,
})

interface Cutting {
  readonly asIs: Candidate
  readonly compacted: Candidate | null
  readonly limits: WindowLimits
  readonly learned: number | null
  /** What it is for. */
  readonly reason: "ceiling" | "overflow" | "refusal" | "asked"
}

/** It does not fit, was refused, or is asked for: one cut, as deep as it takes, that ends the Epoch where it can (TU6). */
function cut(question: PassQuestion, cutting: Cutting, before: Encoded): Pass {
  const { asIs, compacted, limits, learned, reason } = cutting
  const { view, encode } = compacted ?? asIs
  const endsEpoch = compacted !== null
  const { history } = question
  const guarded = reason === "ceiling"
  // What is aimed at may be less than the window; what history may take of it is not.
  const budgetTokens = budgetOf(question.limits)
  const blocks = compacted === null ? before.blocks : encode(view).blocks
  let floor: readonly FloorItem[] = []
  for (const share of reason === "overflow" ? [...cutShares, nothingStays] : cutShares) {
    const found = planCut({ view, blocks, limits, endsEpoch, history, budgetTokens, guarded }, share)
    if (found.kind === "stuck") {
      // Nothing to cut at this depth. A provider that refused less than we believe it takes needs a deeper one.
      floor = found.floor
      continue
    }
    const shown = frozenView(view, found.frozen)
    const encoded = encode(shown)
    floor = floorOf(encoded.blocks, shown)
    if (!fits(encoded.tokens, limits) || encoded.tokens >= before.tokens) continue
    const causes = breakCauses(question, encoded, reason)
    const { published } = found
    const folding = { causes, tokensBefore: before.tokens, endsEpoch, learned, published }
    return folded(question, found.frozen, encoded, folding)
  }
  const unchanged = breakCauses(question, before, null)
  const found = describeBreak(question.previous, before.blocks, unchanged)
  return { kind: "stuck", encoded: before, floor, break: found, applied: null, records: [], learned: null }
}

/** The last share, for a provider that said it is too long however little it seems to be: all old history goes. */
const nothingStays = 0

/** PS2, from what is known to have changed; the bytes have the last word on a Hold. */
function kindOf(
  { causes, previous }: PassQuestion,
  { blocks }: Encoded,
  found: Break | null,
  namesImages: boolean,
): PassKind {
  if (causes.first || causes.modelChanged || causes.epochCause !== null) return "fold"
  // The first change says too little: behind changed tools, the agent prompt may have changed as well.
  const stays =
    found === null ||
    previous === null || // nothing says that it went
    standing.every((segment) => sameSegment(previous, blocks, segment))
  if (!stays) return "fold"
  const changed = causes.toolsChanged || causes.optionsChanged || causes.quarantined || namesImages
  return found !== null || changed ? "refresh" : "hold"
}

/** What a Refresh leaves as it is. */
const standing = ["system", "agent", "history-baseline"] as const

const breakCauses = ({ causes }: PassQuestion, encoded: Encoded, cutReason: string | null): BreakCauses => ({
  ...causes,
  paramsChanged: causes.previousParams !== null && causes.previousParams !== paramsHash(encoded.params),
  cut: cutReason,
})
