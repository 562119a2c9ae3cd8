/** `holdfast fold` and `holdfast flush`: ask for a break of the next request, and say what it takes out and costs (TU6, PS7, SU4). */
import type { PlannedRequest } from "@holdfast/sdk"
import { count, money } from "../figures.ts"
import { pasteable } from "../hint.ts"
import { findSession } from "../input/ids.ts"
import { openForCommand, type SharedOptions } from "../opened.ts"
import type { Terminal } from "../terminal.ts"
import { waitingText } from "../window/view.ts"

export const foldSession = (terminal: Terminal, given: string, options: SharedOptions): Promise<number> =>
  askFor(terminal, given, options, "fold")

export const flushSession = (terminal: Terminal, given: string, options: SharedOptions): Promise<number> =>
  askFor(terminal, given, options, "flush")

async function askFor(
  terminal: Terminal,
  given: string,
  options: SharedOptions,
  what: "fold" | "flush",
): Promise<number> {
  // What would be sent depends on the model, and a Session may have been started with the offline one.
  const opened = await openForCommand(terminal, { ...options, purpose: "look" })
  try {
    const { sessions } = opened.holdfast
    const sessionID = await findSession(sessions, given)
    const before = await sessions.request({ sessionID })
    await sessions[what]({ sessionID })
    const after = await sessions.request({ sessionID })
    const text = what === "fold" ? foldText(sessionID, before, after) : flushText(before, after)
    terminal.write(options.json === true ? `${JSON.stringify(after)}\n` : `${pasteable(text, options)}\n`)
    return 0
  } finally {
    await opened.close()
  }
}

/** A cut is made by the next request; until then it is a plan. */
export function foldText(sessionID: string, before: Planned, after: Planned): string {
  const whole = after.tokensBefore ?? before.tokens
  if (after.break?.reason === "flush")
    return `Nothing is folded: not enough can be taken out to be worth it. The flush that was asked for before is done with the next request, which will have about ${count(after.tokens)} tokens.`
  if (after.break !== null && after.tokens < whole)
    return `The next request will have about ${count(after.tokens)} tokens instead of ${count(whole)}, and the provider reads about ${count(after.tokensCached ?? 0)} of them from its cache${priceText(after)}.${lapsedText(after)} What it leaves out stays stored.`
  if (after.tokens === 0 && after.obstacle !== null)
    return `The cut is asked for, but how much it takes out is not known yet: ${after.obstacle.message}`
  return `Nothing is done, and nothing is paid for it: not enough can be taken out to be worth it, and the next request keeps its ${count(before.tokens)} tokens. To see what they are: holdfast window ${sessionID}`
}

export function flushText(before: Planned, after: Planned): string {
  if (after.tokens === 0 && after.obstacle !== null)
    return `It is asked for, but what it does is not known yet: ${after.obstacle.message}`
  if (after.break === null)
    return "Nothing waits that could be done now: the next request stays as it is, and costs no more for it."
  const { done, left } = waitedText(before, after)
  const end =
    after.break?.reason === "cut_asked"
      ? "The fold that was asked for is done with it."
      : (before.break ?? null) === null
        ? "Nothing is folded."
        : before.break?.reason === "flush"
          ? "It was asked for before, and is done once."
          : "The provider would have had to read it anew without this, too."
  const does =
    done === ""
      ? "The next request takes out what is not needed any more"
      : `The next request does what waits (${done})`
  return `${does}: about ${count(after.tokens)} tokens instead of ${count(after.tokensBefore ?? before.tokens)}, of which the provider reads about ${count(after.tokensCached ?? 0)} from its cache${priceText(after)}.${lapsedText(after)} ${end}${left}`
}

/** What the next request does of what waited, and what waits on: the newest are protected. */
function waitedText(before: Planned, after: Planned): { readonly done: string; readonly left: string } {
  const waits = ({ recall }: Planned, kind: string) =>
    recall?.waiting.find((one) => one.kind === kind)?.count ?? 0
  const done = (before.recall?.waiting ?? []).flatMap(({ kind, count: many }) => {
    const fewer = many - waits(after, kind)
    return fewer > 0 ? [waitingText(kind, fewer)] : []
  })
  const drops = waits(after, "drop")
  return {
    done: done.join(", "),
    left: drops === 0 ? "" : ` ${count(drops, "drop")} among the newest messages and outputs still wait.`,
  }
}

/** Of the input, beside what would be sent otherwise: how long the answer will be, nobody knows. */
export function priceText({ costExpected, priceExpected: price = null }: Priced): string {
  const cost = costExpected ?? price?.cost ?? null
  if (cost === null) return ", at an unknown price, since the model has none in the configuration"
  const otherwise = price?.costOtherwise ?? null
  return `, for about ${money(cost)}${otherwise === null ? "" : ` instead of ${money(otherwise)}`}`
}

const lapsedText = ({ priceExpected: price = null }: Planned): string =>
  price?.cause === "cold" ? " The provider's cache has lapsed anyway." : ""

export type Priced = Partial<Pick<PlannedRequest, "costExpected" | "priceExpected">>

type Planned = Pick<PlannedRequest, "tokens" | "obstacle"> &
  Partial<
    Pick<
      PlannedRequest,
      "break" | "recall" | "costExpected" | "priceExpected" | "tokensCached" | "tokensBefore"
    >
  >
