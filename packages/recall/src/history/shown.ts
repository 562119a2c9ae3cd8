/** What the window shows of its history, and how far the next break is: values for whoever tells it (SU2, TL4). Pure. */
import type { Compartment, Slots } from "@holdfast/schema/fact/recall"
import type { RecallStatus, ShownCompartment } from "@holdfast/schema/instance/window"
import type { Items } from "@holdfast/schema/state/items"
import { ceilingTokens, sizeTokens, usageShare, type WindowLimits } from "../cut.ts"
import { thresholdOf } from "../decide.ts"
import { tokensOf } from "../historian/words.ts"
import { unitsOf } from "../reduce/units.ts"
import type { HistoryView } from "../render.ts"
import { newCompartments, shownTiers } from "../slots.ts"

/** Oldest first. */
export function shownCompartments(
  { slots }: HistoryView["frozen"],
  known: readonly Compartment[],
): readonly ShownCompartment[] {
  const tiers = new Map(shownTiers(slots).map(({ id, tier }) => [id, tier]))
  const outside = new Set(newCompartments(slots, known).map(({ id }) => id))
  const texts = textsIn(slots)
  const inOrder = known.toSorted((a, b) => a.fromSeq - b.fromSeq)
  return inOrder.map(({ id, fromSeq, toSeq, title }) => {
    const tier = tiers.get(id) ?? null
    const tokens = tier === null ? 0 : tokensOf(texts.get(id) ?? "")
    return { id, fromSeq, toSeq, title, tier, tokens, place: placeOf(tier !== null, outside.has(id)) }
  })
}

/** What the slots say of each compartment: of its names and of the user's words only what had room. */
function textsIn(slots: Slots | null): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  let id: string | null = null
  for (const line of slots === null ? [] : `${slots.baseline}\n\n${slots.delta}`.split("\n")) {
    if (line === "" || line.startsWith("## ")) id = /^## (\S+)/.exec(line)?.[1] ?? null
    if (id !== null) texts.set(id, `${texts.get(id) ?? ""}${line}\n`)
  }
  return texts
}

function placeOf(shown: boolean, outside: boolean): ShownCompartment["place"] {
  if (shown) return outside ? "delta" : "baseline"
  return outside ? "waiting" : "hidden"
}

/** `tokens`: of the request that is told of, as estimated. */
export function recallStatus(
  { messages, frozen }: HistoryView,
  { signals }: Pick<Items, "signals">,
  limits: WindowLimits,
  tokens: number,
): RecallStatus {
  const threshold = thresholdOf(limits.executeShare)
  const units = unitsOf(messages, frozen)
  const kinds = [...signals.values()].map(({ kind }) => kind)
  return {
    usage: Math.round(usageShare(tokens, limits) * 1_000) / 1_000,
    threshold,
    tokensLeft: Math.max(0, Math.floor(threshold * ceilingTokens(limits) - sizeTokens(tokens, limits))),
    messagesHidden: frozen.messagesCut,
    tags: units.length,
    tagsDropped: units.filter(({ dropped }) => dropped).length,
    waiting: [...new Set(kinds)].map((kind) => ({
      kind,
      count: kinds.filter((each) => each === kind).length,
    })),
  }
}
