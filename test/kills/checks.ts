/** What every plan of kills asks of the logs, the ledger of the tools and the provider. */
import { expect } from "vitest"
import type { Event } from "@holdfast/schema/event"
import { complaintsOf, factsOf } from "../processes/log.ts"
import type { Place } from "../processes/place.ts"

/** One Session at rest: what was acknowledged is there, and all that is there is promoted once. */
export function checkPrompts(log: readonly Event[], acknowledged: readonly string[]): void {
  expect(complaintsOf(log)).toEqual([])
  const admitted = factsOf(log, "prompt.admitted").map((fact) => fact.prompt as string)
  const promoted = factsOf(log, "prompt.promoted").map((fact) => fact.prompt as string)
  expect(acknowledged.filter((prompt) => !admitted.includes(prompt))).toEqual([])
  expect(promoted.toSorted()).toEqual(admitted.toSorted())
}

/**
 * All Sessions of a place: no call ran twice or unrecorded, none is done that did not run, and every
 * request was legal. Returns how many calls ran.
 */
export async function checkExecutions(place: Place, logs: readonly (readonly Event[])[]): Promise<number> {
  const started = logs.flatMap((log) => factsOf(log, "call.started").map((fact) => fact.call as string))
  const done = logs.flatMap((log) =>
    factsOf(log, "call.settled").flatMap((fact) =>
      fact.outcome.state === "done" ? [fact.call as string] : [],
    ),
  )
  const executions = await place.executions()
  expect(executions.length).toBe(new Set(executions).size)
  expect(executions.filter((call) => !started.includes(call))).toEqual([])
  expect(done.filter((call) => !executions.includes(call))).toEqual([])
  expect(place.sim.log.filter(({ status }) => status !== 200)).toEqual([])
  return executions.length
}
