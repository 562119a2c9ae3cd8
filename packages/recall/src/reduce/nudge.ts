/**
 * Nudges: reminders behind tool output when much of it could be dropped (ND1).
 *
 *   severity = reclaimable / working window × usage / execute threshold
 *   gentle from 0.2, firm from 0.4, urgent from 0.65 on; nothing below 10,000 tokens
 *
 * What was said before is read from the messages themselves: after a reminder only a stronger one comes,
 * until the model has dropped something or a pass has, and then only once that much was added again. The
 * ceiling is told once in a Session. All of it are sums of stored counts (TG6).
 */
import type { SyntheticPart } from "@holdfast/schema/fact/fact"
import type { Message } from "@holdfast/schema/message"
import { ceilingReminder, type Items } from "@holdfast/schema/state/items"
import type { HistoryView } from "../render.ts"
import { queuedUnits } from "./ask-drop.ts"
import { isReduceCall, mark } from "./tag.ts"
import { protectedFrom, tokensOfUnits, type Unit, unitsOf } from "./units.ts"

export interface NudgeQuestion {
  readonly view: HistoryView
  readonly items: Pick<Items, "signals" | "executedSeq" | "ceilingTold">
  /** Of the request that is being answered, with what was added since. */
  readonly inputTokens: number
  /** What a request may hold. */
  readonly inputTokensMax: number
  /** What it may hold before a pass is executed. */
  readonly workingTokens: number
}

const levels = [
  { name: "urgent", from: 0.65 },
  { name: "firm", from: 0.4 },
  { name: "gentle", from: 0.2 },
] as const
type Level = (typeof levels)[number]["name"]

const reclaimableTokensMin = 10_000
const growthShare = 0.05
const ceilingShare = 1 / 3
const namedMax = 4

export function nudgeFor(question: NudgeQuestion): SyntheticPart | null {
  const { view, items, inputTokens, inputTokensMax, workingTokens } = question
  const pressure = inputTokens / Math.max(1, workingTokens)
  // No more can be reclaimed than was sent: most calls need no look at the window.
  if (inputTokens < reclaimableTokensMin || pressure * pressure < 0.2) return null
  const units = unitsOf(view.messages, view.frozen)
  const queued = queuedUnits(items.signals.values())
  const limit = protectedFrom(units)
  const free = units.filter((unit) => unit.tag < limit && isReclaimable(unit, queued))
  const reclaimable = tokensOfUnits(free)
  if (reclaimable < reclaimableTokensMin) return null
  const active = tokensOfUnits(units.filter(({ dropped }) => !dropped))
  const usable = inputTokensMax - inputTokens + active
  if (!items.ceilingTold && reclaimable >= usable * ceilingShare) return ceiling(reclaimable, free)
  const severity = (reclaimable / Math.max(1, workingTokens)) * pressure
  const level = levels.find(({ from }) => severity >= from)
  if (level === undefined) return null
  const { name, resetSeq } = lastNudge(view.messages, items.executedSeq)
  if (name !== null) return isStronger(level.name, name) ? nudge(level.name, reclaimable, free) : null
  const grown = tokensOfUnits(units.filter((unit) => unit.tag > resetSeq && isReclaimable(unit, queued)))
  const growthMin = Math.max(reclaimableTokensMin, growthShare * workingTokens)
  return grown >= growthMin ? nudge(level.name, reclaimable, free) : null
}

/** A list of steps is short, and stands for itself. */
const isReclaimable = ({ part, dropped, call, message }: Unit, queued: ReadonlySet<string>): boolean =>
  part !== null && part.name !== "todo" && !dropped && !queued.has(call ?? message)

const isStronger = (level: Level, than: Level): boolean => rank(level) > rank(than)
const rank = (level: Level): number => -levels.findIndex(({ name }) => name === level)

/** The newest reminder since something was dropped, and when that was. */
function lastNudge(messages: readonly Message[], executedSeq: number) {
  let resetSeq = executedSeq
  let name: Level | null = null
  for (const message of messages) {
    if (message.kind !== "assistant") continue
    for (const { part } of message.parts) {
      if (part.type !== "call" || (part.seq ?? 0) <= executedSeq) continue
      if (isReduceCall(part) && part.outcome?.state === "done") {
        resetSeq = part.seq ?? resetSeq
        name = null
      }
      for (const { text } of part.added ?? []) name = levelIn(text) ?? name
    }
  }
  return { name, resetSeq }
}

const levelIn = (text: string): Level | null =>
  levels.find(({ name }) => text.startsWith(opening(name)))?.name ?? null

const opening = (level: Level): string => `<reminder level="${level}">`

const nudge = (level: Level, tokens: number, free: readonly Unit[]): SyntheticPart => ({
  kind: "nudge",
  text: `${opening(level)}${advice[level](thousands(tokens))} ${oldest(free)}</reminder>`,
})

const ceiling = (tokens: number, free: readonly Unit[]): SyntheticPart => ({
  kind: "nudge",
  text: `${ceilingReminder}A third of the room that is left to you, about ${thousands(tokens)} tokens, is old tool output. Before you go on, call context_reduce with what you are done with. ${oldest(free)}</reminder>`,
})

const advice: Readonly<Record<Level, (tokens: string) => string>> = {
  gentle: (tokens) =>
    `About ${tokens} tokens of older tool output are in your window. Drop with context_reduce what you are done with.`,
  firm: (tokens) =>
    `About ${tokens} tokens of older tool output fill your window. Call context_reduce soon, with what you are done with.`,
  urgent: (tokens) =>
    `About ${tokens} tokens of older tool output crowd your window. Call context_reduce now, or older messages will be summarised.`,
}

const thousands = (tokens: number): string => `${Math.round(tokens / 1_000)},000`

const oldest = (free: readonly Unit[]): string =>
  `The oldest: ${free
    .slice(0, namedMax)
    .map(({ tag, part }) => `${mark(tag)} ${part?.name ?? ""}`)
    .join(", ")}.`
