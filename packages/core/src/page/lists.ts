/** The lists of an instance as Pages, the same over the network and embedded (PG1, PG4). */
import { Effect } from "effect"
import type { Ask } from "@holdfast/schema/instance/ask"
import type { BreakReceipt } from "@holdfast/schema/instance/window"
import type { InvalidCursor, InvalidId, SessionNotFound, StoreFailure } from "@holdfast/schema/error"
import type { PublicEvent } from "@holdfast/schema/fact/public"
import { SessionId } from "@holdfast/schema/id"
import type { Message } from "@holdfast/schema/message"
import type { Page } from "@holdfast/schema/page"
import type { AdmittedPrompt } from "@holdfast/schema/prompt"
import type { Pty } from "@holdfast/schema/pty/pty"
import type { SessionInfo } from "@holdfast/schema/session"
import type { TurnRecord, VerifiedTurn } from "@holdfast/schema/turn-record"
import type { Runtime } from "../runtime.ts"
import type { Cursors, ListName } from "./cursor.ts"
import {
  forwardOnly,
  stretchOf,
  invalid,
  type PageQuery,
  type PageSource,
  type PageStart,
  planPage,
  readPage,
  type ReadStretch,
  sequenceSource,
} from "./page.ts"

/** What the lists are read from. */
export type ListedRuntime = Pick<
  Runtime,
  | "get"
  | "list"
  | "active"
  | "messages"
  | "context"
  | "inbox"
  | "asks"
  | "events"
  | "turns"
  | "verify"
  | "receipts"
  | "ptys"
>

type Listed<Item> = Effect.Effect<Page<Item>, InvalidCursor | SessionNotFound | InvalidId | StoreFailure>

/** A query starts a list, or is the cursor that continues it. */
export interface Lists {
  readonly sessions: (query: PageQuery) => Effect.Effect<Page<SessionInfo>, InvalidCursor | StoreFailure>
  readonly active: (query: PageQuery) => Effect.Effect<Page<SessionId>, InvalidCursor>
  readonly messages: (sessionID: string, query: PageQuery) => Listed<Message>
  readonly context: (sessionID: string, query: PageQuery) => Listed<Message>
  readonly inbox: (sessionID: string, query: PageQuery) => Listed<AdmittedPrompt>
  readonly history: (sessionID: string, query: PageQuery) => Listed<PublicEvent>
  readonly turns: (sessionID: string, query: PageQuery) => Listed<TurnRecord>
  readonly verify: (sessionID: string, query: PageQuery) => Listed<VerifiedTurn>
  readonly receipts: (sessionID: string, query: PageQuery) => Listed<BreakReceipt>
  /** Of one Session or of all, oldest first. */
  readonly asks: (query: PageQuery & { readonly sessionID?: string }) => Listed<Ask>
  readonly ptys: (query: PageQuery) => Effect.Effect<Page<Pty>, InvalidCursor>
}

export function makeLists(runtime: ListedRuntime, cursors: Cursors): Lists {
  /** A list of one Session, in the order of a sequence of its items. */
  const ofSession =
    <Item, Failure>(
      list: ListName,
      seqOf: (item: Item) => number,
      reader: (
        sessionID: string,
        start: PageStart,
      ) => Effect.Effect<ReadStretch<Item, Failure>, SessionNotFound | InvalidId | StoreFailure>,
    ) =>
    (sessionID: string, query: PageQuery) =>
      Effect.gen(function* () {
        const start = yield* planPage(cursors, list, sessionID, query)
        const read = yield* reader(sessionID, start)
        return yield* readPage(cursors, start, sequenceSource(start, seqOf, read))
      })
  const bySeq = ({ seq }: { readonly seq: number }): number => seq
  const byStart = ({ startedSeq }: { readonly startedSeq: number }): number => startedSeq
  const byAdmission = ({ admittedSeq }: AdmittedPrompt): number => admittedSeq

  return {
    sessions: Effect.fnUntraced(function* (query) {
      const start = yield* planPage(cursors, "sessions", null, query)
      return yield* readPage(cursors, start, sessionSource(runtime, start.archived))
    }),
    active: Effect.fnUntraced(function* (query) {
      const start = yield* planPage(cursors, "active", null, query)
      return yield* readPage(cursors, start, idSource(runtime.active()))
    }),
    messages: ofSession("messages", bySeq, (id, { system }) =>
      Effect.succeed((list) => runtime.messages(id, { ...list, system })),
    ),
    context: ofSession("context", bySeq, (id) =>
      Effect.map(runtime.context(id), (messages) => stretchOf(messages, bySeq)),
    ),
    inbox: ofSession("inbox", byAdmission, (id) =>
      Effect.map(runtime.inbox(id), (prompts) => stretchOf(prompts, byAdmission)),
    ),
    history: ofSession("history", bySeq, (id) =>
      Effect.succeed(forwardOnly(bySeq, (after, limit) => runtime.events(id, after, limit, false))),
    ),
    turns: ofSession("turns", byStart, (id) => Effect.succeed((list) => runtime.turns(id, list))),
    verify: ofSession("verify", byStart, (id) =>
      Effect.succeed(forwardOnly(byStart, (afterSeq, limit) => runtime.verify(id, { afterSeq, limit }))),
    ),
    receipts: ofSession("receipts", byStart, (id) =>
      Effect.map(runtime.receipts(id), (receipts) => stretchOf(receipts, byStart)),
    ),
    asks: Effect.fnUntraced(function* ({ sessionID, ...query }) {
      const of = sessionID === undefined ? {} : { of: { sessionID } }
      const start = yield* planPage(cursors, "asks", null, { ...query, ...of })
      return yield* readPage(cursors, start, askSource(yield* runtime.asks(start.of?.["sessionID"])))
    }),
    ptys: Effect.fnUntraced(function* (query) {
      const start = yield* planPage(cursors, "ptys", null, query)
      const source = sequenceSource(start, bySeq, stretchOf(runtime.ptys.list(), bySeq))
      const page = yield* readPage(cursors, start, source)
      return { ...page, items: page.items.map(({ pty }) => pty) }
    }),
  }
}

/** Sessions, newest first. Their anchor is an id, and one that was removed has no place any more. */
function sessionSource(runtime: ListedRuntime, archived: boolean): PageSource<SessionInfo, StoreFailure> {
  const gone = invalid("gone", "The Session at this place of the list was removed. Start the list anew.")
  /** Nothing beside a Session that is gone looks like the end of the list, and is not. */
  const orGone = Effect.fnUntraced(function* (found: readonly SessionInfo[], anchor: SessionId) {
    if (found.length === 0)
      yield* Effect.catchTags(runtime.get(anchor), { SessionNotFound: () => gone, InvalidId: () => gone })
    return found
  })
  return {
    anchorOf: (session) => session.id,
    behind: (anchor, limit) => {
      if (anchor === null) return runtime.list({ archived, limit })
      const after = SessionId.make(String(anchor))
      return Effect.flatMap(runtime.list({ archived, after, limit }), (found) => orGone(found, after))
    },
    before: (anchor, limit) => {
      const before = SessionId.make(String(anchor))
      return Effect.flatMap(runtime.list({ archived, before, limit }), (found) => orGone(found, before))
    },
  }
}

/** By when they were raised: answered ones go, and the place between two of them stays one. */
function askSource(asks: readonly Ask[]): PageSource<Ask, never> {
  const padded = (count: number) => String(count).padStart(16, "0")
  const anchorOf = ({ raisedAt, raisedSeq = 0, id }: Ask) => `${padded(raisedAt)} ${padded(raisedSeq)} ${id}`
  const inOrder = asks.toSorted((a, b) => (anchorOf(a) < anchorOf(b) ? -1 : 1))
  return {
    anchorOf,
    behind: (anchor, limit) =>
      Effect.succeed(
        inOrder.filter((ask) => anchor === null || anchorOf(ask) > String(anchor)).slice(0, limit),
      ),
    before: (anchor, limit) =>
      Effect.succeed(inOrder.filter((ask) => anchorOf(ask) < String(anchor)).slice(-limit)),
  }
}

/** Ids in their own order: they come and go, and a place between two of them stays one. */
function idSource(ids: readonly SessionId[]): PageSource<SessionId, never> {
  const inOrder = [...ids].sort()
  return {
    anchorOf: (id) => id,
    behind: (anchor, limit) =>
      Effect.succeed(inOrder.filter((id) => anchor === null || id > String(anchor)).slice(0, limit)),
    before: (anchor, limit) => Effect.succeed(inOrder.filter((id) => id < String(anchor)).slice(-limit)),
  }
}
