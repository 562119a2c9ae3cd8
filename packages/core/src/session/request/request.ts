/**
 * Request: from Session state to the blocks of a provider call.
 *
 * A pure function of durable records (TU1): the state folded from the log, and the frozen
 * selection (tools, options, agent prompt) whose bytes are stored beside the turn. What of the
 * history is shown, and whether it fits, is recall's business.
 */
import { hash } from "node:crypto"
import type { RequestOptions, Segments, Target, ToolDefinition } from "@holdfast/llm/segments"
import type { Encoded, Wire } from "@holdfast/llm/wire"
import type { ModelRef } from "@holdfast/schema/model"
import type { FactOf } from "@holdfast/schema/event"
import type { BlobWrite } from "@holdfast/store/port"
import {
  expandToolName,
  type HistoryView,
  type KnownHistory,
  knownWindow,
  reduceToolName,
  render,
  renderVersion,
  type WindowLimits,
} from "@holdfast/recall"
import { historyOf, type SessionState, type TurnState } from "@holdfast/schema/state/state"
import { keepNewest } from "../../newest.ts"
import type { Agent, ModelSetup, Sample } from "../ports.ts"

/** What a request takes from outside the history, frozen for the turn. */
export interface Selection {
  readonly wire: Wire
  readonly target: Target
  /** What is believed of the model's window, with what any Session learned of it. */
  readonly contextTokens: number
  /** What the model itself states. */
  readonly contextTokensStated: number
  /** The execute threshold, where somebody set one (PS5). */
  readonly executeShare?: number | null
  /** Whether old answers are to be told in fewer words (TG5). */
  readonly textCompression?: boolean
  readonly tools: readonly ToolDefinition[]
  readonly agent: string
  readonly agentPrompt: string
  /** Version of the renderer of history. */
  readonly render: string
}

/** The stored form of a Selection: two content-addressed documents (TU1). */
export interface FrozenOptions {
  readonly wire: string
  readonly render: string
  readonly options: RequestOptions
  readonly agentPrompt: string
}

export interface SelectionBlobs {
  readonly tools: BlobWrite
  readonly options: BlobWrite
}

const selectionOf = (
  setup: ModelSetup,
  { tools, agent, executeShare, textCompression = false }: Sample,
): Selection => ({
  wire: setup.wire,
  target: targetOf(setup.target, agent),
  contextTokens: setup.contextTokens,
  contextTokensStated: setup.contextTokens,
  executeShare: executeShare ?? null,
  textCompression,
  tools: tools.tools,
  agent: agent.name,
  agentPrompt: agent.prompt,
  render: renderVersion,
})

/** What the agent asks for goes over what the model is configured with (TL6). */
function targetOf(target: Target, { temperature = null }: Agent): Target {
  if (temperature === null) return target
  const { options } = target
  return { ...target, options: { ...options, generation: { ...options.generation, temperature } } }
}

/** What a turn is sent with: sealed metadata that the provider refused is not sent to it again (LL4). */
export function selectionFor(setup: ModelSetup, sample: Sample, last: TurnState | null): Selection {
  const selection = selectionOf(setup, sample)
  const { provider, model, endpoint, options } = selection.target
  const same =
    last?.started.model.provider === provider &&
    last.started.model.model === model &&
    last.started.endpoint === endpoint
  const refused = last?.settled?.reason?.code === "signature_rejected"
  if (!same || (!refused && last.started.options === selectionBlobs(selection).options.hash)) return selection
  const traits = { ...options.traits, withoutNative: true }
  const stripped = { ...selection, target: { ...selection.target, options: { ...options, traits } } }
  return refused || last.started.options === selectionBlobs(stripped).options.hash ? stripped : selection
}

export const selectionBlobs = (selection: Selection): SelectionBlobs => ({
  tools: toolsBlob(selection.tools),
  options: optionsBlobOf(selection),
})

interface AskedOptions {
  readonly of: FrozenOptions
  readonly blob: BlobWrite
}

/** A turn asks several times for the same options. */
const optionsAsked = new WeakMap<RequestOptions, AskedOptions>()

function optionsBlobOf({ wire, render: version, target: { options }, agentPrompt }: Selection): BlobWrite {
  const asked = optionsAsked.get(options)
  if (asked?.of.wire === wire.name && asked.of.render === version && asked.of.agentPrompt === agentPrompt)
    return asked.blob
  const frozen: FrozenOptions = { wire: wire.name, render: version, options, agentPrompt }
  const blob = optionsBlob(JSON.stringify(frozen))
  optionsAsked.set(options, { of: frozen, blob })
  return blob
}

/** Those of the turn before are nearly always those of this one. */
const optionsBlobs = new Map<string, BlobWrite>()
const optionsBlobsMax = 16

function optionsBlob(json: string): BlobWrite {
  const blob = optionsBlobs.get(json) ?? blobOf(json)
  keepNewest(optionsBlobs, json, blob, optionsBlobsMax)
  return blob
}

const toolsBlobs = new WeakMap<readonly ToolDefinition[], BlobWrite>()

/** The same list for as long as no tool comes or goes. */
function toolsBlob(definitions: readonly ToolDefinition[]): BlobWrite {
  const known = toolsBlobs.get(definitions)
  if (known !== undefined) return known
  const tools = definitions.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
  const blob = blobOf(JSON.stringify(tools))
  toolsBlobs.set(definitions, blob)
  return blob
}

const encoder = new TextEncoder()

function blobOf(json: string): BlobWrite {
  const bytes = encoder.encode(json)
  return { hash: hash("sha256", bytes), bytes }
}

export const viewOf = (state: SessionState): HistoryView => ({
  messages: historyOf(state),
  frozen: state.frozen,
})

/** What is known of the history behind the window. */
export const knownHistory = (
  { items, summary }: SessionState,
  selection: Selection,
  {
    memory = null,
    docs = [],
    uncovered = [],
  }: Pick<Partial<KnownHistory>, "memory" | "docs" | "uncovered"> = {},
): KnownHistory => ({
  memory,
  docs,
  uncovered,
  compartments: [...items.compartments.values()],
  end: summary.historyEnd,
  expandable: hasTool(selection, expandToolName),
})

/** Whether units begin with their tags, which are sequences (TG1, MD1). */
export const showsTags = (selection: Selection): boolean => hasTool(selection, reduceToolName)

export const assemble = (baseline: string, view: HistoryView, selection: Selection): Segments => ({
  tools: selection.tools,
  system: baseline,
  agent: selection.agentPrompt,
  ...render(view, showsTags(selection)),
})

const hasTool = ({ tools }: Selection, called: string): boolean => tools.some(({ name }) => name === called)

export const encodeView = (baseline: string, view: HistoryView, selection: Selection): Encoded =>
  selection.wire.encode(assemble(baseline, view, selection), selection.target)

export const encodeState = (state: SessionState, selection: Selection): Encoded =>
  encodeView(state.epoch?.baseline ?? "", viewOf(state), selection)

/** The ceiling of this model, and what its last answer told about our estimates. */
export const windowLimits = (state: SessionState, selection: Selection): WindowLimits => ({
  contextTokens: contextTokensOf(state, selection),
  outputTokens: selection.target.options.generation.outputTokensMax,
  answered: lastAnswered(state, selection),
  executeShare: selection.executeShare ?? null,
})

/** The window of this model, as it is known or was learned (TU5). */
export const contextTokensOf = ({ limits }: SessionState, selection: Selection): number =>
  knownWindow(limits, modelOf(selection), selection.contextTokens)

export const limitLearned = (selection: Selection, contextTokens: number): FactOf<"limit.learned"> => ({
  type: "limit.learned",
  model: modelOf(selection),
  contextTokens,
})

/** What this model reported for the last request, beside our estimate of it; null if it did not answer it. */
function lastAnswered(state: SessionState, selection: Selection): WindowLimits["answered"] {
  const last = state.lastTurn
  // That of one request: a row holds all attempts together.
  const usage = last?.settled?.ledger.attempts.at(-1)?.usage
  const reported = usage ? usage.input + usage.cacheRead + usage.cacheWrite : 0
  const estimated = last?.started.request.tokensEstimated ?? 0
  const sameModel = last?.started.model.model === selection.target.model
  return sameModel && reported > 0 && estimated > 0 ? { reported, estimated } : null
}

export const modelOf = ({ target }: Selection): ModelRef => ({
  provider: target.provider,
  model: target.model,
})
