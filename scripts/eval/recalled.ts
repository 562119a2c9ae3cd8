/** A session as the runtime would send it, in a window of a given size, and what a fact has become in it. */
import { anthropicMessages } from "@holdfast/llm/anthropic-messages/index"
import { paramsHash } from "@holdfast/llm/blocks"
import { plainOptions } from "@holdfast/llm/options"
import type { Target } from "@holdfast/llm/segments"
import type { Encoded } from "@holdfast/llm/wire"
import {
  inlineHistorian,
  type KnownHistory,
  notIdle,
  type Pass,
  plan,
  render,
  shownTiers,
  type WindowLimits,
} from "@holdfast/recall"
import type { FactOf } from "@holdfast/schema/event"
import type { SignalId } from "@holdfast/schema/id"
import type { Message } from "@holdfast/schema/message"
import { applyPass, emptyFrozen, type Frozen, inWindow } from "@holdfast/schema/state/frozen"
import { advanceItems, emptyItems, type Items } from "@holdfast/schema/state/items"
import { textOf, type UsedFact } from "./facts.ts"
import type { FateName } from "./window.ts"

const outputTokens = 4_000

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

  constructor(contextTokens: number) {
    this.limits = { contextTokens, outputTokens, answered: null }
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

  /** Whether it cut. */
  request(): boolean {
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
      historian: inlineHistorian,
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
