/** Contract of Sessions themselves: made once under an id of their creator's, and listed apart once they are archived (SS1). */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SessionList } from "../../src/port.ts"
import { admit, contribute, create, notice, sessionId } from "../records.ts"
import type { OpenStore } from "./subject.ts"

const session = sessionId(1)

export function sessionContract(open: OpenStore): void {
  it.effect(
    "[SS1] answers a repeated creation with the Session, and calls another under its id a conflict",
    () =>
      Effect.gen(function* () {
        const store = yield* open
        const { fact, ...command } = create(1)
        const made = { ...command, fact: { ...fact, title: "Mine", titledBy: "person" as const } }
        yield* store.commit(made)
        yield* store.commit(contribute(1, { type: "session.updated", title: "Renamed", policy: "continue" }))
        const row = yield* store.session(session)
        const inRepository = { directory: "/srv/here", projectRoot: "/srv" }
        for (const again of [made, { ...made, time: 99, fact: { ...made.fact, location: inRepository } }])
          expect(yield* store.commit(again)).toEqual({ kind: "repeated", row })
        for (const other of [
          { title: "Yours" },
          { model: null },
          { policy: "continue" as const },
          { allow: ["bash" as const] },
          { location: { directory: "/srv/there", projectRoot: "/work" } },
        ])
          expect(yield* store.commit({ ...made, fact: { ...made.fact, ...other } })).toEqual({
            kind: "conflict",
          })
        expect(yield* store.session(session)).toEqual(row)
      }),
  )
  it.effect("[SS1] lists archived Sessions apart from the others, and a prompt takes one back", () =>
    Effect.gen(function* () {
      const store = yield* open
      for (const n of [1, 2, 3, 4]) yield* store.commit(create(n))
      const archived = { type: "session.updated", archived: true } as const
      for (const n of [1, 3]) yield* store.commit(contribute(n, archived))
      const ids = (list: SessionList) => Effect.map(store.sessions(list), (rows) => rows.map(({ id }) => id))
      expect(yield* ids({ limit: 9 })).toEqual([sessionId(4), sessionId(2)])
      expect(yield* ids({ limit: 9, archived: true })).toEqual([sessionId(3), session])
      expect(yield* ids({ limit: 9, after: sessionId(3) })).toEqual([sessionId(2)])
      expect(yield* ids({ limit: 9, archived: true, before: sessionId(2) })).toEqual([sessionId(3)])
      yield* store.commit(contribute(3, notice(1)))
      expect(yield* ids({ limit: 9, archived: true })).toEqual([sessionId(3), session])
      yield* store.commit(admit(3, 1))
      expect(yield* ids({ limit: 9 })).toEqual([sessionId(4), sessionId(3), sessionId(2)])
      yield* store.commit(contribute(1, { ...archived, archived: false }))
      expect(yield* ids({ limit: 9, archived: true })).toEqual([])
      yield* store.rebuild()
      expect((yield* store.inspect()).stale).toEqual([])
      expect(yield* ids({ limit: 9 })).toHaveLength(4)
    }),
  )
}
