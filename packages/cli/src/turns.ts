/**
 * `holdfast turns`: the ledger of a Session, one row a turn, and on request the proof that each
 * request can be rebuilt from the log.
 */
import { type Accuracy, formatModelRef, spentBy } from "@holdfast/schema/model"
import { isUnsent } from "@holdfast/schema/turn"
import type { TurnRecord, Verdict, VerifiedTurn } from "@holdfast/sdk"
import { costText, count, readTokens } from "./figures.ts"
import { findSession } from "./input/ids.ts"
import { leftOutText } from "./conversation/left-out.ts"
import { listItems } from "./list-items.ts"
import { openForCommand, type SharedOptions } from "./opened.ts"
import { formatTable, nothing } from "./table.ts"
import type { Terminal } from "./terminal.ts"
import { cacheLoss } from "./window/cache-loss.ts"

export interface TurnsOptions extends SharedOptions {
  readonly verify?: boolean
}

export async function listTurns(terminal: Terminal, given: string, options: TurnsOptions): Promise<number> {
  const opened = await openForCommand(terminal, { ...options, purpose: "look" })
  try {
    const { sessions } = opened.holdfast
    const sessionID = await findSession(sessions, given)
    const turns = await listItems((page) => sessions.turns({ sessionID, ...page }))
    const verified =
      options.verify === true ? await listItems((page) => sessions.verify({ sessionID, ...page })) : null
    if (options.json === true) {
      for (const turn of turns) terminal.write(`${JSON.stringify(withVerdict(turn, verified))}\n`)
    } else if (turns.length === 0) {
      terminal.write(`Session ${sessionID} has no turn yet.\n`)
    } else {
      const columnsMax = terminal.interactive ? terminal.columns : Infinity
      await terminal.page(ledgerText(turns, verified, columnsMax))
    }
    return verified?.some(({ verdict }) => verdict.kind === "different") === true ? 1 : 0
  } finally {
    await opened.close()
  }
}

/** The ledger as a table, and what is to be told beside it. */
export function ledgerText(
  turns: readonly TurnRecord[],
  verified: readonly VerifiedTurn[] | null,
  columnsMax = Infinity,
): readonly string[] {
  const columns =
    verified === null ? ledgerColumns : [...ledgerColumns, { title: "REBUILT", below: "rebuilt", once: true }]
  const rows = turns.flatMap((turn, at) => {
    const verdict = verdictOf(turn, verified)
    const row = verdict === null ? rowOf(turn, at) : [...rowOf(turn, at), verdictText(verdict)]
    return [row, ...(turn.warmed ?? []).map(warmedRow)]
  })
  return [`${formatTable(columns, rows, columnsMax)}\n`, ...turns.flatMap(leftOutLines)]
}

/** Extras that a turn went without (FA2). */
const leftOutLines = ({ settled }: TurnRecord, at: number): readonly string[] =>
  (settled?.leftOut ?? []).map((leftOut) => `Turn ${at + 1}: ${leftOutText(leftOut)}\n`)
const ledgerColumns = [
  { title: "TURN", right: true },
  { title: "MODEL", below: "model", once: true },
  { title: "STATUS" },
  { title: "IN", right: true },
  { title: "OUT", right: true },
  { title: "CACHE READ", right: true },
  { title: "WRITTEN", right: true, leave: 2 },
  { title: "COST", right: true },
  { title: "CACHE LOST (BREAK)", below: "cache lost" },
  { title: "ATTEMPTS", right: true, leave: 1 },
  { title: "MS", right: true, leave: 3 },
]

/** `IN` is all that the provider read, from the cache or not. */
function rowOf({ started, settled }: TurnRecord, at: number): readonly string[] {
  const head = [String(at + 1), formatModelRef(started.model)]
  if (settled === null) return [...head, "open", "", "", "", "", "", "", "", ""]
  const { attempts, durationMs, atLeast } = settled.ledger
  const spent = spentBy(settled)
  const { usage, accuracy } = spent
  const { break: broken } = started
  return [
    ...head,
    settled.status,
    counted(readTokens(usage), accuracy === "estimated" ? "exact" : accuracy),
    counted(usage.output, accuracy),
    count(usage.cacheRead),
    count(usage.cacheWrite),
    costText(spent),
    broken === null || isUnsent(settled.ledger) ? nothing : cacheLoss(broken),
    counted(attempts.length, atLeast ? "incomplete" : "exact"),
    counted(durationMs, atLeast ? "incomplete" : "exact"),
  ]
}

/** A request that kept the cache of the turn above it. */
function warmedRow({ model, usage, cost }: NonNullable<TurnRecord["warmed"]>[number]): readonly string[] {
  const spent = costText({ usage, cost, accuracy: "exact" })
  const counts = [readTokens(usage), usage.output, usage.cacheRead, usage.cacheWrite].map((one) => count(one))
  return ["", formatModelRef(model), "kept warm", ...counts, spent, nothing, "", ""]
}

/** Where an answer broke off its output is estimated; what it read had been reported. */
function counted(amount: number, accuracy: Accuracy): string {
  if (accuracy === "incomplete") return amount === 0 ? "unknown" : `at least ${count(amount)}`
  return accuracy === "estimated" ? `about ${count(amount)}` : count(amount)
}

const withVerdict = (turn: TurnRecord, verified: readonly VerifiedTurn[] | null) => ({
  ...turn,
  ...(verified === null ? {} : { verdict: verdictOf(turn, verified) }),
})

function verdictOf(turn: TurnRecord, verified: readonly VerifiedTurn[] | null): Verdict | null {
  if (verified === null) return null
  const found = verified.find((candidate) => candidate.turn === turn.started.turn)
  return found?.verdict ?? { kind: "unreadable", problem: "The turn is not in the log." }
}

function verdictText(verdict: Verdict): string {
  switch (verdict.kind) {
    case "other-encoder":
      return `other encoder (${verdict.encoder})`
    case "unreadable":
      return `unreadable: ${verdict.problem}`
    default:
      return verdict.kind
  }
}
