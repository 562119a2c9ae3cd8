/**
 * The size gate: the smallest plan of recall, with no model in it (TU6).
 *
 * Before every call the request is sized. Over the ceiling, history is cut once and deep, to 30 %
 * of the window, so that the prefix breaks rarely. System messages of the current Epoch and the
 * newest input always stay. What cannot be made to fit is named.
 */
import type { Entry } from "@holdfast/llm/segments"
import type { CallId, Seq } from "@holdfast/schema/id"
import type { Message } from "@holdfast/schema/message"
import type { Reduction } from "@holdfast/schema/reduction"
import { imagesOf } from "./images.ts"
import {
  entriesOf,
  frozenCut,
  type FrozenCut,
  type HistoryView,
  isRendered,
  outputCutText,
} from "./render.ts"
import { entryTokens } from "./size.ts"

/** Shares of the window that are tried in turn; later ones only where the first does not suffice. */
export const reductionShares = [0.3, 0.15, 0.05] as const

export interface GateLimits {
  readonly contextTokens: number
  readonly outputTokens: number
  /** What the model reported for its last answered request, beside what we had estimated for it. */
  readonly answered: { readonly reported: number; readonly estimated: number } | null
}

export interface GateView {
  readonly history: HistoryView
  /** Tokens of tools, Baseline and agent prompt. */
  readonly fixedTokens: { readonly tools: number; readonly system: number; readonly agent: number }
  /** Sequences of the newest promoted inputs; they are never removed. */
  readonly newestInputs: readonly Seq[]
}

export type GatePlan =
  | { readonly kind: "reduce"; readonly reduction: Reduction }
  | { readonly kind: "stuck"; readonly floor: readonly { readonly name: string; readonly tokens: number }[] }

/** What a request may weigh: the window without what the answer needs. */
export const ceilingTokens = (limits: GateLimits): number => limits.contextTokens - limits.outputTokens

/** The last request as reported, plus an estimate of what was added; a shorter one is scaled. */
export function sizeTokens(estimated: number, { answered }: GateLimits): number {
  if (answered === null) return estimated
  if (estimated >= answered.estimated) return answered.reported + estimated - answered.estimated
  return Math.ceil(estimated * scale(answered))
}

/** Never below 1: what is left after a cut may be denser than what was reported. */
const scale = (answered: { readonly reported: number; readonly estimated: number }): number =>
  Math.min(scaleMax, Math.max(1, answered.reported / answered.estimated))
const scaleMax = 2

export const fits = (tokensEstimated: number, limits: GateLimits): boolean =>
  sizeTokens(tokensEstimated, limits) <= ceilingTokens(limits)

export function planReduction(
  view: GateView,
  limits: GateLimits,
  reason: Reduction["reason"],
  tokensBefore: number,
  share: number,
): GatePlan {
  const ratio = limits.answered === null ? 1 : scale(limits.answered)
  const imagesBefore = imagesCut(view)
  const target = Math.min(limits.contextTokens * share, ceilingTokens(limits)) / ratio
  const known = frozenCut(view.history.reductions)
  const frozen = imagesBefore === known.imagesBefore ? known : { ...known, imagesBefore }
  const sized = sizeMessages(view, frozen)
  const newest = new Set<number>(view.newestInputs)
  const stays = (message: Message) => message.kind === "system" || newest.has(message.seq)
  const floor = floorOf(view, sized, newest)
  const floorTokens = floor.reduce((sum, item) => sum + item.tokens, 0)
  if (floorTokens * ratio > ceilingTokens(limits)) return { kind: "stuck", floor }

  let tokens = floorTokens
  let keepFrom = nextSeq(view.history.messages)
  const outputsCut: CallId[] = []
  const removable = sized.filter(({ message }) => !stays(message))
  // What an earlier reduction kept from below its cut goes: history never reaches back behind a cut.
  const earlierCut = frozen.keepFrom
  for (const item of removable.toReversed()) {
    if (item.message.seq < earlierCut) break
    const first = item === removable.at(-1)
    const fitsWhole = tokens + item.tokens <= target
    const bare = first && !fitsWhole ? withoutOutputs(item.message, frozen) : null
    if (!fitsWhole && (bare === null || tokens + bare.tokens > target)) break
    tokens += bare === null ? item.tokens : bare.tokens
    outputsCut.push(...(bare?.calls ?? []))
    keepFrom = item.message.seq
    if (bare !== null) break
  }
  const cut = removable.filter(({ message }) => message.seq < keepFrom)
  if (cut.length === 0 && outputsCut.length === 0) return { kind: "stuck", floor }
  return {
    kind: "reduce",
    reduction: {
      reason,
      keepFrom,
      kept: view.newestInputs.filter((seq) => seq < keepFrom),
      messagesCut: cut.length,
      outputsCut,
      ...(imagesBefore > 0 ? { imagesBefore } : {}),
      tokensBefore,
      tokensAfter: Math.ceil(tokens),
    },
  }
}

interface SizedMessage {
  readonly message: Message
  readonly tokens: number
}

/** Where images end to be shown when history is cut: before the newest input, if any stand there. */
function imagesCut({ history, newestInputs: [input = 0] }: GateView): number {
  const before = frozenCut(history.reductions).imagesBefore
  const older = history.messages.some(
    (message) => message.seq >= before && message.seq < input && imagesOf(message).length > 0,
  )
  return older ? input : before
}

function sizeMessages(view: GateView, frozen: FrozenCut): readonly SizedMessage[] {
  return view.history.messages
    .filter((message) => isRendered(message, view.history.epochSeq, frozen))
    .map((message) => ({ message, tokens: sum(entriesOf(message, frozen)) }))
}

function floorOf(view: GateView, sized: readonly SizedMessage[], newest: ReadonlySet<number>) {
  const total = (keep: (message: Message) => boolean) =>
    sized.filter(({ message }) => keep(message)).reduce((tokens, item) => tokens + item.tokens, 0)
  return [
    { name: "tools", tokens: view.fixedTokens.tools },
    { name: "Baseline", tokens: view.fixedTokens.system },
    { name: "agent prompt", tokens: view.fixedTokens.agent },
    { name: "system messages", tokens: total((message) => message.kind === "system") },
    { name: "newest input", tokens: total((message) => newest.has(message.seq)) },
  ].filter((item) => item.tokens > 0)
}

function withoutOutputs(message: Message, frozen: FrozenCut): { tokens: number; calls: CallId[] } | null {
  if (message.kind !== "assistant") return null
  const calls = message.parts.flatMap(({ part }) =>
    part.type === "call" && (part.outcome?.output.length ?? 0) > outputCutText.length ? [part.call] : [],
  )
  if (calls.length === 0) return null
  return { tokens: sum(entriesOf(message, { ...frozen, outputsCut: new Set(calls) })), calls }
}

const sum = (entries: readonly Entry[]): number =>
  entries.reduce((tokens, entry) => tokens + entryTokens(entry), 0)

const nextSeq = (messages: readonly Message[]): number => (messages.at(-1)?.seq ?? 0) + 1
