/**
 * A pass: planned and rendered for one exchange more, with a long history behind the window.
 *
 * The conversation is grown by the planner itself, so that its window holds what a real one does: a History Baseline,
 * compartments and a tail. What is behind it must cost nothing (PS9); how much that is, is told by growth.
 */
import { anthropicMessages } from "@holdfast/llm/anthropic-messages/index"
import { plainOptions } from "@holdfast/llm/options"
import type { Target, ToolDefinition } from "@holdfast/llm/segments"
import type { Block } from "@holdfast/llm/wire"
import { type HistoryView, inlineHistorian, notIdle, plan, render } from "@holdfast/recall"
import type { MessageId, PromptId, Seq, SignalId, TurnId } from "@holdfast/schema/id"
import type { Message } from "@holdfast/schema/message"
import { applyPass, emptyFrozen, inWindow } from "@holdfast/schema/state/frozen"
import { advanceItems, emptyItems } from "@holdfast/schema/state/items"
import type { Readings } from "../report.ts"
import { type Amount, lowest, msOf, nowNs, percentile, samplesOf } from "../sample.ts"

const long = 100_000
const short = 1_000
const samplesEach = 200
/** Exchanges before each pass while a history is only grown. */
const grownAtOnce = 40

export async function measurePlan(amount: Amount): Promise<Readings> {
  const samples = samplesOf(amount, samplesEach)
  const messages = amount.quick ? 4_000 : long
  const [small, large] = [grownTo(short), grownTo(messages)]
  const longMs: number[] = []
  const shortMs: number[] = []
  for (let round = 0; round <= amount.rounds; round++) {
    const found = [passMs(small, samples), passMs(large, samples)] as const
    // The first round warms up.
    if (round === 0) continue
    shortMs.push(found[0])
    longMs.push(found[1])
  }
  const { rounds } = amount
  const note = `${lowest(shortMs).toFixed(2)} ms at ${short} messages`
  return {
    "plan-100000": { value: lowest(longMs), samples, rounds, note },
    "plan-growth": { value: lowest(longMs) / lowest(shortMs), samples, rounds },
  }
}

function grownTo(messages: number): Talk {
  const talk = new Talk()
  while (talk.said < messages) {
    for (let n = 0; n < grownAtOnce; n++) talk.say()
    talk.pass()
  }
  return talk
}

/** The slowest of 19 in 20 passes, one exchange more each. */
function passMs(talk: Talk, samples: number): number {
  const times = Array.from({ length: samples }, () => {
    talk.say()
    const startNs = nowNs()
    talk.pass()
    return msOf(nowNs() - startNs)
  })
  return percentile(times, 0.95)
}

/** What core holds between two passes. */
class Talk {
  said = 0
  #messages: readonly Message[] = []
  #frozen = emptyFrozen
  #items = emptyItems
  #historyEnd = 0
  #previous: readonly Block[] | null = null

  /** An answer and the next input. */
  say(): void {
    this.#messages = [...this.#messages, answer(this.said + 1), input(this.said + 2)]
    this.said += 2
  }

  pass(): void {
    const { compartments, signals, executedSeq, todos } = this.#items
    const candidate = { view: { messages: this.#messages, frozen: this.#frozen }, encode }
    const pass = plan({
      asIs: candidate,
      compacted: () => candidate,
      limits: { contextTokens: 200_000, outputTokens: 8_192, answered: null },
      history: { compartments: [...compartments.values()], end: this.#historyEnd, expandable: true },
      historian: inlineHistorian,
      mode: "primary",
      idle: notIdle,
      refusal: null,
      signals: [...signals.values()],
      executedSeq,
      todos: todos.list,
      newSignal: () => `sig_${this.said}` as SignalId,
      previous: this.#previous,
      causes: {
        first: this.#previous === null,
        modelChanged: false,
        toolsChanged: false,
        optionsChanged: false,
        previousParams: null,
        epochCause: null,
        quarantined: false,
        unsent: null,
        unknown: null,
      },
    })
    if (pass.kind === "stuck") throw new Error("A short message does not fit.")
    this.#previous = pass.encoded.blocks
    for (const fact of pass.records) {
      this.#items = advanceItems(this.#items, { seq: this.said as Seq, time: 0, fact })
      if (fact.type === "history.published") this.#historyEnd = Math.max(this.#historyEnd, fact.toSeq)
    }
    if (pass.applied === null) return
    this.#frozen = applyPass(this.#frozen, pass.applied)
    this.#messages = this.#messages.filter((message) => inWindow(message, this.#frozen, 0))
  }
}

const target: Target = {
  provider: "bench",
  model: "bench",
  endpoint: "http://127.0.0.1",
  options: plainOptions(8_192),
}

const tools: readonly ToolDefinition[] = [
  { name: "read", description: "Reads a file.", inputSchema: { type: "object", properties: {} } },
]

const encode = (view: HistoryView) =>
  anthropicMessages.encode({ tools, system: "You work in a project.", agent: "", ...render(view) }, target)

const words = "Which part of the request repeats the one before it, and where does it break? ".repeat(10)

const input = (seq: number): Message => ({
  id: `msg_${seq}` as MessageId,
  seq,
  kind: "user",
  prompt: `prm_${seq}` as PromptId,
  text: `Look at src/file-${seq}.ts. ${words}`,
})

const answer = (seq: number): Message => ({
  id: `msg_${seq}` as MessageId,
  seq,
  kind: "assistant",
  turn: `trn_${seq}` as TurnId,
  parts: [{ index: 0, part: { type: "text", text: `Part ${seq} holds. ${words}`, interrupted: false } }],
})
