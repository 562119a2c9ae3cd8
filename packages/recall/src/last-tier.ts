/**
 * The last tier: a request that does not fit, was refused, or that a person wants shorter (TU5, TU6).
 *
 * One cut, as deep as it takes, that ends the Epoch where it can. It needs no model, and is the only pass
 * that may be stuck: what cannot be reduced is named.
 */
import type { Encoded } from "@holdfast/llm/wire"
import { describeBreak } from "./break.ts"
import { sparedShareMin } from "./condense.ts"
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
import type { Candidate, Pass, PassQuestion } from "./question.ts"
import { breakCauses, broken, frozenView } from "./record.ts"

export interface Cutting {
  readonly asIs: Candidate
  readonly compacted: Candidate | null
  readonly limits: WindowLimits
  readonly learned: number | null
  /** What it is for. */
  readonly reason: "ceiling" | "overflow" | "refusal" | "asked"
}

/** It does not fit, or was refused. */
export function cutDown(question: PassQuestion, cutting: Cutting, before: Encoded): Pass {
  const found = cut(question, cutting, before)
  if (found.kind !== "stuck" || cutting.reason !== "refusal") return found
  return lessThan(question, { ...cutting, limits: question.limits }, before) ?? found
}

/** What a person asks to be cut; null if nothing worth the break can go. */
export function cutAsAsked(
  question: PassQuestion,
  cutting: Omit<Cutting, "reason">,
  before: Encoded,
): Pass | null {
  const found = cut(question, { ...cutting, reason: "asked" }, before)
  return found.kind === "stuck" ? null : found
}

/** A cut that is only a guess, or a wish, has to be worth the break: so much of the request goes, or of what it shows as it was. */
const worthShare = 0.25

/** The newest input alone is larger than what was aimed at: the rest goes, if that is worth it. */
function lessThan(question: PassQuestion, cutting: Cutting, before: Encoded): Pass | null {
  const contextTokens = sizeTokens(before.tokens, cutting.limits) + cutting.limits.outputTokens
  const limits = { ...cutting.limits, contextTokens }
  const found = cut(question, { ...cutting, limits, learned: null }, before)
  const worth = found.encoded.tokens <= before.tokens * (1 - worthShare)
  return found.kind !== "stuck" && worth ? found : null
}

/** What a person wants shorter shrinks to half beside what is told of history, where the newest input leaves that much. */
const askedShares = [0.5, ...cutShares] as const

function cut(question: PassQuestion, cutting: Cutting, before: Encoded): Pass {
  const { asIs, compacted, limits, learned, reason } = cutting
  const candidate = compacted ?? asIs
  const { view, encode } = candidate
  const endsEpoch = compacted !== null
  const { history } = question
  const guarded = reason === "ceiling"
  // What is aimed at may be less than the window; what history may take of it is not.
  const budgetTokens = budgetOf(question.limits)
  const blocks = compacted === null ? before.blocks : encode(view).blocks
  let floor: readonly FloorItem[] = []
  const asked = reason === "asked"
  const whole = asked ? { wholeTokens: before.tokens } : {}
  const mostTokens = asked ? wishedTokens(before) : before.tokens - 1
  for (const share of sharesFor(reason)) {
    const found = planCut(
      { view, blocks, limits, ...whole, endsEpoch, history, budgetTokens, guarded },
      share,
    )
    if (found.kind === "stuck") {
      // Nothing to cut at this depth. A provider that refused less than we believe it takes needs a deeper one.
      floor = found.floor
      continue
    }
    const shown = frozenView(view, found.frozen)
    const encoded = encode(shown)
    floor = floorOf(encoded.blocks, shown)
    if (!fits(encoded.tokens, limits) || encoded.tokens > mostTokens) continue
    return broken(question, {
      pass: "fold",
      candidate,
      frozen: found.frozen,
      added: found.frozen,
      causes: (made) => breakCauses(question, made, { cut: reason }),
      cause: "fold",
      tokensBefore: before.tokens,
      endsEpoch,
      learned,
      published: found.published,
    })
  }
  return stuck(question, floor)
}

/** What is worth a wish is judged by the tail alone: neither tools nor what is told of history is any shorter by a deeper cut. */
function wishedTokens({ blocks, tokens }: Encoded): number {
  const tail = blocks
    .filter(({ segment }) => segment === "tail")
    .reduce((sum, block) => sum + block.tokens, 0)
  return tokens - Math.max(tail * worthShare, tokens * sparedShareMin)
}

/**
 * Nothing is recorded, so what is told is the request as the log has it, not one that a pass began to prepare (TU1).
 * It is never sent; what it would have broken, and why, is the reason of the next one that is (TU7).
 */
function stuck(question: PassQuestion, floor: readonly FloorItem[]): Pass {
  const encoded = question.asIs.encode(question.asIs.view)
  const found = describeBreak(question.previous, encoded.blocks, breakCauses(question, encoded))
  return {
    kind: "stuck",
    encoded,
    floor,
    break: found,
    applied: null,
    records: [],
    learned: null,
    waits: false,
  }
}

const sharesFor = (reason: Cutting["reason"]): readonly number[] =>
  reason === "asked" ? askedShares : reason === "overflow" ? [...cutShares, nothingStays] : cutShares

/** The last share, for a provider that said it is too long however little it seems to be: all old history goes. */
const nothingStays = 0
