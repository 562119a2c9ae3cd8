/**
 * One Session without a process: its log as an array, the fold that the runtime uses, the boundary that the runtime
 * plans, and a provider that answers what the story says. A commit is all or nothing; a restart knows the log alone.
 */
import { type HistorianState, inlineHistorian } from "@holdfast/recall"
import { encodedOf } from "@holdfast/llm/blocks"
import type { Block } from "@holdfast/llm/wire"
import { type BoundaryPlan, planBoundary } from "@holdfast/core/session/boundary"
import { planPromotion } from "@holdfast/core/session/inbox"
import { planRecovery, unsentLedger } from "@holdfast/core/session/recovery"
import { encodeState, type Selection } from "@holdfast/core/session/request/request"
import { asSeenAt } from "@holdfast/core/session/request/past"
import type { KnownMemory, Published, SizeRefusal } from "@holdfast/recall"
import type { Fact, FactOf } from "@holdfast/schema/event"
import type { IdPrefix, Seq, SessionId } from "@holdfast/schema/id"
import type { Message } from "@holdfast/schema/message"
import { advance, emptyState, type SessionState } from "@holdfast/schema/state/state"
import type { Attempt, LedgerRow, TurnStatus } from "@holdfast/schema/turn"
import { type Knowledge, knownAt } from "./knowledge.ts"
import { observedAt, type Place, selectionAt } from "./place.ts"

const session = "ses_driver" as SessionId

/** The process is gone, in the middle of what it did. */
class Killed extends Error {}

interface Kill {
  /** Writes until then. */
  left: number
  readonly moment: "before" | "after"
}

/** Who writes compartments: each pass by itself, or a job beside the turns. */
export interface HistorianBeside {
  readonly atWork: () => boolean
  /** A turn waits for it: it publishes, or it gives up. */
  readonly finish: () => void
}

interface Recorded {
  readonly seq: number
  readonly time: number
  readonly fact: Fact
}

/** A request as it was planned and committed, with what stood before it and behind it. */
export interface Planned {
  readonly plan: Exclude<BoundaryPlan, { readonly kind: "blocked" }>
  readonly selection: Selection
  readonly refusal: SizeRefusal | null
  readonly previous: readonly Block[] | null
  readonly before: SessionState
  /** With all of the commit but the turn itself: what a request is encoded from. */
  readonly asked: SessionState
  readonly nowMs: number
  readonly memory: KnownMemory | null
  /** Behind a historian that was at work (EG1). */
  readonly waited: boolean
  /** Somebody else wrote between the plan and its commit. */
  readonly overtaken: boolean
}

export class World {
  place: Place
  state: SessionState = emptyState
  nowMs = 1_000_000
  previous: readonly Block[] | null = null
  readonly log: Recorded[] = []
  historian: HistorianBeside | null = null
  knowledge: Knowledge | null = null
  #kill: Kill | null = null
  #ids = 0

  constructor(place: Place) {
    this.place = place
  }

  id(prefix: string): string {
    this.#ids += 1
    return `${prefix}_${this.#ids}`
  }

  /** Does it until this write of it, and whether that came so far. */
  dies({ left, moment }: Kill, does: () => void): boolean {
    this.#kill = { left, moment }
    try {
      does()
      return false
    } catch (error) {
      // Whatever else broke is the story's.
      if (error instanceof Killed) return true
      throw error
    } finally {
      this.#kill = null
    }
  }

  commit(facts: readonly Fact[]): void {
    this.#write(() => this.#append(facts))
  }

  #write(write: () => void): void {
    const kill = this.#kill
    if (kill !== null) kill.left -= 1
    const last = kill !== null && kill.left <= 0
    if (last && kill.moment === "before") throw new Killed()
    write()
    if (last) throw new Killed()
  }

  #append(facts: readonly Fact[]): void {
    for (const fact of facts) {
      const event = { seq: this.state.summary.seq + 1, time: this.nowMs, fact }
      this.log.push(event)
      this.state = advance(this.state, { session, ...event, seq: event.seq as Seq })
    }
  }

  /** As the store judges it (HI4). */
  publish(fact: Published): boolean {
    if (fact.fromSeq !== this.state.summary.historyEnd + 1) return false
    this.commit([fact])
    return true
  }

  /** `meanwhile` is what another process writes between the plan and its commit. */
  plan(
    refusal: SizeRefusal | null = null,
    continuing = false,
    meanwhile: () => void = () => {},
  ): Planned | null {
    let waited = false
    for (let replans = 0; replans < replansMax; replans++) {
      const planned = this.look(refusal, continuing, waited)
      if (planned === null) return null
      if (planned.plan.opened.waits) {
        waited = true
        this.historian?.finish()
        continue
      }
      const seen = this.state.summary.seq
      if (replans === 0) meanwhile()
      const { commit } = planned.plan
      if (commit.followsSeq !== null && this.state.summary.seq !== seen) continue
      const before = this.state
      let asked = before
      this.#selections.set(planned.plan.opened.turn, planned.selection)
      this.#write(() => {
        this.#append(commit.facts.filter(({ type }) => type !== "turn.started" && type !== "turn.settled"))
        asked = this.state
        this.#append(commit.facts.filter(({ type }) => type === "turn.started" || type === "turn.settled"))
      })
      if (planned.plan.kind === "ready") this.previous = planned.plan.opened.blocks
      return { ...planned, before, asked, overtaken: before.summary.seq !== seen }
    }
    throw new Error("a boundary was overtaken again and again")
  }

  /** The next request, planned and not committed; null where the context cannot be read. */
  look(refusal: SizeRefusal | null = null, continuing = false, waited = false): Planned | null {
    const selection = selectionAt(this.place)
    const { knowledge } = this
    const memory = knowledge === null ? null : knownAt(knowledge, this.nowMs)
    const plan = planBoundary({
      session,
      state: this.state,
      promotion: planPromotion({ continuing, pending: this.state.inbox }),
      resumes: null,
      observation: observedAt(this.place),
      selection,
      previousBlocks: this.previous,
      newId: (prefix: IdPrefix) => this.id(prefix),
      nowMs: this.nowMs,
      refusal,
      historian: this.#historianNow(waited),
      memory,
      ...(knowledge !== null && { docs: knowledge.docs }),
    })
    if (plan.kind === "blocked") return null
    const { previous, state, nowMs } = this
    return {
      plan,
      selection,
      refusal,
      previous,
      before: state,
      asked: state,
      nowMs,
      memory,
      waited,
      overtaken: false,
    }
  }

  #historianNow(waited: boolean): HistorianState {
    if (this.historian === null) return inlineHistorian
    return { inline: false, running: this.historian.atWork(), waited }
  }

  /** All that was ever said, as it is stored, in the window or not. */
  messagesEver(): readonly Message[] {
    const found = new Map<number, Message>()
    let state = emptyState
    for (const event of this.log) {
      state = advance(state, { session, ...event, seq: event.seq as Seq })
      for (const message of state.messages) found.set(message.seq, message)
    }
    return [...found.values()].toSorted((a, b) => a.seq - b.seq)
  }

  settle(status: TurnStatus, tokens: number, failure: Attempt["failure"] = null): void {
    const started = this.state.lastTurn?.started
    if (started === undefined) return
    const usage = { input: tokens, output: 50, cacheRead: 0, cacheWrite: 0 }
    const attempt: Attempt = failure === null ? { failure, waitMs: 0, usage } : { failure, waitMs: 0 }
    const ledger: LedgerRow = { ...unsentLedger, usage, attempts: [attempt], durationMs: 1_000 }
    this.commit([{ type: "turn.settled", turn: started.turn, status, reason: failure, ledger }])
    this.nowMs += 1_000
  }

  say(text: string): void {
    this.part(0, { type: "text", text, interrupted: false })
  }

  part(index: number, part: FactOf<"part.recorded">["part"]): void {
    const started = this.state.lastTurn?.started
    if (started === undefined) return
    const { turn, message } = started
    this.commit([{ type: "part.recorded", turn, message, index, part, tokens: 20 }])
  }

  /** Another process: nothing but the log is left, and no object is shared. */
  restart(): void {
    const log = structuredClone(this.log)
    this.state = log.reduce(
      (state, event) => advance(state, { session, ...event, seq: event.seq as Seq }),
      emptyState,
    )
    this.commit(planRecovery(this.state, [], () => undefined))
    this.previous = this.#rebuilt()
  }

  #rebuilt(): readonly Block[] | null {
    const started = this.state.lastTurn?.started
    const selection = this.#selections.get(started?.turn ?? "")
    if (started === undefined || selection === undefined) return null
    const encoded = encodeState(asSeenAt(this.state, started.seenSeq), selection)
    const begun = encodedOf(encoded.blocks.slice(0, started.request.blocks), encoded.params)
    return begun.prefixHash === started.request.prefixHash ? begun.blocks : null
  }

  readonly #selections = new Map<string, Selection>()
}

const replansMax = 5
