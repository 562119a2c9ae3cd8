/**
 * Rebuild: past requests from the log, block for block (TU1).
 *
 * The log is folded up to the moment a turn started; with the stored selection of that turn the
 * same encoder gives the same request, and the stored hash proves it.
 */
import { Effect } from "effect"
import { lifetimesPlaced } from "@holdfast/llm/cache-lifetime"
import type { Target, ToolDefinition } from "@holdfast/llm/segments"
import { encodedOf } from "@holdfast/llm/blocks"
import { wireNamed } from "@holdfast/llm/known-wires"
import type { Block, PlacedRequest } from "@holdfast/llm/wire"
import { renderVersion } from "@holdfast/recall"
import type { StoreFailure } from "@holdfast/schema/error"
import type { FactOf } from "@holdfast/schema/event"
import type { SessionId } from "@holdfast/schema/id"
import type { SentRequest, Verdict, VerifiedTurn } from "@holdfast/schema/turn-record"
import type { Damage, Store } from "@holdfast/store/port"
import { filledBody } from "../../media/body.ts"
import type { RuntimePorts } from "../ports.ts"
import { encodeState, type FrozenOptions, type Selection } from "./request.ts"
import { advance, emptyState, type SessionState } from "@holdfast/schema/state/state"
import { asSeenAt } from "./past.ts"

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
  yield* foldTurns(store, session, ({ started, startedSeq, ...past }) =>
    Effect.gen(function* () {
      if (startedSeq <= range.afterSeq) return false
      const { verdict } = yield* rebuildTurn(store, started, past)
      verified.push({ turn: started.turn, startedSeq, verdict })
      return verified.length >= range.limit
    }),
  )
  return verified
})

/** The request of one turn, or null if the Session has no such turn. */
export const rebuildSent = Effect.fnUntraced(function* (
  store: Store,
  session: SessionId,
  turn: string,
): Effect.fn.Return<SentRequest | null, StoreFailure> {
  let sent: SentRequest | null = null
  yield* foldTurns(store, session, ({ started, ...past }) =>
    Effect.gen(function* () {
      if (started.turn !== turn) return false
      const { verdict, selection, placed } = yield* rebuildTurn(store, started, past)
      const { endpoint } = started
      sent = {
        turn: started.turn,
        verdict,
        url: selection?.wire.address(endpoint, selection.target.model) ?? endpoint,
        headers: Object.keys(selection?.wire.headers("") ?? {}),
        body: placed === null ? null : yield* bodyText(store, placed),
      }
      return true
    }),
  )
  return sent
})

/** The exact bytes; null where an image of them is gone. */
const bodyText = (store: Store, placed: PlacedRequest): Effect.Effect<string | null, StoreFailure> =>
  filledBody(store, placed).pipe(
    Effect.map((body) => Buffer.concat(body).toString("utf8")),
    Effect.catchTag("MediaLost", () => Effect.succeed(null)),
  )

/** What the log held when a turn started. */
interface Past {
  readonly state: SessionState
  readonly damage: readonly Damage[]
}

interface PastTurn extends Past {
  readonly started: FactOf<"turn.started">
  readonly startedSeq: number
}

/** Folds the log once, and shows each turn as it comes by, until the viewer has seen enough. */
const foldTurns = Effect.fnUntraced(function* (
  store: Store,
  session: SessionId,
  view: (turn: PastTurn) => Effect.Effect<boolean, StoreFailure>,
): Effect.fn.Return<void, StoreFailure> {
  let damage: readonly Damage[] = []
  let state: SessionState = emptyState
  for (let after = 0; ;) {
    const page = yield* store.events(session, after, eventsPageMax)
    damage = [...damage, ...page.damage]
    for (const event of page.events) {
      const { fact: started, seq: startedSeq } = event
      if (started.type === "turn.started") {
        const seen = asSeenAt(state, started.seenSeq)
        if (yield* view({ started, startedSeq, state: seen, damage })) return
      }
      state = advance(state, event)
    }
    const last = Math.max(page.events.at(-1)?.seq ?? 0, page.damage.at(-1)?.seq ?? 0)
    if (last === 0) return
    after = last
  }
})

interface Rebuilt {
  readonly verdict: Verdict
  /** Both null where the stored bytes are gone; what another version wrote is not written again. */
  readonly selection: Selection | null
  readonly placed: PlacedRequest | null
}

const rebuildTurn = Effect.fnUntraced(function* (
  store: Store,
  started: FactOf<"turn.started">,
  { state, damage }: Past,
): Effect.fn.Return<Rebuilt, StoreFailure> {
  const selection = yield* loadSelection(store, started)
  const without = (verdict: Verdict): Rebuilt => ({ verdict, selection, placed: null })
  if (selection === null)
    return without({ kind: "unreadable", problem: "The stored tools or options are missing." })
  const { encoder, hash } = started.request
  if (selection.wire.encoder !== encoder) return without({ kind: "other-encoder", encoder })
  if (selection.render !== renderVersion) return without({ kind: "other-encoder", encoder: selection.render })
  const previousBlocks = state.lastTurn?.started.request.blocks ?? 0
  const encoded = encodeState(state, selection)
  const lifetimes = lifetimesPlaced(started.request.markers)
  const placed = selection.wire.place(encoded, selection.target, previousBlocks, lifetimes)
  const answer = (verdict: Verdict): Rebuilt => ({ verdict, selection, placed })
  if (placed.record.hash === hash) return answer({ kind: "same" })
  if (damage.length > 0) {
    const rows = damage.map((item) => item.seq).join(", ")
    return answer({ kind: "unreadable", problem: `The log has damaged records: ${rows}.` })
  }
  return answer({ kind: "different", expected: hash, found: placed.record.hash })
})

/** The selection a turn was sent with, from its stored bytes; null if they are gone. */
export const loadSelection = Effect.fnUntraced(function* (
  store: Store,
  started: FactOf<"turn.started">,
): Effect.fn.Return<Selection | null, StoreFailure> {
  const tools = yield* store.blob(started.tools)
  const options = yield* store.blob(started.options)
  if (tools === null || options === null) return null
  const frozen = parse<FrozenOptions>(options)
  const wire = yield* wireNamed(frozen.wire)
  if (wire === null) return null
  const target: Target = {
    provider: started.model.provider,
    model: started.model.model,
    endpoint: started.endpoint,
    options: frozen.options,
  }
  const { render, agentPrompt } = frozen
  const { agent } = started
  return {
    wire,
    target,
    contextTokens: 0,
    contextTokensStated: 0,
    tools: parse<readonly ToolDefinition[]>(tools),
    agent,
    agentPrompt,
    render,
  }
})

const decoder = new TextDecoder()
const parse = <A>(bytes: Uint8Array): A => JSON.parse(decoder.decode(bytes)) as A

/**
 * The blocks of the last request, for a process that did not send it. History only grows, so the
 * loaded state still begins with them; if their stored hash says that it does not, they stay unknown.
 */
export const lastBlocks = Effect.fnUntraced(function* (
  ports: Pick<RuntimePorts, "store">,
  state: SessionState,
): Effect.fn.Return<readonly Block[] | null, StoreFailure> {
  const started = state.lastTurn?.started
  if (started === undefined) return null
  const selection = yield* loadSelection(ports.store, started)
  if (selection === null) return null
  const { blocks, prefixHash } = started.request
  const encoded = encodeState(asSeenAt(state, started.seenSeq), selection)
  const begun = encodedOf(encoded.blocks.slice(0, blocks), encoded.params)
  return begun.prefixHash === prefixHash ? begun.blocks : null
})
