/**
 * Asks at a terminal: shown one after another when a Session rests, and answered there.
 *
 *   show ─▶ a line is typed ─▶ answered, or left open
 *     └─ somebody else answers, or it is withdrawn: the prompt goes away and says so
 *
 * Nothing is held meanwhile: whoever leaves lets the Session ask on (PE3).
 */
import { type Ask, follow, type HoldfastClient, isDeletion, isFailure } from "@holdfast/sdk"
import { listItems } from "../list-items.ts"
import type { FinalRecord } from "../outcome/outcome.ts"
import type { Terminal } from "../terminal.ts"
import { askLines } from "./ask-lines.ts"
import { type Answer, choiceLines, type Chosen, readChoice } from "./choices.ts"

export interface Asked {
  /** Whether something was answered, here or elsewhere, so that the Session may go on. */
  readonly freed: boolean
  /** Asks that the person left open. */
  readonly left: ReadonlySet<string>
}

/** Whether the person who runs a command can be asked: they type here, and no call does (PE5). */
export const canPrompt = async (
  terminal: Pick<Terminal, "typed" | "callAbove">,
  json: boolean,
): Promise<boolean> => terminal.typed && !json && (await terminal.callAbove()) === null

/** Asks of the Session but those that were left before, one after another. */
export async function promptForAnswers(
  holdfast: HoldfastClient,
  terminal: Terminal,
  show: (line: string) => void,
  sessionID: string,
  left: ReadonlySet<string>,
): Promise<Asked> {
  const { seq } = await holdfast.sessions.get({ sessionID })
  const open = await listOpenAsks(holdfast, sessionID)
  const leaving = new Set(left)
  let freed = false
  for (const ask of open.filter(({ id }) => !left.has(id))) {
    for (const line of ["", ...askLines(terminal, ask), ...choiceLines(ask)]) show(line)
    const end = await askOne(holdfast, terminal, ask, seq)
    if (end === "stopped") return { freed, left: new Set(open.map(({ id }) => id)) }
    if (end === "gone") show("It is not open any more: somebody else has answered it, or it was withdrawn.")
    if (end === "open") leaving.add(ask.id)
    else freed = true
  }
  return { freed, left: leaving }
}

/** A record of a Session that asks, with what it asks. */
export const withAsks = async (holdfast: HoldfastClient, record: FinalRecord): Promise<FinalRecord> =>
  record.status !== "asking" || record.session === null
    ? record
    : { ...record, asks: await listOpenAsks(holdfast, record.session) }

export const listOpenAsks = ({ asks }: HoldfastClient, sessionID: string): Promise<readonly Ask[]> =>
  listItems((page) => asks.list(page.cursor === undefined ? { ...page, sessionID } : page))

type End = "answered" | "open" | "stopped" | "gone"

async function askOne(holdfast: HoldfastClient, terminal: Terminal, ask: Ask, after: number): Promise<End> {
  const over = new AbortController()
  const release = terminal.onStop(() => over.abort("stopped"))
  const watch = watchAsk(holdfast, ask, after, () => over.abort("gone"))
  try {
    for (;;) {
      const line = await terminal.ask("> ", over.signal)
      if (over.signal.aborted) return over.signal.reason as "stopped" | "gone"
      const chosen: Chosen = line === null ? { kind: "open" } : readChoice(ask, line)
      if (chosen.kind === "open") return "open"
      if (chosen.kind === "answer") return await give(holdfast, ask, chosen.answer)
      terminal.complain("Type one of the numbers, - to decline it, or nothing to leave it open.")
    }
  } finally {
    release()
    await watch.stop()
  }
}

/** Tells once when the ask is not open any more, whoever did that. */
function watchAsk(holdfast: HoldfastClient, ask: Ask, after: number, gone: () => void) {
  const events = follow(holdfast, { sessionID: ask.session, after })[Symbol.asyncIterator]()
  const watching = (async () => {
    for (let next = await events.next(); next.done !== true; next = await events.next()) {
      if (isDeletion(next.value)) return gone()
      const { fact } = next.value
      if ((fact.type === "ask.answered" || fact.type === "ask.withdrawn") && fact.ask === ask.id)
        return gone()
    }
  })().catch(() => {}) // whoever gives the answer hears why nothing can be reached
  return {
    stop: async () => {
      await events.return?.()
      await watching
    },
  }
}

async function give({ asks }: HoldfastClient, { id: askID }: Ask, answer: Answer): Promise<End> {
  try {
    await asks.answer({ askID, ...answer })
    return "answered"
  } catch (failure) {
    if (isFailure(failure, "AskNotOpen")) return "gone"
    throw failure
  }
}
