/** A session as the runtime would send it, in a window of a given size, and what a fact has become in it. */
import { anthropicMessages } from "@holdfast/llm/anthropic-messages/index"
import { paramsHash } from "@holdfast/llm/blocks"
import { plainOptions } from "@holdfast/llm/options"
import type { Target } from "@holdfast/llm/segments"
import type { Encoded } from "@holdfast/llm/wire"
import {
  type HistorianTask,
  inlineHistorian,
  judgeAnswer,
  type KnownHistory,
  notIdle,
  type Pass,
  plan,
  prepareTask,
  render,
  shownTiers,
  trigger,
  type WindowLimits,
  writeExtract,
} from "@holdfast/recall"
import type { FactOf } from "@holdfast/schema/event"
import type { SignalId } from "@holdfast/schema/id"
import type { Message } from "@holdfast/schema/message"
import { applyPass, emptyFrozen, type Frozen, inWindow } from "@holdfast/schema/state/frozen"
import { advanceItems, emptyItems, type Items } from "@holdfast/schema/state/items"
import { textOf, type UsedFact } from "./facts.ts"
import type { FateName } from "./window.ts"

const outputTokens = 4_000
const scribeTokens = 200_000

/** A historian that is a model: what it answers to a task. */
export type Scribe = (task: HistorianTask) => string

export class Recalled {
  messages: readonly Message[] = []
  tokens = 0
  /** Of the last request. */
  requestTokens = 0
  cuts = 0
  private frozen: Frozen = emptyFrozen
  private items: Items = emptyItems
  private end = 0
  private previous: Encoded | null = null
  private readonly limits: WindowLimits

  private readonly scribe: Scribe | null

  constructor(contextTokens: number, scribe: Scribe | null = null) {
    this.limits = { contextTokens, outputTokens, answered: null }
    this.scribe = scribe
  }

  get hasCut(): boolean {
    return this.frozen.slots !== null
  }

  get tail(): string {
    return this.messages.map(textOf).join("\n")
  }

  get history(): string {
    return this.frozen.slots?.baseline ?? ""
  }

  add(message: Message): void {
    this.messages = [...this.messages, message]
  }

  /** What the scribe has written by the next request, as the runtime has a historian's job do beside a turn. */
  private summarise(scribe: Scribe): void {
    const triggered = trigger({
      messages: this.messages,
      historyEnd: this.end,
      inputTokensMax: this.limits.contextTokens - outputTokens,
      usedTokens: this.requestTokens,
    })
    if (triggered === null) return
    const task = prepareTask({
      session: "eval",
      triggered,
      contextTokens: scribeTokens,
      compartments: this.known().compartments,
      memory: [],
      history: this.messages,
    })
    if (task === null) return
    const judged = judgeAnswer(task, scribe(task))
    this.fold(judged.kind === "taken" ? judged.published : writeExtract(task))
  }

  /** Whether it cut. */
  request(): boolean {
    if (this.scribe !== null) this.summarise(this.scribe)
    const candidate = {
      view: { messages: this.messages, frozen: this.frozen },
      encode: (view: Parameters<typeof render>[0]) =>
        anthropicMessages.encode({ tools: [], system: "", agent: "", ...render(view) }, target),
    }
    const pass: Pass = plan({
      asIs: candidate,
      compacted: () => candidate,
      limits: this.limits,
      history: this.known(),
      refusal: null,
      signals: [],
      executedSeq: 0,
      todos: [],
      newSignal: () => "sig_eval" as SignalId,
      historian: this.scribe === null ? inlineHistorian : { inline: false, running: false, waited: false },
      mode: "primary",
      idle: notIdle,
      previous: this.previous?.blocks ?? null,
      causes: {
        first: this.previous === null,
        modelChanged: false,
        toolsChanged: false,
        optionsChanged: false,
        previousParams: this.previous === null ? null : paramsHash(this.previous.params),
        epochCause: null,
        quarantined: false,
        unsent: null,
        unknown: null,
      },
    })
    if (pass.kind === "stuck") throw new Error("the newest input alone does not fit into the window")
    const boundary = this.frozen.slots?.boundary ?? 0
    for (const fact of pass.records) this.fold(fact as FactOf<"history.published" | "pass.applied">)
    this.messages = this.messages.filter((message) => inWindow(message, this.frozen, 0))
    this.previous = pass.encoded
    this.requestTokens = pass.encoded.tokens
    this.tokens += pass.encoded.tokens
    const cut = (this.frozen.slots?.boundary ?? 0) > boundary
    if (cut) this.cuts += 1
    return cut
  }

  /** Of a fact that the tail no longer has. */
  fateOf(fact: UsedFact): FateName {
    const { slots } = this.frozen
    if (slots === null) return "lost"
    const shownText = ungrouped(`${slots.baseline}\n${slots.delta}`)
    if (fact.shownIn(shownText)) return "inWindow"
    const parts = shownText.split("\n## ").slice(1)
    const shown = new Set(shownTiers(slots).map(({ id }) => id))
    const holding = [...this.items.compartments.values()].filter(
      ({ id, fromSeq, toSeq }) => shown.has(id) && fact.seqs.some((seq) => seq >= fromSeq && seq <= toSeq),
    )
    const named = holding.some(({ id }) => parts.some((part) => isPart(part, id) && fact.namedIn(part)))
    return named ? "oneExpand" : "lost"
  }

  private known(): KnownHistory {
    return { compartments: [...this.items.compartments.values()], end: this.end, expandable: true }
  }

  private fold(fact: FactOf<"history.published" | "pass.applied">): void {
    this.items = advanceItems(this.items, { seq: 1, time: 0, fact })
    if (fact.type === "pass.applied") this.frozen = applyPass(this.frozen, fact)
    else if (fact.type === "history.published") this.end = Math.max(this.end, fact.toSeq)
  }
}

/** Names that share their beginning, each by itself: `a/{b c}` is `a/b a/c`. */
export const ungrouped = (text: string): string =>
  text.replaceAll(/([^\s{}]+)\{([^{}\n]*)\}/g, (_, beginning: string, ends: string) =>
    ends
      .split(" ")
      .map((end) => `${beginning}${end}`)
      .join(" "),
  )

const isPart = (part: string, id: string): boolean =>
  part === id || (/^[ \n]/.test(part.slice(id.length)) && part.startsWith(id))

/** What messages weigh as they are, without any history. */
export function weightOf(messages: readonly Message[]): number {
  const segments = { tools: [], system: "", agent: "", ...render({ messages, frozen: emptyFrozen }) }
  return anthropicMessages.encode(segments, target).tokens
}

const target: Target = {
  provider: "eval",
  model: "eval",
  endpoint: "https://eval.invalid",
  options: plainOptions(outputTokens, {}),
}
