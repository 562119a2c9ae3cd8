/** One fold: what the store keeps and reads back is what `advance` makes of the log, at every moment. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import type { Event, FactType } from "@holdfast/schema/event"
import { factVersions } from "@holdfast/schema/fact/version"
import { advance, emptyState, type SessionState } from "@holdfast/schema/state/state"
import { openInlineStore } from "../../src/inline-store.ts"
import type { Command, Store } from "../../src/port.ts"
import {
  histories,
  knownRuns,
  type PlannedStep,
  runs,
  session,
  stepOfOthers,
  stepOfTheDrain,
  timeoutMs,
} from "./histories.ts"
import { makePlace } from "../place.ts"
import { acquire, create } from "../records.ts"

const eventsMax = 10_000

function inStore(run: (store: Store) => void): void {
  const place = makePlace()
  const store = Effect.runSync(openInlineStore({ file: place.file }))
  try {
    Effect.runSync(store.commit(create(1)))
    Effect.runSync(store.commit(acquire(1)))
    run(store)
  } finally {
    Effect.runSync(store.close())
    place.dispose()
  }
}

const eventsAbove = (store: Store, seq: number): readonly Event[] =>
  Effect.runSync(store.events(session, seq, eventsMax)).events

const commandOf = ({ step, pick }: PlannedStep, n: number, state: SessionState): Command | null =>
  step({ n, pick, state })

/** Maps and Sets as lists, in their order; what was learned of models has none. */
function plain(value: unknown): unknown {
  if (value instanceof Map) return [...value].map(plain)
  if (value instanceof Set) return [...value]
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]))
}

const inKeyOrder = <V>(map: ReadonlyMap<string, V>): ReadonlyMap<string, V> =>
  new Map([...map].sort(([a], [b]) => (a < b ? -1 : 1)))

const comparable = (state: SessionState): unknown => plain({ ...state, limits: inKeyOrder(state.limits) })

describe("one fold", () => {
  it(
    "[EP5 EP7] the store's window and row equal the fold of the log after every commit",
    () => {
      const seen = new Set<FactType>()
      const history = fc.property(histories, (plan) =>
        inStore((store) => {
          let folded = eventsAbove(store, 0).reduce(advance, emptyState)
          for (const [at, planned] of plan.entries()) {
            const command = commandOf(planned, at + 1, folded)
            if (command === null) continue
            Effect.runSync(store.commit(command))
            const events = eventsAbove(store, folded.summary.seq)
            for (const { fact } of events) seen.add(fact.type)
            folded = events.reduce(advance, folded)
            const window = Effect.runSync(store.window(session))
            expect(window && comparable(window.state)).toEqual(comparable(folded))
            expect(Effect.runSync(store.session(session))).toEqual({ id: session, ...folded.summary })
            expectCounts(folded)
          }
        }),
      )
      fc.assert(history, knownRuns)
      const never = Object.keys(factVersions).filter((type) => !seen.has(type as FactType))
      expect(never).toEqual(["session.created"]) // the first of all, before any step
      fc.assert(history, { ...runs, numRuns: Math.ceil(runs.numRuns / 4) })
    },
    timeoutMs,
  )

  it(
    "[PE5 HI4] what others write commutes with what a drain writes without having seen it",
    () => {
      let swapped = 0
      const pairs = fc.array(fc.tuple(stepOfOthers, stepOfTheDrain), {
        minLength: 30,
        maxLength: 60,
        size: "max",
      })
      const history = fc.property(pairs, (plan) =>
        inStore((store) => {
          let folded = eventsAbove(store, 0).reduce(advance, emptyState)
          for (const [at, [other, drain]] of plan.entries()) {
            const commands = [commandOf(other, 2 * at + 1, folded), commandOf(drain, 2 * at + 2, folded)]
            const [theirs, ours] = commands.map((command) => {
              const before = Effect.runSync(store.session(session))?.seq ?? 0
              if (command !== null) Effect.runSync(store.commit(command))
              return eventsAbove(store, before)
            }) as [readonly Event[], readonly Event[]]
            const inOrder = [...theirs, ...ours].reduce(advance, folded)
            const drainFirst = [...ours, ...theirs].reduce(advance, folded)
            expect(unordered(drainFirst)).toEqual(unordered(inOrder))
            expectCounts(inOrder)
            if (theirs.length > 0 && ours.length > 0) swapped++
            folded = inOrder
          }
        }),
      )
      fc.assert(history, runs)
      expect(swapped).toBeGreaterThan(10)
    },
    timeoutMs,
  )
})

/** What the summary counts is what stands. */
function expectCounts({ summary, inbox, items }: SessionState): void {
  const open = [...items.asks.values()].filter(({ answer }) => answer === null)
  expect([summary.pending, summary.asks]).toEqual([inbox.length, open.length])
}

/** Two asks raised at the same moment stand in the order in which they were folded. */
const unordered = (state: SessionState): unknown =>
  comparable({ ...state, items: { ...state.items, asks: inKeyOrder(state.items.asks) } })
