/** `holdfast rebuild`: the history of a long Session written anew from its messages (HI7, SU4). */
import type { HoldfastClient, RebuildResult } from "@holdfast/sdk"
import { count, money } from "../figures.ts"
import { priceText, type Priced } from "./fold.ts"
import { findSession } from "../input/ids.ts"
import { listItems } from "../list-items.ts"
import { openForCommand, type SharedOptions } from "../opened.ts"
import { exitCode } from "../outcome/exit-code.ts"
import { UsageError } from "../outcome/outcome.ts"
import { untilStopped } from "../outcome/stopping.ts"
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
    const { seq } = await sessions.get({ sessionID })
    const published = () => rangesSince(sessions, sessionID, seq)
    const result = await untilStopped(terminal, {
      opened,
      json: options.json,
      work: () => showing(terminal, published, sessions.rebuild({ sessionID, ...span })),
      soFar: async () => stoppedText(await published()),
    })
    if (result === null) return exitCode.interrupted
    if (range !== null && result.compartmentsBefore === 0)
      throw new UsageError(
        `No stored part of the history lies in ${range}: parts that are only planned are written with the next request. To see the parts: holdfast window ${sessionID} --parts`,
      )
    // What shows the new parts is a plan until somebody prompts, and may not be known.
    const next = result.ranges === 0 ? null : await sessions.request({ sessionID }).catch(() => null)
    terminal.write(options.json === true ? `${JSON.stringify(result)}\n` : `${rebuildText(result, next)}\n`)
    return 0
  } finally {
    await opened.close()
  }
}

/** `c12-310` or `12-310`; `#12-#310` too, which a shell takes for a comment unless it is quoted. */
export function spanOf(range: string): { readonly fromSeq: number; readonly toSeq: number } {
  const [, from, to] = /^[c#]?(\d{1,12})-#?(\d{1,12})(?:r[0-9a-f]{8})?$/.exec(range) ?? []
  const span = { fromSeq: Number(from), toSeq: Number(to) }
  if (from !== undefined && to !== undefined && span.fromSeq <= span.toSeq) return span
  throw new UsageError(`"${range}" is no range. Give one such as c12-310 or 12-310.`)
}

/** How often somebody who waits hears that it goes on. */
const progressMs = 10_000

/** A model may take minutes for a range, so that whoever waits is told what is done. */
async function showing<A>(
  terminal: Terminal,
  published: () => Promise<number>,
  work: Promise<A>,
): Promise<A> {
  const beganAt = Date.now()
  const tell = async () => {
    const ranges = await published().catch(() => null) // the work itself says what is wrong
    if (ranges !== null) terminal.complain(progressText(ranges, Date.now() - beganAt))
  }
  const timer = setInterval(() => void tell(), progressMs)
  return work.finally(() => clearInterval(timer))
}

export const progressText = (ranges: number, ms: number): string =>
  `Rebuilding for ${Math.round(ms / 1_000)} s: ${count(ranges, "range")} of the history ${ranges === 1 ? "is" : "are"} written. A model may take 5 minutes for each.`

export const stoppedText = (ranges: number): string =>
  ranges === 0
    ? "No range of the history was written anew. Repeat the command to begin again."
    : `${count(ranges, "range")} of the history ${ranges === 1 ? "is" : "are"} written anew and ${ranges === 1 ? "stays" : "stay"}. Repeat the command to go on with the rest.`

async function rangesSince(
  sessions: HoldfastClient["sessions"],
  sessionID: string,
  after: number,
): Promise<number> {
  const items = await listItems((page) =>
    sessions.history({ sessionID, ...(page.cursor === undefined && { after }), ...page }),
  )
  return items.filter(({ fact }) => fact.type === "history.published" && fact.by === "rebuild").length
}

const nothingStored =
  "Nothing to rebuild: no part of the history is stored yet. Parts that are planned are written with the next request."

export function rebuildText(result: RebuildResult, next: Priced | null = null): string {
  const { ranges, unchanged, overtaken, compartmentsBefore, compartmentsAfter, messages, cost } = result
  const others =
    overtaken === 0 ? "" : ` ${count(overtaken, "range")} changed meanwhile; repeat the command for them.`
  if (compartmentsBefore === 0) return nothingStored
  const asked = askedText(result)
  if (ranges === 0)
    return `Nothing was changed${unchanged === 0 ? "" : `: ${count(unchanged, "range")} already ${unchanged === 1 ? "says" : "say"} what the messages say`}.${asked}${others}`
  const same = unchanged === 0 ? "" : ` ${count(unchanged, "range")} had been rebuilt before and stayed.`
  return `${count(messages, "message")} were read, and ${count(compartmentsBefore, "part")} of the history became ${count(compartmentsAfter)}, for ${cost === null ? "an unknown cost" : money(cost)}.${same}${asked}${others} The next request shows them, and the provider reads it anew${next === null ? "" : priceText(next)}.`
}

/** What became of the ranges that the historian's model was asked for. */
function askedText({ ranges, byModel, withoutModel, cost }: RebuildResult): string {
  const without = withoutModel.reduce((sum, one) => sum + one.ranges, 0)
  if (byModel + without === 0) return ""
  const price = ranges === 0 ? ` It was asked, at a cost of ${money(cost)}.` : ""
  const wrote = ` The historian's model wrote ${count(byModel)} of ${count(byModel + without, "range")}.`
  if (without === 0) return `${wrote}${price}`
  const why = withoutModel.map(
    ({ code, message, ranges: some }) => ` ${count(some)} ${wentWrong(code)}: ${message}`,
  )
  return `${wrote} Written without it:${why.join("")}${price} To have them written by a model, mend that and repeat the command.`
}

function wentWrong(code: string): string {
  if (code === "job_timeout") return "because it timed out"
  return useless.has(code) ? "because its answer was useless" : "because it failed"
}

const useless: ReadonlySet<string> = new Set([
  "job_output_invalid",
  "empty_answer",
  "output_limit",
  "refusal",
])
