/**
 * Handlers of `sessions`: the contract's names on the runtime's. They add transport, no behaviour.
 *
 * What changes something runs to its end even if the caller hangs up: a prompt that was admitted
 * is also woken (PR5).
 */
import { resolve } from "node:path"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { StoreFailure } from "@holdfast/schema/error"
import type { Event } from "@holdfast/schema/event"
import { SessionId } from "@holdfast/schema/id"
import type { Message } from "@holdfast/schema/message"
import type { SessionInfo } from "@holdfast/schema/session"
import { HoldfastApi } from "@holdfast/protocol/api"
import type { TurnRecord } from "@holdfast/protocol/turn"
import type { Cursors } from "../cursor.ts"
import type { HostedRuntime } from "../hosted-runtime.ts"
import { invalid, type PageSource, planPage, readPage, sequenceSource } from "../page.ts"

/** Sessions read at once on the way to a place in their list. */
const scanStep = 200

export interface SessionsSettings {
  /** CO3: where a Session works that names no directory; relative ones start here too. */
  readonly defaultDirectory: string
}

export const sessionsHandlers = (runtime: HostedRuntime, cursors: Cursors, settings: SessionsSettings) =>
  HttpApiBuilder.group(HoldfastApi, "sessions", (handlers) =>
    handlers.handleAll({
      create: {
        options: { uninterruptible: true },
        handler: ({ payload }) =>
          runtime.create({
            ...payload,
            directory: resolve(settings.defaultDirectory, payload.directory ?? "."),
          }),
      },
      prompt: {
        options: { uninterruptible: true },
        handler: ({ params, payload }) => runtime.prompt({ ...payload, sessionID: params.sessionID }),
      },
      interrupt: {
        options: { uninterruptible: true },
        handler: ({ params }) => runtime.interrupt(params.sessionID),
      },
      resume: {
        options: { uninterruptible: true },
        handler: ({ params }) => runtime.resume(params.sessionID),
      },
      get: ({ params }) => runtime.get(params.sessionID),
      list: Effect.fnUntraced(function* ({ query }) {
        const start = yield* planPage(cursors, "sessions", null, query)
        return yield* readPage(cursors, start, sessionSource(runtime))
      }),
      messages: Effect.fnUntraced(function* ({ params: { sessionID }, query }) {
        const start = yield* planPage(cursors, "messages", sessionID, query)
        const source = sequenceSource(
          0,
          (message: Message) => message.seq,
          (after, limit) => runtime.messages(sessionID, { afterSeq: after, limit }),
        )
        return yield* readPage(cursors, start, source)
      }),
      history: Effect.fnUntraced(function* ({ params: { sessionID }, query }) {
        const start = yield* planPage(cursors, "history", sessionID, query)
        const source = sequenceSource(
          start.after,
          (event: Event) => event.seq,
          (after, limit) => runtime.events(sessionID, after, limit, false),
        )
        return yield* readPage(cursors, start, source)
      }),
      turns: Effect.fnUntraced(function* ({ params: { sessionID }, query }) {
        const start = yield* planPage(cursors, "turns", sessionID, query)
        const turns = yield* runtime.turns(sessionID)
        const source = sequenceSource(
          0,
          (turn: TurnRecord) => turn.startedSeq,
          (after, limit) => Effect.succeed(turns.filter((turn) => turn.startedSeq > after).slice(0, limit)),
        )
        return yield* readPage(cursors, start, source)
      }),
    }),
  )

/** Sessions, newest first. Their anchor is an id, and one that was removed has no place any more. */
function sessionSource(runtime: HostedRuntime): PageSource<SessionInfo, StoreFailure> {
  const gone = invalid("gone", "The Session at this place of the list was removed. Start the list anew.")
  return {
    anchorOf: (session) => session.id,
    behind: Effect.fnUntraced(function* (anchor, limit) {
      if (anchor === null) return yield* runtime.list({ limit })
      const after = SessionId.make(String(anchor))
      const found = yield* runtime.list({ after, limit })
      // Nothing behind a Session that is gone looks like the end of the list, and is not.
      if (found.length === 0)
        yield* Effect.catchTags(runtime.get(after), { SessionNotFound: () => gone, InvalidId: () => gone })
      return found
    }),
    before: Effect.fnUntraced(function* (anchor, limit) {
      let kept: readonly SessionInfo[] = []
      for (;;) {
        const last = kept.at(-1)
        const found = yield* runtime.list({ limit: scanStep, ...(last && { after: last.id }) })
        const at = found.findIndex((session) => session.id === anchor)
        kept = [...kept, ...(at < 0 ? found : found.slice(0, at))].slice(-limit)
        if (at >= 0) return kept
        if (found.length < scanStep) return yield* gone
      }
    }),
  }
}
