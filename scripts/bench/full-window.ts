/**
 * Histories whose window is full: a real limit, and every cut made by the planner in a real turn.
 *
 *   approach ──▶ written turns, then real ones ──▶ near the threshold ──real turns──▶ a pass cuts
 *      ▲                                                                                  │
 *      └─────────────────────────── what the cut leaves ─────────────────────────────────┘
 *
 * A window is full at the execute threshold: nothing grows beyond it as long as a pass finds what may
 * leave. Only the turns between two cuts are written through the store; those at the threshold run.
 */
import { executeShareDefault } from "@holdfast/recall"
import type { SessionId } from "@holdfast/schema/id"
import {
  recordTurn,
  startHistory,
  tokensReported,
  type TurnGrowth,
  type PlayedTurn,
  writeTurns,
} from "./history.ts"
import { createSession, type Opened, outputTokens } from "./runtime.ts"

/** The name under which a runtime offers the model with the limit. */
export const fullProvider = "full"

/** The context limit of a model whose window is full with so many tokens of input. */
export const contextTokensFor = (fullTokens: number): number =>
  Math.round(fullTokens / executeShareDefault) + outputTokens

export interface FullHistory {
  readonly session: SessionId
  /** Messages that were ever stored. */
  readonly messages: () => number
  /** Brings the window so many turns below where it is full. */
  readonly approach: (turnsBelow: number) => Promise<void>
  /** Turns that ran elsewhere. */
  readonly count: (turns: number) => void
}

/** Turns that may pass in a full window before one must have cut. */
const cutWithin = 20
/** Rounds of coming nearer. */
const approachesMax = 50

/**
 * A Session that has so many messages when its window is full the next time, with a request of
 * `fullTokens`.
 */
export async function growFull(opened: Opened, messages: number, fullTokens: number): Promise<FullHistory> {
  const session = await createSession(opened, "text", fullProvider)
  const { last, growth } = await startHistory(opened, session)
  const history = followHistory(opened, session, fullTokens, last, growth)
  let betweenCuts = 0
  while (history.messages() + betweenCuts < messages) {
    const before = history.messages()
    await history.approach(2)
    await history.reachCut()
    betweenCuts = history.messages() - before
  }
  return history
}

function followHistory(
  opened: Opened,
  session: SessionId,
  fullTokens: number,
  started: PlayedTurn,
  growth: TurnGrowth,
) {
  let last = started
  let turns = 2
  const runTurn = async () => {
    last = await recordTurn(opened, session)
    turns += 1
  }
  const approach = async (turnsBelow: number): Promise<void> => {
    // What ran since is not known here: the newest turn tells how full the window is.
    await runTurn()
    for (let approaches = 0; approaches < approachesMax; approaches++) {
      const below = Math.floor((fullTokens - tokensReported(last)) / growth.tokensReported)
      if (below <= turnsBelow) return
      const written = below - turnsBelow - 1
      await writeTurns(opened, session, written, last, growth)
      turns += written
      await runTurn()
    }
    throw new Error("The window does not fill.")
  }
  const reachCut = async (): Promise<void> => {
    for (let ran = 0; ran < cutWithin; ran++) {
      await runTurn()
      if (last.cut) return
    }
    throw new Error("No turn cut a full window.")
  }
  const count = (ran: number): void => void (turns += ran)
  return { session, messages: () => 2 * turns, approach, reachCut, count }
}
