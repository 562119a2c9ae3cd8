/**
 * What a model still has of a long session (`npm run eval -- window`).
 *
 * A recorded session is put through recall's own planner in a small window, answer by answer. Of each
 * answer the facts that it uses are looked for: names, paths and numbers that were said before and are
 * rare, and what the user had said of the same. Counted are those whose last mention has left the tail:
 * they are in the window all the same, one `context_expand` away (the window shows the last part of the
 * name, or the message of the user, on the compartment that holds it), or lost. Beside it stands plain
 * truncation to the same size.
 */
import { anthropicMessages } from "@holdfast/llm/anthropic-messages/index"
import { paramsHash } from "@holdfast/llm/blocks"
import { plainOptions } from "@holdfast/llm/options"
import type { Target } from "@holdfast/llm/segments"
import type { Encoded } from "@holdfast/llm/wire"
import { type KnownHistory, type Pass, plan, render, shownTiers, type WindowLimits } from "@holdfast/recall"
import type { FactOf } from "@holdfast/schema/event"
import type { Message } from "@holdfast/schema/message"
import { applyPass, emptyFrozen, type Frozen, inWindow } from "@holdfast/schema/state/frozen"
import { advanceItems, emptyItems, type Items } from "@holdfast/schema/state/items"
import { factsUsed, makeIndex, noteMessage, textOf, type UsedFact } from "./facts.ts"

export interface Fate {
  readonly inWindow: number
  readonly oneExpand: number
  readonly lost: number
  /** Of these, what the user or the model had said or a call had asked for. */
  readonly spoken: { readonly inWindow: number; readonly oneExpand: number; readonly lost: number }
}

export interface WindowFigures {
  readonly name: string
  readonly answers: number
  readonly cuts: number
  readonly averageTokens: number
  readonly recall: Fate
  readonly truncation: Fate & { readonly averageTokens: number }
}

const none = { inWindow: 0, oneExpand: 0, lost: 0 }
export const noFate: Fate = { ...none, spoken: none }

const add = (a: Fate["spoken"], b: Fate["spoken"]): Fate["spoken"] => ({
  inWindow: a.inWindow + b.inWindow,
  oneExpand: a.oneExpand + b.oneExpand,
  lost: a.lost + b.lost,
})

export const addFates = (a: Fate, b: Fate): Fate => ({ ...add(a, b), spoken: add(a.spoken, b.spoken) })

const outputTokens = 4_000
const share = 0.3

export function evaluateWindow(
  name: string,
  messages: readonly Message[],
  contextTokens: number,
): WindowFigures {
  const limits: WindowLimits = { contextTokens, outputTokens, answered: null }
  const index = makeIndex()
  const truncated = new Truncation(limits)
  const session = new Recalled(limits)
  let recall = noFate
  let truncation = noFate
  let answers = 0
  for (const message of messages) {
    if (message.kind === "assistant" && session.messages.length > 0) {
      answers += 1
      session.request()
      truncated.request()
      const used = factsUsed(index, message)
      recall = addFates(recall, session.judge(used))
      truncation = addFates(truncation, truncated.judge(used))
    }
    session.messages = [...session.messages, message]
    truncated.messages = [...truncated.messages, message]
    noteMessage(index, message)
  }
  return {
    name,
    answers,
    cuts: session.cuts,
    averageTokens: Math.round(session.tokens / Math.max(1, answers)),
    recall,
    truncation: { ...truncation, averageTokens: Math.round(truncated.tokens / Math.max(1, answers)) },
  }
}

/** A session as the runtime would send it. */
class Recalled {
  messages: readonly Message[] = []
  tokens = 0
  cuts = 0
  private frozen: Frozen = emptyFrozen
  private items: Items = emptyItems
  private end = 0
  private previous: Encoded | null = null
  private readonly limits: WindowLimits

  constructor(limits: WindowLimits) {
    this.limits = limits
  }

  request(): void {
    const candidate = {
      view: { messages: this.messages, frozen: this.frozen },
      encode: (view: Parameters<typeof render>[0]) =>
        anthropicMessages.encode({ tools: [], system: "", agent: "", ...render(view) }, target),
    }
    const pass: Pass = plan({
      asIs: candidate,
      compacted: () => candidate,
      limits: this.limits,
      history: this.history(),
      refusal: null,
      asked: [],
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
    for (const fact of pass.records) this.fold(fact as FactOf<"history.published" | "pass.applied">)
    this.messages = this.messages.filter((message) => inWindow(message, this.frozen, 0))
    this.previous = pass.encoded
    this.tokens += pass.encoded.tokens
    if (pass.applied?.reason.startsWith("cut_") === true) this.cuts += 1
  }

  judge(used: readonly UsedFact[]): Fate {
    const slots = this.frozen.slots
    if (slots === null) return noFate
    const tail = this.messages.map(textOf).join("\n")
    const parts = slots.baseline.split("\n## ").slice(1)
    const shown = new Set(shownTiers(slots).map(({ id }) => id))
    const spans = [...this.items.compartments.values()].filter(({ id }) => shown.has(id))
    return count(used, tail, (fact) => {
      if (fact.shownIn(slots.baseline)) return "inWindow"
      const holding = spans.filter(({ fromSeq, toSeq }) =>
        fact.seqs.some((seq) => seq >= fromSeq && seq <= toSeq),
      )
      const named = holding.some(({ id }) => parts.some((part) => isPart(part, id) && fact.namedIn(part)))
      return named ? "oneExpand" : "lost"
    })
  }

  private history(): KnownHistory {
    return { compartments: [...this.items.compartments.values()], end: this.end, expandable: true }
  }

  private fold(fact: FactOf<"history.published" | "pass.applied">): void {
    this.items = advanceItems(this.items, { seq: 1, fact })
    if (fact.type === "pass.applied") this.frozen = applyPass(this.frozen, fact)
    else this.end = Math.max(this.end, fact.toSeq)
  }
}

const isPart = (part: string, id: string): boolean =>
  part === id || (/^[ \n]/.test(part.slice(id.length)) && part.startsWith(id))

/** The newest messages that fit, and nothing else. */
class Truncation {
  messages: readonly Message[] = []
  tokens = 0
  private gone = false
  private readonly limits: WindowLimits

  constructor(limits: WindowLimits) {
    this.limits = limits
  }

  request(): void {
    if (this.weight(this.messages) > this.limits.contextTokens - outputTokens) {
      const kept: Message[] = []
      let tokens = 0
      for (const message of this.messages.toReversed()) {
        tokens += this.weight([message])
        if (kept.length > 0 && tokens > this.limits.contextTokens * share) break
        kept.unshift(message)
      }
      this.messages = kept
      this.gone = true
    }
    this.tokens += this.weight(this.messages)
  }

  judge(used: readonly UsedFact[]): Fate {
    if (!this.gone) return noFate
    return count(used, this.messages.map(textOf).join("\n"), () => "lost")
  }

  private weight(messages: readonly Message[]): number {
    const { historyBaseline: _, historyDelta: __, ...shown } = render({ messages, frozen: emptyFrozen })
    const segments = { tools: [], system: "", agent: "", historyBaseline: [], historyDelta: [], ...shown }
    return anthropicMessages.encode(segments, target).tokens
  }
}

function count(
  used: readonly UsedFact[],
  tail: string,
  fateOf: (fact: UsedFact) => keyof Fate["spoken"],
): Fate {
  const [all, spoken] = [{ ...none }, { ...none }]
  for (const fact of used) {
    if (fact.shownIn(tail)) continue
    const fate = fateOf(fact)
    all[fate] += 1
    if (fact.spoken) spoken[fate] += 1
  }
  return { ...all, spoken }
}

const target: Target = {
  provider: "eval",
  model: "eval",
  endpoint: "https://eval.invalid",
  options: plainOptions(outputTokens, {}),
}
