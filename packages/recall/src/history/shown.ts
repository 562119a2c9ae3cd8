/** What the window shows of its history, and how far the next break is: values for whoever tells it (SU2, TL4). Pure. */
import type { Compartment, SignalRaised, Slots } from "@holdfast/schema/fact/recall"
import type { RecallStatus, ShownCompartment } from "@holdfast/schema/instance/window"
import { unitKey } from "@holdfast/schema/state/frozen"
import type { Items } from "@holdfast/schema/state/items"
import { ceilingTokens, tokensAsCounted, type WindowLimits } from "../cut.ts"
import { thresholdOf } from "../decide.ts"
import { tokensOf } from "../historian/words.ts"
import { queuedUnits } from "../reduce/ask-drop.ts"
import { type Unit, unitsOf } from "../reduce/units.ts"
import type { HistoryView } from "../render.ts"
import { newCompartments, shownTiers } from "../slots.ts"
import { isArchive } from "./publish.ts"

/** Oldest first. */
export function shownCompartments(
  { slots }: HistoryView["frozen"],
  known: readonly Compartment[],
): readonly ShownCompartment[] {
  const tiers = new Map(shownTiers(slots).map(({ id, tier }) => [id, tier]))
  const outside = new Set(newCompartments(slots, known).map(({ id }) => id))
  const texts = textsIn(slots)
  const inOrder = known.toSorted((a, b) => a.fromSeq - b.fromSeq)
  return inOrder.map(({ id, fromSeq, toSeq, title, episode }) => {
    const tier = tiers.get(id) ?? null
    const tokens = tier === null ? 0 : tokensOf(texts.get(id) ?? "")
    const place = placeOf(tier !== null, outside.has(id))
    const span = { id, fromSeq, toSeq, title }
    return { ...span, tier, ...(isArchive({ episode }) && { archived: true }), tokens, place }
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

/** `tokensEstimated`: of the request that is told of; what is told is what the provider would count. */
export function recallStatus(
  { messages, frozen }: HistoryView,
  { signals }: Pick<Items, "signals">,
  limits: WindowLimits,
  tokensEstimated: number,
): RecallStatus {
  const threshold = thresholdOf(limits.executeShare)
  const units = unitsOf(messages, frozen)
  const tokens = tokensAsCounted(tokensEstimated, limits.answered)
  const ceiling = ceilingTokens(limits)
  return {
    usage: Math.round((tokens / Math.max(1, ceiling)) * 1_000) / 1_000,
    threshold,
    tokensLeft: Math.max(0, Math.floor(threshold * ceiling - tokens)),
    messagesHidden: frozen.messagesCut,
    tags: units.length,
    tagsDropped: units.filter(({ dropped }) => dropped).length,
    waiting: waitingOf([...signals.values()], units),
  }
}

/** Of drops the units that still stand there: one call may ask for many. */
function waitingOf(signals: readonly SignalRaised[], units: readonly Unit[]): RecallStatus["waiting"] {
  const drops = queuedUnits(signals)
  const standing = units.filter((unit) => !unit.dropped && drops.has(unitKey(unit))).length
  const kinds = [...new Set(signals.map(({ kind }) => kind))]
  return kinds
    .map((kind) => ({
      kind,
      count: kind === "drop" ? standing : signals.filter((one) => one.kind === kind).length,
    }))
    .filter(({ count }) => count > 0)
}
