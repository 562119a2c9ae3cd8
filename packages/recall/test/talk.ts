/**
 * A conversation as a boundary sees it: what core loads before a plan and stores behind it, as
 * values. The wire is a real one, so that a Hold is a Hold of bytes.
 */
import { anthropicMessages } from "@holdfast/llm/anthropic-messages/index"
import { paramsHash } from "@holdfast/llm/blocks"
import { plainOptions } from "@holdfast/llm/options"
import type { Target, ToolDefinition } from "@holdfast/llm/segments"
import type { Encoded } from "@holdfast/llm/wire"
import {
  type Candidate,
  type Idle,
  inlineHistorian,
  type HistorianState,
  type KnownHistory,
  type Mode,
  notIdle,
  type Pass,
  type PassCauses,
  type PassQuestion,
  plan,
  render,
  type SizeRefusal,
  type WindowLimits,
} from "@holdfast/recall"
import type { Fact, FactOf } from "@holdfast/schema/event"
import type { SignalRaised } from "@holdfast/schema/fact/recall"
import type { SignalId } from "@holdfast/schema/id"
import type { Message } from "@holdfast/schema/message"
import { advanceItems, emptyItems, type Items } from "@holdfast/schema/state/items"
import { applyPass, emptyFrozen, type Frozen, inWindow } from "@holdfast/schema/state/frozen"
import { assistant, text, user, words } from "./history.ts"

export interface Talk {
  readonly messages: readonly Message[]
  readonly frozen: Frozen
  readonly baseline: string
  /** The Baseline that a replacement would begin with. */
  readonly fresh: string
  readonly agent: string
  readonly tools: readonly ToolDefinition[]
  readonly model: string
  readonly thinkingTokens: number | null
  readonly systemRole: boolean
  readonly limits: WindowLimits
  /** Whether a source that cannot be read keeps the Epoch in force (EP8). */
  readonly blocked: boolean
  readonly last: { readonly talk: Talk; readonly encoded: Encoded } | null
  /** What is known of the project; nothing unless given. */
  readonly memory?: KnownHistory["memory"]
  readonly docs?: NonNullable<KnownHistory["docs"]>
  readonly facts: readonly FactOf<"pass.applied">[]
  readonly published: readonly FactOf<"history.published">[]
  readonly items: Items
  readonly historyEnd: number
}

export const talk = (messages: readonly Message[], more: Partial<Talk> = {}): Talk => ({
  messages,
  frozen: emptyFrozen,
  baseline: "You are an agent.",
  fresh: freshBaseline,
  agent: "Build what is asked.",
  tools: [tool("read")],
  model: "claude-test",
  thinkingTokens: null,
  systemRole: false,
  limits: { contextTokens: 10_000, outputTokens: 1_000, answered: null },
  blocked: false,
  last: null,
  facts: [],
  published: [],
  items: emptyItems,
  historyEnd: 0,
  ...more,
})

export const freshBaseline = "You are an agent. All that is known now."

export const tool = (name: string): ToolDefinition => ({
  name,
  description: "Does it.",
  inputSchema: { type: "object", properties: {} },
})

export interface Asking {
  readonly refusal?: SizeRefusal
  /** Signals by which a person asks for a cut, and others that wait beside those of the talk. */
  readonly signals?: readonly SignalId[]
  readonly waiting?: PassQuestion["signals"]
  readonly idle?: Idle
  readonly mode?: Mode
  readonly historian?: HistorianState
  readonly causes?: Partial<PassCauses>
}

export const signal = (id: string, kind: SignalRaised["kind"]): SignalRaised => ({
  type: "signal.raised",
  signal: id as SignalId,
  kind,
  detail: {},
})

export const planned = (asked: Talk, { refusal, signals, causes, ...more }: Asking = {}): Pass =>
  plan({
    asIs: candidateOf(asked),
    compacted: () => (asked.blocked ? null : candidateOf(compacted(asked))),
    limits: asked.limits,
    history: historyOf(asked),
    refusal: refusal ?? null,
    signals: [
      ...asked.items.signals.values(),
      ...(more.waiting ?? []),
      ...(signals ?? []).map((id) => signal(id, "fold")),
    ],
    executedSeq: asked.items.executedSeq,
    todos: asked.items.todos.list,
    newSignal: () => `sig_${asked.messages.length}` as SignalId,
    idle: more.idle ?? notIdle,
    mode: more.mode ?? "primary",
    historian: more.historian ?? inlineHistorian,
    previous: asked.last?.encoded.blocks ?? null,
    causes: { ...causesOf(asked), ...causes },
  })

/** The pass, and the conversation behind it. */
export function ask(asked: Talk, asking: Asking = {}): { readonly pass: Pass; readonly after: Talk } {
  const pass = planned(asked, asking)
  if (pass.kind === "stuck") return { pass, after: asked }
  const opened = pass.endsEpoch ? compacted(asked) : asked
  const frozen = pass.applied === null ? asked.frozen : applyPass(asked.frozen, pass.applied)
  const after = {
    ...opened,
    messages: opened.messages.filter((message) => inWindow(message, frozen, 0)),
    frozen,
    facts: [...asked.facts, ...(pass.applied === null ? [] : [pass.applied])],
    ...recordedAfter(asked, pass.records),
  }
  return { pass, after: { ...after, last: { talk: { ...after, last: null }, encoded: pass.encoded } } }
}

const recordedAfter = ({ items, historyEnd, published }: Talk, facts: readonly Fact[]) => {
  const more = facts.flatMap((fact) => (fact.type === "history.published" ? [fact] : []))
  return {
    published: [...published, ...more],
    items: facts.reduce((folded, fact) => advanceItems(folded, { seq: 1, time: 0, fact }), items),
    historyEnd: Math.max(historyEnd, ...more.map(({ toSeq }) => toSeq)),
  }
}

/** The conversation behind what a historian published. */
export const publishedTo = (asked: Talk, ...facts: readonly FactOf<"history.published">[]): Talk => ({
  ...asked,
  ...recordedAfter(asked, facts),
})

/** What the log says of the history behind the window. */
export const historyOf = ({ items, historyEnd, memory = null, docs = [] }: Talk): KnownHistory => ({
  memory,
  docs,
  compartments: [...items.compartments.values()],
  end: historyEnd,
  expandable: true,
})

export const grown = (asked: Talk, ...messages: readonly Message[]): Talk => ({
  ...asked,
  messages: [...asked.messages, ...messages],
})

/** As another process would load it: frozen state from the facts alone, no object shared. */
export function restarted(asked: Talk): Talk {
  const facts = structuredClone(asked.facts)
  const fresh = { ...asked, items: emptyItems, historyEnd: 0, published: [] }
  return {
    ...asked,
    ...recordedAfter(fresh, structuredClone(asked.published)),
    messages: structuredClone(asked.messages),
    frozen: facts.reduce(applyPass, emptyFrozen),
  }
}

export const encodeTalk = (asked: Talk): Encoded => {
  const { view, encode } = candidateOf(asked)
  return encode(view)
}

/** Everything that a model would read. */
export const said = (encoded: Encoded): string => encoded.blocks.map(({ json }) => json).join("\n")

const compacted = (asked: Talk): Talk => ({
  ...asked,
  messages: asked.messages.filter(({ kind }) => kind !== "system"),
  baseline: asked.fresh,
})

const candidateOf = (asked: Talk): Candidate => ({
  view: { messages: asked.messages, frozen: asked.frozen },
  encode: (view) =>
    anthropicMessages.encode(
      { tools: asked.tools, system: asked.baseline, agent: asked.agent, ...render(view) },
      targetOf(asked),
    ),
})

const targetOf = ({ model, thinkingTokens, systemRole, limits }: Talk): Target => ({
  provider: "anthropic",
  model,
  endpoint: "https://api.example",
  options: plainOptions(limits.outputTokens, {
    model: thinkingTokens === null ? {} : { reasoning: { kind: "budget", tokens: thinkingTokens } },
    traits: { systemRole },
  }),
})

function causesOf(asked: Talk): PassCauses {
  const before = asked.last?.talk ?? asked
  return {
    first: asked.last === null,
    modelChanged: before.model !== asked.model,
    toolsChanged: before.tools !== asked.tools,
    optionsChanged: before.agent !== asked.agent || before.thinkingTokens !== asked.thinkingTokens,
    previousParams: asked.last === null ? null : paramsHash(asked.last.encoded.params),
    epochCause: null,
    quarantined: false,
    unsent: null,
    unknown: null,
  }
}

/** A window that rounds of 1,000 tokens fill evenly. */
export const limits = { contextTokens: 42_000, outputTokens: 2_000, answered: null }

/** A conversation of so many rounds of 1,000 tokens that was answered once before. */
export function rounds(count: number, more: Partial<Talk> = {}): Talk {
  const first = ask(talk([user(1, "begin")], { limits, ...more })).after
  const later = Array.from({ length: count }, (_, n) => [
    assistant(10 * n + 2, text(words(500))),
    user(10 * n + 3, `round ${n} ${words(480)}`),
  ]).flat()
  return grown(first, ...later)
}
