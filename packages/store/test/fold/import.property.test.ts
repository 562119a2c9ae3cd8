/** Imports of random histories: export then import is the identity on the log, and a copy says the same (ST4). */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { eventLine } from "@holdfast/schema/bundle/line"
import { advance, emptyState } from "@holdfast/schema/state/state"
import { openInlineStore } from "../../src/inline-store.ts"
import type { ImportSession, Store } from "../../src/port.ts"
import { makePlace } from "../place.ts"
import { sessionId } from "../records.ts"
import { histories, runs, session, timeoutMs } from "./histories.ts"
import { eventsOf, play, shown } from "./play.ts"

const linesOf = (store: Store, through: number): string =>
  Effect.runSync(store.records(session, 0, through, 10_000))
    .map(({ seq, version, time, data, fact }) => eventLine({ seq, type: fact.type, version, time, data }))
    .join("")

function take(store: Store, lines: string, more: Partial<ImportSession> = {}) {
  const staged = Effect.runSync(store.stage())
  staged.append(Buffer.from(lines))
  const plain = { session, staged: staged.descriptor, trusted: true, absent: [], copy: null }
  try {
    return Effect.runSync(store.commit({ kind: "import-session", ...plain, ...more }))
  } finally {
    staged.close()
  }
}

it(
  "[ST4] export then import is the identity on the log, however far it had come",
  () => {
    fc.assert(
      fc.property(histories, (plan) => {
        const [here, there] = [makePlace(), makePlace()]
        const store = Effect.runSync(openInlineStore({ file: here.file }))
        const other = Effect.runSync(openInlineStore({ file: there.file }))
        try {
          play(store, plan)
          const through = Effect.runSync(store.settledSeq(session)) ?? 0
          const lines = linesOf(store, through)
          expect(take(other, lines)).toMatchObject({ kind: "imported", change: "created" })
          const log = eventsOf(store).slice(0, through)
          expect(eventsOf(other)).toEqual(log)
          expect(take(other, lines)).toMatchObject({ change: "same" })
          const copy = { session: sessionId(2), copy: { source: session, seq: 0 } }
          expect(take(other, lines, copy)).toMatchObject({ change: "created" })
          const [ours, theirs] = [eventsOf(other, sessionId(2)), log].map((events) =>
            events.reduce(advance, emptyState),
          )
          expect(shown(ours ?? emptyState)).toEqual(shown(theirs ?? emptyState))
          const { damage, stale } = Effect.runSync(other.inspect())
          expect([damage, stale]).toEqual([[], []])
        } finally {
          for (const one of [store, other]) Effect.runSync(one.close())
          for (const place of [here, there]) place.dispose()
        }
      }),
      { ...runs, numRuns: Math.ceil(runs.numRuns / 2) },
    )
  },
  timeoutMs,
)
