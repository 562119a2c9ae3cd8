/** Contract of reads that begin at a place: a list from both sides, a message by its id. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { MessageId } from "@holdfast/schema/id"
import type { SessionList } from "../../src/port.ts"
import { append, create, partRecorded, sessionId, textPart, turnSettled, turnStarted } from "../records.ts"
import { held } from "./subject.ts"
import type { OpenStore } from "./subject.ts"

const session = sessionId(1)

export function placesContract(open: OpenStore): void {
  it.effect("reads messages, turns and Sessions backwards from a place, in the order of the list", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* held(store)
      const turns = [1, 2, 3, 4].flatMap((n) => [turnStarted(n), turnSettled(n)])
      yield* store.commit(append(1, token, turns))
      const seqs = (list: { afterSeq: number; beforeSeq?: number; limit: number }) =>
        Effect.map(
          Effect.all([store.messages(session, { system: false, ...list }), store.turns(session, list)]),
          ([messages, records]) => [messages.map(({ seq }) => seq), records.map((turn) => turn.startedSeq)],
        )
      expect(yield* seqs({ afterSeq: 0, limit: 9 })).toEqual([
        [2, 4, 6, 8],
        [2, 4, 6, 8],
      ])
      expect(yield* seqs({ afterSeq: 2, limit: 2 })).toEqual([
        [4, 6],
        [4, 6],
      ])
      expect(yield* seqs({ afterSeq: 0, beforeSeq: 8, limit: 2 })).toEqual([
        [4, 6],
        [4, 6],
      ])
      expect(yield* seqs({ afterSeq: 4, beforeSeq: 8, limit: 9 })).toEqual([[6], [6]])
      for (const n of [2, 3, 4]) yield* store.commit(create(n))
      const ids = (list: SessionList) => Effect.map(store.sessions(list), (rows) => rows.map(({ id }) => id))
      const before = session
      expect(yield* ids({ before, limit: 2 })).toEqual([sessionId(3), sessionId(2)])
      expect(yield* ids({ before, after: sessionId(4), limit: 9 })).toEqual([sessionId(3), sessionId(2)])
      expect(yield* ids({ before: sessionId(9), limit: 9 })).toEqual([])
    }),
  )
  it.effect("[PG2] finds a message by its id, in its own Session only", () =>
    Effect.gen(function* () {
      const store = yield* open
      const token = yield* held(store)
      yield* store.commit(create(2))
      yield* store.commit(append(1, token, [turnStarted(1), partRecorded(1, 0, textPart("Look."))]))
      const [message] = yield* store.messages(session, { afterSeq: 0, limit: 9, system: true })
      const id = message?.id ?? MessageId.make("msg_none")
      expect(yield* store.message(session, id)).toEqual(message)
      expect(yield* store.message(sessionId(2), id)).toBeNull()
      expect(yield* store.message(session, MessageId.make("msg_none"))).toBeNull()
    }),
  )
}
