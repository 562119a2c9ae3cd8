/** What the sidekick found for prompts whose senders asked for it (NT2). An interrupt ends the wait. */
import { Deferred, Effect } from "effect"
import { findingText } from "@holdfast/recall"
import type { BesideMaker } from "./beside.ts"

export const finding: BesideMaker = {
  name: "What the sidekick was asked for",
  applies: ({ prompts }) => prompts.some(({ sidekick }) => sidekick === true),
  make: ({ lead, prompts }) =>
    Effect.suspend(() => {
      const asking = prompts.filter(({ sidekick }) => sidekick === true)
      const ask = lead.ports.askSidekick
      if (ask === undefined || asking.length === 0) return Effect.succeed(null)
      const stopped = Effect.as(Deferred.await(lead.fence.signal), null)
      return Effect.map(Effect.raceFirst(ask(lead.session, asking), stopped), (found) =>
        found === null ? null : { kind: "finding" as const, text: findingText(found) },
      )
    }),
  msMax: ({ lead }) => (lead.ports.sidekick?.()?.msMax ?? 0) + settleMs,
}

/** Behind its own limit: what it cost is put on record first. */
const settleMs = 5_000
