/**
 * Receipts: what each break of a Session kept, dropped and summed up, and what it cost (SU4).
 *
 * They are told from the records alone: the log is folded once, what a pass froze is compared with what stood before it, and
 * the turn that it belongs to says the rest. Hours later, and in another process, a receipt is the same.
 */
import { Effect } from "effect"
import {
  isArchive,
  tokensAsCounted,
  knownCompartments,
  shownTiers,
  type WindowLimits,
} from "@holdfast/recall"
import type { StoreFailure } from "@holdfast/schema/error"
import type { Event, FactOf } from "@holdfast/schema/event"
import type { Compartment } from "@holdfast/schema/fact/recall"
import type { MessageId, SessionId } from "@holdfast/schema/id"
import type { BreakReceipt, HeldCompartment, Summarised } from "@holdfast/schema/instance/window"
import { modelKey } from "@holdfast/schema/state/state"
import { isUnsent } from "@holdfast/schema/turn"
import { applyPass, emptyFrozen, type Frozen, isShown } from "@holdfast/schema/state/frozen"
import type { Store } from "@holdfast/store/port"

const eventsPageMax = 1_000

/** In the order of their turns. */
export const readReceipts = Effect.fnUntraced(function* (
  store: Store,
  session: SessionId,
): Effect.fn.Return<readonly BreakReceipt[], StoreFailure> {
  const receipts = startReceipts()
  for (let after = 0; ;) {
    const { events, damage } = yield* store.events(session, after, eventsPageMax)
    for (const event of events) receipts.add(event)
    const last = Math.max(events.at(-1)?.seq ?? 0, damage.at(-1)?.seq ?? 0)
    if (last === 0) return receipts.made
    after = last
  }
})

/** The fold of a log, one event at a time. */
export const startReceipts = (): Receipts => new Receipts()

interface Place {
  readonly seq: number
  readonly id: MessageId
}

type PublishedBy = Compartment & Pick<FactOf<"history.published">, "by">

/** Jobs that write the history; what others cost belongs to no break. */
const ofHistorian: ReadonlySet<FactOf<"job.settled">["kind"]> = new Set(["historian", "editor"])

class Receipts {
  readonly made: BreakReceipt[] = []
  #turns = 0
  readonly #messages: Place[] = []
  readonly #published = new Map<string, PublishedBy>()
  /** Ids of those that were archives at the newest receipt: one that takes the place of a single part has its id. */
  #archives: ReadonlySet<string> = new Set()
  /** Of its jobs since the newest receipt: their parts, if there are any, come in with the next break. */
  #costHistorian: number | null = 0
  #frozen: Frozen = emptyFrozen
  /** What the passes since the last turn changed: an earlier one may belong to a turn that was not sent. */
  #applied: {
    readonly before: Frozen
    readonly tokensBefore: number
    readonly pass: FactOf<"pass.applied">
  } | null = null
  #started: FactOf<"turn.started"> | null = null
  /** A pass led to it. */
  #passed = false
  /** Of the newest receipt, as estimated. */
  #sizes: Sizes | null = null
  /** What a model counted for the newest request that it answered. */
  #answered: { readonly model: string; readonly of: NonNullable<WindowLimits["answered"]> } | null = null

  add({ seq, time, fact }: Pick<Event, "seq" | "time" | "fact">): void {
    switch (fact.type) {
      case "prompt.promoted":
      case "notice.promoted":
        this.#messages.push({ seq, id: fact.message })
        return
      case "history.published":
        for (const one of fact.compartments) this.#published.set(one.id, { ...one, by: fact.by })
        return
      case "job.settled":
        if (ofHistorian.has(fact.kind)) this.#costHistorian = sumOf(this.#costHistorian, fact.cost)
        return
      case "pass.applied":
        this.#applied = {
          before: this.#applied?.before ?? this.#frozen,
          tokensBefore: this.#applied?.tokensBefore ?? fact.tokensBefore,
          pass: fact,
        }
        this.#frozen = applyPass(this.#frozen, fact)
        return
      case "turn.started":
        this.#turns += 1
        if (fact.break !== null) {
          this.made.push(this.#receipt(seq, time, fact))
          this.#costHistorian = 0
        }
        this.#passed = this.#applied !== null
        this.#applied = null
        this.#started = fact
        this.#messages.push({ seq, id: fact.message })
        return
      case "turn.settled":
        this.#settle(fact)
        return
      default:
    }
  }

  /** From here on it is known what the provider counted. */
  #settle({ turn, ledger }: FactOf<"turn.settled">): void {
    const started = this.#started
    if (started?.turn !== turn) return
    const before = this.#answeredBy(started)
    const usage = ledger.attempts.at(-1)?.usage
    const reported = usage ? usage.input + usage.cacheRead + usage.cacheWrite : 0
    const estimated = started.request.tokensEstimated
    const now = reported > 0 && estimated > 0 ? { reported, estimated } : null
    const receipt = this.made.at(-1)
    if (receipt?.turn === turn && isUnsent(ledger) && !this.#passed) {
      // It broke nothing: what it would have broken is told of the next request that is sent.
      this.made.pop()
      this.#costHistorian = receipt.costHistorian
    } else if (receipt?.turn === turn)
      this.made[this.made.length - 1] = {
        ...receipt,
        ...(this.#sizes && tokensOf(this.#sizes, before ?? now, now ?? before)),
        cost: ledger.cost,
      }
    if (now !== null) this.#answered = { model: modelKey(started.model), of: now }
  }

  #answeredBy({ model }: FactOf<"turn.started">): WindowLimits["answered"] {
    return this.#answered?.model === modelKey(model) ? this.#answered.of : null
  }

  #receipt(startedSeq: number, startedAt: number, started: FactOf<"turn.started">): BreakReceipt {
    const { before = this.#frozen, tokensBefore, pass } = this.#applied ?? {}
    const after = this.#frozen
    const summarised = this.#summarised(before, after)
    const held = this.#held(before, after)
    const standing = new Set(knownCompartments(after.slots))
    const tokensAfter = pass?.tokensAfter ?? started.request.tokensEstimated
    this.#sizes = { before: tokensBefore ?? tokensAfter, after: tokensAfter }
    this.#archives = new Set([...this.#published.values()].filter(isArchive).map(({ id }) => id))
    const answered = this.#answeredBy(started)
    return {
      turn: started.turn,
      number: this.#turns,
      startedSeq: startedSeq as BreakReceipt["startedSeq"],
      startedAt,
      pass: started.pass,
      break: started.break,
      ...tokensOf(this.#sizes, answered, answered),
      kept: {
        messages: this.#messages.filter(({ seq }) => isShown(seq, after)).length,
        compartments: held.filter(({ tier }) => tier !== null).length,
      },
      held,
      summarised,
      left: knownCompartments(before.slots).filter((id) => !standing.has(id)),
      dropped: droppedBetween(before, after),
      cost: null,
      costHistorian: this.#costHistorian,
      priceExpected: started.priceExpected ?? null,
    }
  }

  /** Compartments that were there before and stand still, whether they are shown or not. */
  #held(before: Frozen, after: Frozen): readonly HeldCompartment[] {
    const earlier = new Set(knownCompartments(before.slots))
    const [tiersBefore, tiers] = [tiersOf(before), tiersOf(after)]
    return knownCompartments(after.slots)
      .flatMap((id) => {
        const one = this.#published.get(id)
        if (!earlier.has(id) || one === undefined) return []
        const { fromSeq, toSeq, title } = one
        const span = { id, fromSeq, toSeq, title }
        const since = this.#archives.has(id) ? ("before" as const) : ("now" as const)
        const told = { tierBefore: tiersBefore.get(id) ?? null, tier: tiers.get(id) ?? null }
        return [{ ...span, ...told, ...(isArchive(one) && { archived: since }) }]
      })
      .toSorted((a, b) => a.fromSeq - b.fromSeq)
  }

  /** Compartments that were not there before, and the messages that each covers. */
  #summarised(before: Frozen, after: Frozen): readonly Summarised[] {
    const earlier = new Set(knownCompartments(before.slots))
    const tiers = tiersOf(after)
    return knownCompartments(after.slots).flatMap((id) => {
      const one = this.#published.get(id)
      if (earlier.has(id) || one === undefined) return []
      const { fromSeq, toSeq, title, by } = one
      const covered = this.#messages.filter(({ seq }) => seq >= fromSeq && seq <= toSeq)
      const [first = null, last = null] = [covered[0]?.id, covered.at(-1)?.id]
      const tier = tiers.get(id) ?? null
      const messagesBefore = covered.filter(({ seq }) => !isShown(seq, before)).length
      const span = { id, fromSeq, toSeq, title }
      const range = { by, messages: covered.length, first, last }
      const archived = isArchive(one) && { archived: true }
      return [{ ...span, tier, ...archived, ...range, ...(messagesBefore > 0 && { messagesBefore }) }]
    })
  }
}

/** Null where one of them is not known. */
const sumOf = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : one + other

interface Sizes {
  readonly before: number
  readonly after: number
}

/** What was not taken out is counted as what was sent; the rest as the request before it was (SU2). */
function tokensOf(
  { before, after }: Sizes,
  earlier: WindowLimits["answered"],
  own: WindowLimits["answered"],
) {
  const tokensAfter = tokensAsCounted(after, own)
  return { tokensBefore: before === after ? tokensAfter : tokensAsCounted(before, earlier), tokensAfter }
}

const tiersOf = ({ slots }: Frozen): ReadonlyMap<string, number> =>
  new Map(shownTiers(slots).map(({ id, tier }) => [id, tier]))

/** What went with it, and had not gone before. */
function droppedBetween(before: Frozen, after: Frozen): BreakReceipt["dropped"] {
  const known = new Set(before.ops.map((op) => JSON.stringify(op)))
  const added = after.ops.filter((op) => !known.has(JSON.stringify(op)))
  const drops = added.filter((op) => op.op === "drop")
  const images = drops.filter(({ unit }) => unit.image !== undefined).length
  const shortened = added.filter(({ op }) => op === "shorten").length
  return {
    messages: drops.filter(({ unit }) => unit.call === null && unit.image === undefined).length,
    calls: drops.filter(
      ({ unit, leaves }) => unit.call !== null && unit.image === undefined && leaves === "nothing",
    ).length,
    skeletons: drops.filter(({ leaves }) => leaves === "skeleton").length,
    strips: added.filter(({ op }) => op === "strip").length,
    ...(images > 0 && { images }),
    ...(shortened > 0 && { shortened }),
  }
}
