/** The history of the leading Session, for its own context tools: read from the store, never more than a page (TL4). */
import { Effect, Schema } from "effect"
import {
  askDrop,
  callAlone,
  tokensAsCounted,
  droppedFrom,
  type ExpandedPage,
  expandPage,
  type ExpandRange,
  knownWindow,
  pageBytesInWindow,
  recallStatus,
  shownCompartments,
  shownMemories as shownMemoriesOf,
  type WindowLimits,
} from "@holdfast/recall"
import { SessionId, type SignalId } from "@holdfast/schema/id"
import type { Message } from "@holdfast/schema/message"
import { formatModelRef } from "@holdfast/schema/model"
import { isReverted } from "@holdfast/schema/state/items"
import { makeMeaning } from "../../embedding/embedding.ts"
import { projectOf } from "../../memory/known.ts"
import { countUses } from "../../memory/uses.ts"
import { makeSearch } from "../../search/search.ts"
import type { SessionHistory } from "../../tools/context/session-history.ts"
import { ToolFailure } from "../../tools/index.ts"
import { append, type Lead } from "../lead.ts"
import { lastTaken, newestTurns } from "../refusal/refusal.ts"
import { viewOf } from "../request/request.ts"

/** A page holds no more of them. */
const messagesPerPage = 200

export const sessionHistory = (lead: Lead, executeShare: number | null = null): SessionHistory => ({
  expand: (range, offset, session) => {
    const page = Effect.map(limitsNow(lead, executeShare), ({ limits, estimated }) => {
      const { state } = lead.loaded
      const answer = state.lastTurn?.started.message ?? null
      return {
        offset,
        bytesMax: pageBytesInWindow({ view: viewOf(state), answer, limits, tokens: estimated }),
      }
    })
    const own = session === undefined || session === lead.session
    return Effect.mapError(
      Effect.flatMap(page, (from) =>
        own ? expand(lead, range, from) : expandOther(lead, session, range, from),
      ),
      unreadable,
    )
  },
  search: (text, limit) => Effect.mapError(search(lead, text, limit), unreadable),
  drop: (tags) => Effect.mapError(drop(lead, tags), unreadable),
  status: Effect.mapError(status(lead, executeShare), unreadable),
  notes: Effect.sync(() => {
    const { items, summary, lastTurn } = lead.loaded.state
    const anchor = lastTurn?.started.message ?? null
    return { open: [...items.notes.values()], next: `n${summary.seq}`, anchor }
  }),
  keep: (note) =>
    Effect.mapBoth(append(lead, [note]), {
      onSuccess: ({ kind }) => kind === "appended",
      onFailure: unreadable,
    }),
})

const unreadable = ({ message }: { readonly message: string }): ToolFailure =>
  new ToolFailure({ code: "unreadable", message })

/** Where a page begins, and how large it may be for the next request to hold it. */
interface PageFrom {
  readonly offset: number
  readonly bytesMax: number
}

const expand = Effect.fnUntraced(function* (lead: Lead, range: ExpandRange, from: PageFrom) {
  const { ports, session, loaded } = lead
  const { fromSeq, toSeq } = range
  const page = { afterSeq: fromSeq - 1, limit: messagesPerPage + 1, system: false }
  const { items } = loaded.state
  const found = (yield* ports.store.messages(session, page)).filter(
    ({ seq }) => seq <= toSeq && !isReverted(items, seq),
  )
  if (found.length === 0) return fromSeq === toSeq ? yield* expandCall(lead, fromSeq, from) : null
  return pageOf(found, from)
})

function pageOf(found: readonly Message[], { offset, bytesMax }: PageFrom): ExpandedPage {
  const shown = expandPage(found.slice(0, messagesPerPage), offset, bytesMax)
  const beyond = found[messagesPerPage]
  if (shown.next !== null || beyond === undefined) return shown
  return { ...shown, next: { seq: beyond.seq, offset: 0 } }
}

/** Only of the same project (MM2). */
const expandOther = Effect.fnUntraced(function* (
  { ports: { store }, loaded }: Lead,
  session: string,
  { fromSeq, toSeq }: ExpandRange,
  from: PageFrom,
) {
  const id = decodeSessionId(session)
  const row = id._tag === "None" ? null : yield* store.session(id.value)
  const { projectRoot } = loaded.state.summary.location
  if (row === null) return null
  const theirs = yield* store.sessionRoot(row.id)
  if (theirs === null || !(yield* store.projectRoots(projectRoot)).includes(theirs)) return null
  const page = { afterSeq: fromSeq - 1, limit: messagesPerPage + 1, system: false }
  const found = (yield* store.messages(row.id, page)).filter(({ seq }) => seq <= toSeq)
  return found.length === 0 ? null : pageOf(found, from)
})

const decodeSessionId = Schema.decodeUnknownOption(SessionId)

const search = Effect.fnUntraced(function* ({ ports, session, loaded }: Lead, text: string, limit: number) {
  const { summary } = loaded.state
  const { projectRoot } = summary.location
  // A job looks for what its Session does not see (NT2).
  const asking = summary.kind === "job" ? (summary.parent?.session ?? session) : session
  const seen = asking === session ? loaded.state : (yield* ports.store.window(asking))?.state
  const { frozen } = seen ?? loaded.state
  const dropped = droppedFrom(viewOf(seen ?? loaded.state))
  const unless = { session: asking, shown: frozen, dropped }
  const shownMemories = new Set(shownMemoriesOf(frozen.slots))
  const meaning = ports.embedding === undefined ? null : makeMeaning(ports.store, ports.embedding)
  const asked = { text, limit, projectRoot, unless, shownMemories }
  const result = yield* makeSearch(ports.store, meaning, ports.project)(asked)
  yield* countUses(ports.store, (yield* projectOf(ports, summary.location)).root, result)
  return { ...result, own: session }
})

/** The call that bears this tag, by itself. */
const expandCall = Effect.fnUntraced(function* (
  { ports, session, loaded }: Lead,
  tag: number,
  { offset, bytesMax }: PageFrom,
) {
  const page = { afterSeq: 0, beforeSeq: tag, limit: 1, system: false }
  const [message] = yield* ports.store.messages(session, page)
  const found = callAlone(message, tag)
  if (found === null || isReverted(loaded.state.items, found.seq)) return null
  return expandPage([found], offset, bytesMax)
})

const drop = Effect.fnUntraced(function* (lead: Lead, tags: string) {
  const { state } = lead.loaded
  const asked = askDrop(tags, viewOf(state), state.items.signals.values())
  if (asked.kind === "refused" || asked.units.length === 0) return asked
  const detail = { units: asked.units }
  const signal = lead.ports.newId("sig") as SignalId
  const end = yield* append(lead, [{ type: "signal.raised", signal, kind: "drop", detail }])
  return end.kind === "appended" ? asked : ({ kind: "refused", text: notQueued } as const)
})

const notQueued = "Error: the Session was interrupted. Nothing was queued."

/** The limits that the next plan will see, and what the request that is being answered was estimated at. */
const limitsNow = Effect.fnUntraced(function* (
  { ports, session, loaded: { state } }: Lead,
  executeShare: number | null,
) {
  const started = state.lastTurn?.started
  const { ref, contextTokens: stated, target } = yield* ports.model(started?.model ?? null)
  const contextTokens = knownWindow(state.limits, ref, stated)
  const outputTokens = target.options.generation.outputTokensMax
  const turns = yield* newestTurns({ ports, session })
  const taken = started === undefined ? null : lastTaken(turns, started)
  const answered = taken && { reported: taken.reportedTokens, estimated: taken.estimatedTokens }
  const limits: WindowLimits = { contextTokens, outputTokens, answered, executeShare }
  return { ref, limits, estimated: started?.request.tokensEstimated ?? 0 }
})

const status = Effect.fnUntraced(function* (lead: Lead, executeShare: number | null) {
  const { state } = lead.loaded
  const { ref, limits, estimated } = yield* limitsNow(lead, executeShare)
  const usedTokens = tokensAsCounted(estimated, limits.answered)
  const recall = recallStatus(viewOf(state), state.items, limits, estimated)
  return {
    model: formatModelRef(ref),
    contextTokens: limits.contextTokens,
    outputTokens: limits.outputTokens,
    usedTokens,
    leftTokens: recall.tokensLeft,
    threshold: recall.threshold,
    waiting: recall.waiting,
    parts: shownCompartments(state.frozen, [...state.items.compartments.values()]).map(
      ({ id, title, tier, archived }) => ({ id, title, tier, ...(archived && { archived }) }),
    ),
  }
})
