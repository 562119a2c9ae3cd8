/** A place for a host: a project, a data directory and the offline provider on loopback. */
import type { Effect } from "effect"
import type { AllowRule } from "@holdfast/schema/session"
import { useHost } from "../../../../test/stage/host.ts"
import { openLoopback } from "../../../../test/stage/loopback.ts"
import { createProviderSim, offlineAgent } from "../../../provider-sim/src/index.ts"
import type { Host } from "../../src/host/index.ts"

export interface Place extends AsyncDisposable {
  readonly project: string
  /** Writes a file of the place, by its path from the root of it. */
  readonly write: (path: string, text: string) => Promise<void>
  /** Opens a host, uses it and closes it again. */
  readonly use: <A>(
    work: (host: Host) => Effect.Effect<A, unknown>,
    allow?: readonly AllowRule[],
  ) => Promise<A>
}

const environment = { PATH: process.env["PATH"] }

export async function makePlace(agent = offlineAgent()): Promise<Place> {
  const sim = createProviderSim({ models: { agent, second: offlineAgent() } })
  const loopback = await openLoopback("host", { sim: () => sim, models: { agent: {}, second: {} } })
  return { ...loopback, use: (work, allow = []) => useHost({ ...loopback, environment, allow }, work) }
}
