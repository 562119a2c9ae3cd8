/** A planned history played against a store, and the log that it leaves. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Event } from "@holdfast/schema/event"
import type { SessionState } from "@holdfast/schema/state/state"
import type { Store } from "../../src/port.ts"
import { acquire, create } from "../records.ts"
import { type PlannedStep, session } from "./histories.ts"

export function play(store: Store, plan: readonly PlannedStep[]): void {
  Effect.runSync(store.commit(create(1)))
  Effect.runSync(store.commit(acquire(1)))
  for (const [at, { step, pick }] of plan.entries()) {
    const window = Effect.runSync(store.window(session))
    const command = window && step({ n: at + 1, pick, state: window.state })
    if (command) Effect.runSync(store.commit(command))
  }
}

export const eventsOf = (store: Store, id = session): readonly Event[] => {
  const { events, damage } = Effect.runSync(store.events(id, 0, 10_000))
  expect(damage).toEqual([])
  return events
}

/** What a request is made from; prompts have other ids in a copy. */
export const shown = ({ epoch, frozen, messages, limits, items }: SessionState): unknown => ({
  epoch,
  frozen,
  limits: [...limits],
  compartments: [...items.compartments],
  messages: messages.map((message) => ({ ...message, prompt: null })),
})
