/**
 * Rebuild: past requests from the log, block for block (TU1).
 *
 * The log is folded up to the moment a turn started; with the stored selection of that turn the
 * same encoder gives the same request, and the stored hash proves it.
 */
import { Effect } from "effect"
import type { Target, ToolDefinition } from "@holdfast/llm/segments"
import type { Block, Wire } from "@holdfast/llm/wire"
import { wires } from "@holdfast/llm/wires"
import { renderVersion } from "@holdfast/recall"
import type { StoreFailure } from "@holdfast/schema/error"
import type { FactOf } from "@holdfast/schema/event"
import type { SessionId } from "@holdfast/schema/id"
import type { Verdict, VerifiedTurn } from "@holdfast/schema/turn-record"
import type { Damage, Store } from "@holdfast/store/port"
import type { Memory } from "./lead.ts"
import type { RuntimePorts } from "./ports.ts"
import { encodeState, type FrozenOptions, type Selection } from "./request.ts"
import { advance, emptyState, type SessionState } from "./state.ts"

const eventsPageMax = 1_000

/** Turns above a sequence, and how many of them. */
export interface VerifyRange {
  readonly afterSeq: number
  readonly limit: number
}

const wholeRange: VerifyRange = { afterSeq: 0, limit: Number.MAX_SAFE_INTEGER }

/** Folds the log once and checks each turn of the range as it comes by. */
export const verifyTurns = Effect.fnUntraced(function* (
  store: Store,
  session: SessionId,
  range: VerifyRange = wholeRange,
): Effect.fn.Return<readonly VerifiedTurn[], StoreFailure> {
  const verified: VerifiedTurn[] = []
  let damage: readonly Damage[] = []
  let state: SessionState = emptyState
  for (let after = 0; ;) {
    const page = yield* store.events(session, after, eventsPageMax)
    damage = [...damage, ...page.damage]
    for (const event of page.events) {
      if (event.fact.type === "turn.started" && event.seq > range.afterSeq) {
        verified.push(yield* verifyTurn(store, state, event.fact, event.seq, damage))
        if (verified.length >= range.limit) return verified
      }
      state = advance(state, event.fact, event.seq)
    }
    const last = Math.max(page.events.at(-1)?.seq ?? 0, page.damage.at(-1)?.seq ?? 0)
    if (last === 0) return verified
    after = last
  }
})

const verifyTurn = Effect.fnUntraced(function* (
  store: Store,
  state: SessionState,
  started: FactOf<"turn.started">,
  startedSeq: number,
  damage: readonly Damage[],
): Effect.fn.Return<VerifiedTurn, StoreFailure> {
  const answer = (verdict: Verdict): VerifiedTurn => ({ turn: started.turn, startedSeq, verdict })
  const selection = yield* loadSelection(store, started)
  if (selection === null)
    return answer({ kind: "unreadable", problem: "The stored tools or options are missing." })
  const { encoder, hash } = started.request
  if (selection.wire.encoder !== encoder) return answer({ kind: "other-encoder", encoder })
  if (selection.render !== renderVersion) return answer({ kind: "other-encoder", encoder: selection.render })
  const previousBlocks = state.lastTurn?.started.request.blocks ?? 0
  const placed = selection.wire.place(encodeState(state, selection), selection.target, previousBlocks)
  if (placed.record.hash === hash) return answer({ kind: "same" })
  if (damage.length > 0) {
    const rows = damage.map((item) => item.seq).join(", ")
    return answer({ kind: "unreadable", problem: `The log has damaged records: ${rows}.` })
  }
  return answer({ kind: "different", expected: hash, found: placed.record.hash })
})

/** The selection a turn was sent with, from its stored bytes; null if they are gone. */
const loadSelection = Effect.fnUntraced(function* (
  store: Store,
  started: FactOf<"turn.started">,
): Effect.fn.Return<Selection | null, StoreFailure> {
  const tools = yield* store.blob(started.tools)
  const options = yield* store.blob(started.options)
  if (tools === null || options === null) return null
  const frozen = parse<FrozenOptions>(options)
  const wire: Wire | undefined = wires[frozen.wire]
  if (wire === undefined) return null
  const target: Target = {
    provider: started.model.provider,
    model: started.model.model,
    endpoint: started.endpoint,
    options: frozen.options,
  }
  const { render, agentPrompt } = frozen
  return {
    wire,
    target,
    contextTokens: 0,
    tools: parse<readonly ToolDefinition[]>(tools),
    agentPrompt,
    render,
  }
})

const decoder = new TextDecoder()
const parse = <A>(bytes: Uint8Array): A => JSON.parse(decoder.decode(bytes)) as A

/**
 * The blocks of the last request, for a process that did not send it. History only grows, so the
 * loaded state still begins with them; if it does not, they stay unknown.
 */
export const rememberBlocks = Effect.fnUntraced(function* (
  ports: RuntimePorts,
  memory: Memory,
): Effect.fn.Return<Memory, StoreFailure> {
  const started = memory.state.lastTurn?.started
  if (started === undefined) return memory
  const selection = yield* loadSelection(ports.store, started)
  if (selection === null) return memory
  const encoded = encodeState(memory.state, selection)
  const blocks: readonly Block[] = encoded.blocks.slice(0, started.request.blocks)
  return { ...memory, previousBlocks: blocks }
})
