/** `holdfast embed`: old history gets its vectors, by which search compares meaning (SE3, SU4). */
import { setTimeout as pause } from "node:timers/promises"
import type { EmbeddingState } from "@holdfast/sdk"
import { count, money } from "../figures.ts"
import { findSession } from "../input/ids.ts"
import { openForCommand, type SharedOptions } from "../opened.ts"
import { exitCode } from "../outcome/exit-code.ts"
import { untilStopped } from "../outcome/stopping.ts"
import type { Terminal } from "../terminal.ts"

export interface EmbedOptions extends SharedOptions {
  readonly allProjects?: boolean
  readonly session?: string
}

const lookMs = 1_000
/** Looks without progress after which the command gives up; the queue stays. */
const looksMax = 90

export async function embedSessions(terminal: Terminal, options: EmbedOptions): Promise<number> {
  const opened = await openForCommand(terminal, { ...options, purpose: "look" })
  try {
    const { searches, sessions } = opened.holdfast
    const { session, allProjects = false } = options
    const sessionID = session === undefined ? undefined : await findSession(sessions, session)
    const where =
      sessionID === undefined
        ? allProjects
          ? { allProjects }
          : { directory: terminal.directory }
        : { sessionID }
    const first = await searches.embed(where)
    let last = first
    const say = (state: EmbeddingState) => {
      last = state
      if (options.json !== true) terminal.complain(progressText(state))
    }
    const state = await untilStopped(terminal, {
      opened,
      json: options.json,
      work: () => embedAll(() => searches.embed(where), first, say),
      soFar: async () => `${progressText(last)} Repeat the command to go on with them.`,
    })
    if (state === null) return exitCode.interrupted
    if (options.json === true) terminal.write(`${JSON.stringify(state)}\n`)
    else terminal.write(`${embedText(first, state)}\n`)
    return state.model !== null && state.due > 0 ? 1 : 0
  } finally {
    await opened.close()
  }
}

async function embedAll(
  look: () => Promise<EmbeddingState>,
  first: EmbeddingState,
  onProgress: (state: EmbeddingState) => void,
): Promise<EmbeddingState> {
  let state = first
  for (let looks = 0; state.model !== null && state.due > 0 && looks < looksMax; looks++) {
    if (state.trouble !== null && looks > 2) break
    await pause(lookMs)
    const next = await look()
    if (next.due < state.due) {
      looks = -1
      onProgress(next)
    }
    state = next
  }
  return state
}

const progressText = ({ done, due }: EmbeddingState): string =>
  `${count(done, "text")} embedded, ${count(due)} left.`

export function embedText(first: EmbeddingState, { model, done, due, trouble }: EmbeddingState): string {
  if (model === null)
    return `Nothing was embedded: search.embedding is "off", or names a model that cannot be reached. holdfast doctor says more.`
  if (due > 0)
    return `${texts(due, "is", "are")} not embedded yet by ${model}${trouble === null ? "." : `: ${trouble}`} Repeat the command to go on.`
  if (done === 0) return "There is nothing to embed yet."
  const fresh = Math.max(0, done - first.done)
  if (fresh === 0) return `Everything was embedded before: ${count(done, "text")} in the store, by ${model}.`
  // A model behind an address is named with its host.
  const cost = model.includes("@")
    ? "What its provider takes for that is not known"
    : `That was done on this machine, for ${money(0)}`
  return `${texts(fresh, "was", "were")} embedded by ${model}, ${count(done, "text")} in the store. ${cost}.`
}

const texts = (amount: number, one: string, many: string): string =>
  `${count(amount, "text")} ${amount === 1 ? one : many}`
