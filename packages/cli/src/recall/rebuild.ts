/** `holdfast rebuild`: the history of a long Session written anew from its messages (HI7, SU4). */
import type { RebuildResult } from "@holdfast/sdk"
import { count, money } from "../figures.ts"
import { findSession } from "../input/ids.ts"
import { openForCommand, type SharedOptions } from "../opened.ts"
import { UsageError } from "../outcome/outcome.ts"
import type { Terminal } from "../terminal.ts"

export type RebuildOptions = SharedOptions

export async function rebuildSession(
  terminal: Terminal,
  given: string,
  range: string | null,
  options: RebuildOptions,
): Promise<number> {
  const span = range === null ? {} : spanOf(range)
  const opened = await openForCommand(terminal, { ...options, purpose: "look" })
  try {
    const { sessions } = opened.holdfast
    const sessionID = await findSession(sessions, given)
    const result = await sessions.rebuild({ sessionID, ...span })
    if (range !== null && result.compartmentsBefore === 0)
      throw new UsageError(
        `No part of the history lies in ${range}. To see the parts: holdfast window ${sessionID} --parts`,
      )
    terminal.write(options.json === true ? `${JSON.stringify(result)}\n` : `${rebuildText(result)}\n`)
    return 0
  } finally {
    await opened.close()
  }
}

/** `c12-310`, `#12-#310` or `12-310`. */
export function spanOf(range: string): { readonly fromSeq: number; readonly toSeq: number } {
  const [, from, to] = /^[c#]?(\d{1,12})-#?(\d{1,12})(?:r[0-9a-f]{8})?$/.exec(range) ?? []
  const span = { fromSeq: Number(from), toSeq: Number(to) }
  if (from !== undefined && to !== undefined && span.fromSeq <= span.toSeq) return span
  throw new UsageError(`"${range}" is no range. Give one such as c12-310 or #12-#310.`)
}

export function rebuildText(result: RebuildResult): string {
  const { ranges, unchanged, overtaken, compartmentsBefore, compartmentsAfter, messages, cost } = result
  const others =
    overtaken === 0 ? "" : ` ${count(overtaken, "range")} changed meanwhile; repeat the command for them.`
  if (compartmentsBefore === 0) return "Nothing to rebuild: no part of the history lies there."
  const spent = cost === 0 ? "" : ` The historian's model was asked, for ${money(cost)}.`
  if (ranges === 0)
    return `Nothing was changed: ${count(unchanged, "range")} already say what the messages say.${spent}${others}`
  const same = unchanged === 0 ? "" : ` ${count(unchanged, "range")} had been rebuilt before and stayed.`
  return `${count(messages, "message")} were read, and ${count(compartmentsBefore, "part")} of the history became ${count(compartmentsAfter)}, for ${money(cost)}.${same}${others} The next request shows them, and the provider reads it anew.`
}
