/** `holdfast embed`: old history gets its vectors, by which search compares meaning (SE3, SU4). */
import { setTimeout as pause } from "node:timers/promises"
import type { EmbeddingState } from "@holdfast/sdk"
import { count } from "../figures.ts"
import { findSession } from "../input/ids.ts"
import { openForCommand, type SharedOptions } from "../opened.ts"
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
    let state = first
    for (let looks = 0; state.model !== null && state.due > 0 && looks < looksMax; looks++) {
      if (state.trouble !== null && looks > 2) break
      await pause(lookMs)
      const next = await searches.embed(where)
      if (next.due < state.due) looks = -1
      if (next.due < state.due && options.json !== true)
        terminal.complain(`${count(next.done, "text")} embedded, ${count(next.due)} left.`)
      state = next
    }
    if (options.json === true) terminal.write(`${JSON.stringify(state)}\n`)
    else terminal.write(`${embedText(first, state)}\n`)
    return state.model !== null && state.due > 0 ? 1 : 0
  } finally {
    await opened.close()
  }
}

function embedText(first: EmbeddingState, state: EmbeddingState): string {
  if (state.model === null)
    return `Nothing was embedded: search.embedding is "off", or names a model that cannot be reached. holdfast doctor says more.`
  const of = `${count(state.sessions, "Session")} by the model ${state.model}`
  if (state.due > 0)
    return `${count(state.due, "text")} of ${of} are not embedded yet${state.trouble === null ? "." : `: ${state.trouble}`} Repeat the command to go on.`
  const fresh = Math.max(0, state.done - first.done)
  if (fresh === 0) return `Everything was embedded before: ${of}, ${count(state.done, "text")} in the store.`
  return `${count(fresh, "text")} were embedded of ${of}, ${count(state.done)} in the store. Nothing was sent anywhere that your settings do not name.`
}
