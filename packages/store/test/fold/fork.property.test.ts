/** Forks of random histories, at every place: a sound log of their own that says what the source's says. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import type { Event, Fact } from "@holdfast/schema/event"
import type { MessageId } from "@holdfast/schema/id"
import { advance, emptyState, openCalls, type SessionState } from "@holdfast/schema/state/state"
import { openInlineStore } from "../../src/inline-store.ts"
import type { Store } from "../../src/port.ts"
import { makePlace } from "../place.ts"
import { fork, sessionId } from "../records.ts"
import { histories, runs, session, timeoutMs } from "./histories.ts"
import { eventsOf, play, shown } from "./play.ts"

const factsOf = (events: readonly Event[]): readonly Fact["type"][] => events.map(({ fact }) => fact.type)

/** Forks at a place, or nowhere in particular, and compares the two logs up to there; false where it is refused. */
function check(store: Store, n: number, message: MessageId | null): boolean {
  const outcome = Effect.runSync(store.commit(fork(n, 1, { message })))
  if (outcome.kind === "unsettled") return false
  if (outcome.kind !== "forked") throw new Error(`a fork at ${message} is ${outcome.kind}`)
  const end = outcome.row.origin?.seq ?? 0
  const theirs = eventsOf(store).slice(0, end)
  const ours = eventsOf(store, sessionId(n))
  const [before, copied] = [theirs, ours.slice(0, end)].map((events) => events.reduce(advance, emptyState))
  expect(shown(copied as SessionState)).toEqual(shown(before as SessionState))
  expect(openCalls(copied as SessionState)).toEqual([])
  const named = message === null || before?.messages.some(({ id }) => id === message)
  const hidden = theirs.some(({ fact }) => "message" in fact && fact.message === message)
  expect(named || hidden).toBe(true)
  const blank = factsOf(ours.slice(0, end)).filter((type, at) => type !== factsOf(theirs)[at])
  expect(new Set(blank)).toEqual(new Set(blank.length === 0 ? [] : ["session.updated"]))
  expect(outcome.row).toMatchObject({ pending: 0, asks: 0, openTurn: null, openCalls: 0 })
  return true
}

it(
  "[SS1 PE6] a fork says what its source said up to there, and waits for nothing",
  () => {
    let forks = 0
    fc.assert(
      fc.property(histories, (plan) => {
        const place = makePlace()
        const store = Effect.runSync(openInlineStore({ file: place.file }))
        try {
          play(store, plan)
          const list = { afterSeq: 0, limit: 1_000, system: true }
          const ids = Effect.runSync(store.messages(session, list)).map(({ id }) => id)
          for (const [at, message] of [null, ...ids].entries())
            forks += Number(check(store, 10 + at, message))
          const { damage, stale } = Effect.runSync(store.inspect())
          expect([damage, stale]).toEqual([[], []])
        } finally {
          Effect.runSync(store.close())
          place.dispose()
        }
      }),
      { ...runs, numRuns: Math.ceil(runs.numRuns / 2) },
    )
    expect(forks).toBeGreaterThan(0)
  },
  timeoutMs,
)
