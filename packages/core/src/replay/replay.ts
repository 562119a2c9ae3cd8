/**
 * Replay: the requests that this program would have sent, had it held a recorded Session (IM2).
 *
 * The log is folded as a drain folds it, and at each turn the next request is planned, encoded and
 * checked by the very functions that do so when it is sent (TU1). What recorded passes cut and what
 * recorded summaries said is left out: what of the history is shown is decided anew. Who counts
 * tokens, and what a cache reads of them, is asked of the caller, request by request.
 *
 * Tools and system text of others are not recorded: the head stands for them, one block of the size
 * that the first recorded request had beyond its messages.
 */
import { Effect } from "effect"
import { type CatalogModel, type CatalogOverride, findModel, priceFor, traitsOf } from "@holdfast/llm/catalog"
import { wireNamed } from "@holdfast/llm/known-wires"
import { outputTokensReserved, plainOptions } from "@holdfast/llm/options"
import type { Lifetimes } from "@holdfast/llm/cache-lifetime"
import { blockOverheadTokens, estimateTokens } from "@holdfast/llm/size"
import type { ToolDefinition } from "@holdfast/llm/segments"
import type { Block, LintFault, Wire } from "@holdfast/llm/wire"
import { type FloorItem, inlineHistorian, type Pass, plan, renderVersion } from "@holdfast/recall"
import type { Event, Fact, FactOf } from "@holdfast/schema/event"
import type { EpochCause } from "@holdfast/schema/fact/context"
import type { SignalId, TurnId } from "@holdfast/schema/id"
import type { ModelRef, Usage } from "@holdfast/schema/model"
import { advance, emptyState, modelKey, type SessionState } from "@holdfast/schema/state/state"
import type { Break, PassKind, RequestRecord } from "@holdfast/schema/turn"
import { idleOf } from "../session/boundary.ts"
import { multipliersOf, planLifetimes } from "../session/request/lifetimes.ts"
import { encodeView, knownHistory, type Selection, viewOf, windowLimits } from "../session/request/request.ts"

/** A request as it would have been sent. */
export interface ReplayedRequest {
  readonly turn: TurnId
  readonly atMs: number
  readonly model: ModelRef
  readonly facts: CatalogModel
  readonly blocks: readonly Block[]
  readonly markers: RequestRecord["markers"]
  /** What differs here shares no cache. */
  readonly params: string
  readonly pass: PassKind | "stuck"
  readonly break: Break | null
  readonly faults: readonly LintFault[]
  /** What cannot be made to fit; empty where it fits. */
  readonly floor: readonly FloorItem[]
}

export interface ReplayQuestion {
  readonly events: readonly Event[]
  /** Turns that were requests, each with the tokens of its prompt; 0 where they were not recorded. */
  readonly prompts: ReadonlyMap<TurnId, number>
  /** Tokens of the window; null for what each model states. */
  readonly windowTokens: number | null
  /** What is configured of a model; nothing unless given, and then the catalog tells all. */
  readonly configured?: (model: ModelRef) => CatalogOverride
  /** Whether a notice is left out: a summary of what nobody would have cut. */
  readonly isSummary: (source: string) => boolean
  /** What the provider counts for a request. */
  readonly count: (request: ReplayedRequest) => Usage
}

/** Asks `count` for each request in its order. */
export const replayRequests = Effect.fnUntraced(function* (question: ReplayQuestion): Effect.fn.Return<void> {
  const models = new Map<string, ModelRef>()
  for (const { fact } of question.events)
    if (fact.type === "turn.started") models.set(modelKey(fact.model), fact.model)
  const selections = new Map<string, Selected>()
  for (const [key, ref] of models) {
    const facts = findModel(ref, question.configured?.(ref))
    const wire = yield* wireNamed(facts.wire)
    if (wire !== null) selections.set(key, { facts, selection: selectionOf(ref, facts, wire, question) })
  }
  const replay = new Replay(question, selections)
  for (const event of question.events) replay.add(event)
})

interface Selected {
  readonly facts: CatalogModel
  readonly selection: Selection
}

function selectionOf(ref: ModelRef, facts: CatalogModel, wire: Wire, question: ReplayQuestion): Selection {
  const { windowTokens } = question
  const contextTokens = windowTokens ?? facts.contextTokensMax
  // A window that is asked for may be smaller than what the model may answer.
  const outputTokensMax = windowTokens === null ? Infinity : Math.floor(windowTokens * outputShareMax)
  const outputTokens = Math.min(facts.outputTokensMax, outputTokensReserved, outputTokensMax)
  const options = plainOptions(outputTokens, { traits: traitsOf(facts) })
  return {
    wire,
    target: { ...ref, endpoint: facts.endpoint ?? "", options },
    contextTokens,
    contextTokensStated: contextTokens,
    tools: headTools,
    agent: "",
    agentPrompt: "",
    render: renderVersion,
  }
}

const outputShareMax = 0.1

/** Which tools there were is not recorded; that there were some decides how calls are written. */
const headTools: readonly ToolDefinition[] = [
  {
    name: "recorded",
    description: "Stands for the tools of the recorded session.",
    inputSchema: { type: "object" },
  },
]

class Replay {
  readonly #question: ReplayQuestion
  readonly #selections: ReadonlyMap<string, Selected>
  readonly #hidden = new Set<string>()
  #state: SessionState = emptyState
  #head: string | null = null
  /** Of the Baselines that were recorded: another one is another head. */
  #epochs = 0
  #epochCause: EpochCause | null = null
  #quarantined = false
  #previous: { readonly blocks: readonly Block[]; readonly params: string; readonly model: string } | null =
    null
  #counted: { readonly turn: TurnId; readonly usage: Usage } | null = null

  constructor(question: ReplayQuestion, selections: ReadonlyMap<string, Selected>) {
    this.#question = question
    this.#selections = selections
  }

  add(event: Event): void {
    const { fact } = event
    switch (fact.type) {
      case "pass.applied":
      case "history.published":
      case "signal.raised":
        return
      case "epoch.started":
        // A cut decides anew whether an Epoch ends with it.
        if (fact.cause === "compaction" || this.#head === null) return
        this.#epochs += 1
        this.#epochCause = fact.cause
        return
      case "notice.admitted":
        if (this.#question.isSummary(fact.source.id)) this.#hidden.add(fact.notice)
        break
      case "notice.promoted":
        if (this.#hidden.has(fact.notice)) return
        break
      case "message.quarantined":
        this.#quarantined = true
        break
      case "turn.started":
        this.#start(event, fact)
        return
      case "turn.settled":
        this.#settle(event, fact)
        return
      default:
        break
    }
    this.#fold(event, fact)
  }

  #fold(event: Event, fact: Fact): void {
    this.#state = advance(this.#state, { ...event, fact })
  }

  #start(event: Event, fact: FactOf<"turn.started">): void {
    const selected = this.#selections.get(modelKey(fact.model))
    const promptTokens = this.#question.prompts.get(fact.turn)
    if (selected === undefined || promptTokens === undefined) {
      // It stands in the history, and no request was made for it.
      const { lastTurn } = this.#state
      this.#fold(event, fact)
      this.#state = { ...this.#state, lastTurn }
      return
    }
    const { selection, facts } = selected
    this.#begin(event, promptTokens, selection)
    const pass = this.#plan(event, selection)
    if (pass.kind !== "stuck") {
      if (pass.endsEpoch) this.#fold(event, this.#epochStarted("compaction"))
      for (const record of pass.records) this.#fold(event, record)
    }
    const previousBlocks = this.#previous?.blocks.length ?? 0
    const lifetimes = this.#lifetimes(event, pass, facts)
    const placed = selection.wire.place(pass.encoded, selection.target, previousBlocks, lifetimes)
    const request: ReplayedRequest = {
      turn: fact.turn,
      atMs: event.time,
      model: fact.model,
      facts,
      blocks: pass.encoded.blocks,
      markers: placed.record.markers,
      params: placed.record.params,
      pass: pass.kind,
      break: pass.break,
      faults: selection.wire.lint(pass.encoded, selection.target),
      floor: pass.kind === "stuck" ? pass.floor : [],
    }
    this.#counted = { turn: fact.turn, usage: this.#question.count(request) }
    const { blocks } = pass.encoded
    this.#previous = { blocks, params: placed.record.params, model: modelKey(fact.model) }
    this.#epochCause = null
    this.#quarantined = false
    this.#fold(event, { ...fact, request: placed.record })
  }

  /** As the runtime chooses them where nothing else is set. */
  #lifetimes(event: Event, { encoded, break: found }: Pass, facts: CatalogModel): Lifetimes | undefined {
    if (!facts.cacheLives.includes("1h")) return undefined
    const { rhythm } = this.#state.summary
    const last = this.#state.lastTurn?.started.request ?? null
    const moment = { rhythm, last, break: found, blocks: encoded.blocks, nowMs: event.time }
    return planLifetimes(moment, "auto", multipliersOf(priceFor(facts, "5m")))
  }

  /** The head is known with the first request: what that had beyond its messages. */
  #begin(event: Event, promptTokens: number, selection: Selection): void {
    if (this.#head !== null) return
    const messages = encodeView("", viewOf(this.#state), selection).tokens
    this.#head = headText(Math.max(0, promptTokens - messages))
    this.#fold(event, this.#epochStarted("first"))
  }

  #epochStarted(cause: EpochCause): FactOf<"epoch.started"> {
    return { type: "epoch.started", baseline: "", snapshot: {}, cause }
  }

  #baseline(): string {
    const head = this.#head ?? ""
    return head === "" || this.#epochs === 0 ? head : `${this.#epochs} ${head}`
  }

  #plan(event: Event, selection: Selection): Pass {
    const baseline = this.#baseline()
    const encode = (view: Parameters<typeof encodeView>[1]) => encodeView(baseline, view, selection)
    const previous = this.#previous
    const model = modelKey({ provider: selection.target.provider, model: selection.target.model })
    const modelChanged = previous !== null && previous.model !== model
    return plan({
      asIs: { view: viewOf(this.#state), encode },
      compacted: () => {
        const ended = advance(this.#state, { ...event, fact: this.#epochStarted("compaction") })
        return { view: viewOf(ended), encode }
      },
      limits: windowLimits(this.#state, selection),
      // The tools of the recorded session are not ours, but the one that reads on would be there.
      history: { ...knownHistory(this.#state, selection), expandable: true },
      refusal: null,
      historian: inlineHistorian,
      mode: "primary",
      idle: idleOf(this.#state.lastTurn, event.time),
      signals: [...this.#state.items.signals.values()],
      executedSeq: this.#state.items.executedSeq,
      todos: this.#state.items.todos.list,
      newSignal: () => `sig_${event.seq}` as SignalId,
      previous: previous?.blocks ?? null,
      causes: {
        first: previous === null,
        modelChanged,
        toolsChanged: false,
        optionsChanged: modelChanged,
        previousParams: previous?.params ?? null,
        epochCause: this.#epochCause,
        quarantined: this.#quarantined,
        unsent: null,
        unknown: null,
      },
    })
  }

  #settle(event: Event, fact: FactOf<"turn.settled">): void {
    if (this.#counted?.turn !== fact.turn) {
      const { lastTurn } = this.#state
      this.#fold(event, fact)
      this.#state = { ...this.#state, lastTurn }
      return
    }
    const attempts = [{ failure: null, waitMs: 0, usage: this.#counted.usage }]
    this.#fold(event, { ...fact, ledger: { ...fact.ledger, attempts } })
  }
}

const word = "head "

/** A text that is estimated as so many tokens; none where that is too few for a block. */
function headText(tokens: number): string {
  const own = tokens - blockOverheadTokens
  if (own <= 0) return ""
  const perWord = estimateTokens(word.length * 1_000, "prose") / 1_000
  return word.repeat(Math.max(1, Math.round(own / perWord)))
}
