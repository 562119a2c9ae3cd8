/**
 * Replay: the requests that Holdfast would have sent, had it held a recorded Session. Nothing is opened
 * and nothing is sent; the command `holdfast replay` is what uses it, and it may change with recall.
 */
import { Effect } from "effect"
import { type ReplayQuestion, replayRequests } from "@holdfast/core/replay/replay"

export type { ReplayedRequest, ReplayQuestion } from "@holdfast/core/replay/replay"
export { type CacheMultipliers, LifetimeTrial } from "@holdfast/core/replay/lifetime-trial"

/** Asks the question's `count` for each request in its order. */
export const replaySession = (question: ReplayQuestion): Promise<void> =>
  Effect.runPromise(replayRequests(question))
