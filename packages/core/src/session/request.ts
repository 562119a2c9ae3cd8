/**
 * Request: from Session state to the exact bytes of a provider call.
 *
 * A pure function of durable records (TU1): the state folded from the log, and the frozen
 * selection (tools, options, agent prompt) whose bytes are stored beside the turn. The size gate
 * stands here, before anything is committed (TU6).
 */
import { hash } from "node:crypto"
import type { RequestOptions, Segments, Target, ToolDefinition } from "@holdfast/llm/segments"
import type { Block, Encoded, LintFault, PlacedRequest, Wire } from "@holdfast/llm/wire"
import type { ModelRef } from "@holdfast/schema/model"
import type { Reduction } from "@holdfast/schema/reduction"
import type { BlobWrite } from "@holdfast/store/port"
import {
  fits,
  frozenCut,
  type GateLimits,
  knownWindow,
  learnWindow,
  planImages,
  planReduction,
  reductionShares,
  render,
  renderVersion,
  type SizeRefusal,
} from "@holdfast/recall"
import type { ModelSetup } from "./ports.ts"
import { advance, newestInputs, type SessionState, type TurnState } from "./state.ts"

/** What a request takes from outside the history, frozen for the turn. */
export interface Selection {
  readonly wire: Wire
  readonly target: Target
  readonly contextTokens: number
  readonly tools: readonly ToolDefinition[]
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
  tools: readonly ToolDefinition[],
  agentPrompt: string,
): Selection => ({
  wire: setup.wire,
  target: setup.target,
  contextTokens: setup.contextTokens,
  tools,
  agentPrompt,
  render: renderVersion,
})

/** What a turn is sent with: sealed metadata that the provider refused is not sent to it again (LL4). */
export function selectionFor(
  setup: ModelSetup,
  tools: readonly ToolDefinition[],
  agentPrompt: string,
  last: TurnState | null,
): Selection {
  const selection = selectionOf(setup, tools, agentPrompt)
  const { provider, model, endpoint, options } = setup.target
  const same =
    last?.started.model.provider === provider &&
    last.started.model.model === model &&
    last.started.endpoint === endpoint
  if (!same) return selection
  const traits = { ...options.traits, withoutNative: true }
  const stripped = { ...selection, target: { ...setup.target, options: { ...options, traits } } }
  const refused = last.settled?.reason?.code === "signature_rejected"
  return refused || last.started.options === selectionBlobs(stripped).options.hash ? stripped : selection
}

export function selectionBlobs(selection: Selection): SelectionBlobs {
  const frozen: FrozenOptions = {
    wire: selection.wire.name,
    render: selection.render,
    options: selection.target.options,
    agentPrompt: selection.agentPrompt,
  }
  return { tools: toolsBlob(selection.tools), options: blobOf(frozen) }
}

const toolsBlobs = new WeakMap<readonly ToolDefinition[], BlobWrite>()

/** The same list for as long as no tool comes or goes. */
function toolsBlob(definitions: readonly ToolDefinition[]): BlobWrite {
  const known = toolsBlobs.get(definitions)
  if (known !== undefined) return known
  const tools = definitions.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
  const blob = blobOf(tools)
  toolsBlobs.set(definitions, blob)
  return blob
}

const encoder = new TextEncoder()

function blobOf(value: unknown): BlobWrite {
  const bytes = encoder.encode(JSON.stringify(value))
  return { hash: hash("sha256", bytes), bytes }
}

export function assemble(state: SessionState, selection: Selection): Segments {
  return {
    tools: selection.tools,
    system: state.epoch?.baseline ?? "",
    agent: selection.agentPrompt,
    historyBaseline: [],
    historyDelta: [],
    tail: render({
      messages: state.messages,
      epochSeq: state.epoch?.startedSeq ?? 0,
      reductions: state.reductions,
    }),
  }
}

export const encodeState = (state: SessionState, selection: Selection): Encoded =>
  selection.wire.encode(assemble(state, selection), selection.target)

/** A request that may be sent: sized, linted and placed. */
export interface ReadyRequest {
  readonly kind: "ready"
  readonly blocks: readonly Block[]
  readonly placed: PlacedRequest
  readonly reduction: Reduction | null
}

export type RequestPlan =
  | ReadyRequest
  | {
      readonly kind: "oversize"
      readonly placed: PlacedRequest
      readonly blocks: readonly Block[]
      readonly floor: string
    }
  | {
      readonly kind: "illegal"
      readonly placed: PlacedRequest
      readonly blocks: readonly Block[]
      readonly faults: readonly LintFault[]
    }

/** `refusal`: the provider said that the last request was too long, so this one is cut whatever the estimate says. */
export function planRequest(
  state: SessionState,
  selection: Selection,
  refusal: SizeRefusal | null,
): RequestPlan {
  const { wire, target } = selection
  const previousBlocks = state.lastTurn?.started.request.blocks ?? 0
  const gated = gate(state, selection, refusal)
  const placed = wire.place(gated.encoded, target, previousBlocks)
  const blocks = gated.encoded.blocks
  if (gated.floor !== null) return { kind: "oversize", placed, blocks, floor: gated.floor }
  const faults = wire.lint(gated.encoded, target)
  if (faults.length > 0) return { kind: "illegal", placed, blocks, faults }
  return { kind: "ready", blocks, placed, reduction: gated.reduction }
}

interface Gated {
  readonly encoded: Encoded
  readonly reduction: Reduction | null
  /** What cannot be reduced, when the ceiling cannot be kept. */
  readonly floor: string | null
}

function gate(given: SessionState, selection: Selection, refusal: SizeRefusal | null): Gated {
  const believed = gateLimits(given, selection)
  const window = refusal === null ? null : learnWindow(refusal, believed)
  const limits = window === null ? believed : { ...believed, contextTokens: window }
  const learned = window === null ? {} : { learned: { model: modelOf(selection), contextTokens: window } }
  const images = reduceImages(given)
  const state = images === null ? given : reduced(given, images)
  const encoded = encodeState(state, selection)
  if (refusal === null && fits(encoded.tokens, limits)) {
    const before = images === null ? 0 : encodeState(given, selection).tokens
    const reduction = images && { ...images, tokensBefore: before, tokensAfter: encoded.tokens }
    return { encoded, reduction, floor: null }
  }
  let floor = "the request"
  for (const share of reductionShares) {
    const plan = planReduction(
      gateView(state, encoded),
      limits,
      refusal === null ? "ceiling" : "overflow",
      encoded.tokens,
      share,
    )
    if (plan.kind === "stuck") {
      // Nothing to cut at this depth. A provider that refused less than we believe it takes needs a deeper one.
      floor = plan.floor.map((item) => `${item.name} ${item.tokens} tokens`).join(", ")
      continue
    }
    const encodedAfter = encodeState(reduced(given, plan.reduction), selection)
    if (fits(encodedAfter.tokens, limits)) {
      const reduction = { ...plan.reduction, ...learned, tokensAfter: encodedAfter.tokens }
      return { encoded: encodedAfter, reduction, floor: null }
    }
  }
  return { encoded, reduction: null, floor }
}

const reduced = (state: SessionState, reduction: Reduction): SessionState =>
  advance(state, { type: "reduction.applied", reduction }, state.seq + 1)

/** LL7: with more images than a request may hold, the older ones are named; null if they are not too many. */
function reduceImages(state: SessionState): Reduction | null {
  const frozen = frozenCut(state.reductions)
  const imagesBefore = planImages(state.messages, frozen.imagesBefore)
  if (imagesBefore === null) return null
  return {
    reason: "images",
    keepFrom: Math.max(1, frozen.keepFrom),
    kept: [...frozen.kept],
    messagesCut: 0,
    outputsCut: [],
    imagesBefore,
    tokensBefore: 0,
    tokensAfter: 0,
  }
}

function gateView(state: SessionState, encoded: Encoded) {
  const segmentTokens = (name: Block["segment"]) =>
    encoded.blocks.filter((block) => block.segment === name).reduce((sum, block) => sum + block.tokens, 0)
  return {
    history: {
      messages: state.messages,
      epochSeq: state.epoch?.startedSeq ?? 0,
      reductions: state.reductions,
    },
    fixedTokens: {
      tools: segmentTokens("tools"),
      system: segmentTokens("system"),
      agent: segmentTokens("agent"),
    },
    newestInputs: newestInputs(state.messages),
  }
}

/** The ceiling of this model, and what its last answer told about our estimates. */
const gateLimits = (state: SessionState, selection: Selection): GateLimits => ({
  contextTokens: windowOf(state, selection),
  outputTokens: selection.target.options.generation.outputTokensMax,
  answered: lastAnswered(state, selection),
})

/** The window of this model, as it is known or was learned (TU5). */
export const windowOf = (state: SessionState, selection: Selection): number =>
  knownWindow(state.reductions, modelOf(selection), selection.contextTokens)

/** What this model reported for the last request, beside our estimate of it; null if it did not answer it. */
export function lastAnswered(state: SessionState, selection: Selection): GateLimits["answered"] {
  const last = state.lastTurn
  const usage = last?.settled?.ledger.usage
  const reported = usage ? usage.input + usage.cacheRead + usage.cacheWrite : 0
  const estimated = last?.started.request.tokensEstimated ?? 0
  const sameModel = last?.started.model.model === selection.target.model
  return sameModel && reported > 0 && estimated > 0 ? { reported, estimated } : null
}

const modelOf = ({ target }: Selection): ModelRef => ({ provider: target.provider, model: target.model })
