/**
 * Accounts: what Holdfast says of itself through the public API beside what was counted outside it,
 * and whether the two agree. Judging is a pure function of both.
 *
 *   outside: receipts that the tour holds, lines that the commands wrote, events that it followed
 */
import type { FactOf } from "@holdfast/sdk"
import type { Event, FactType, Session, TurnRecord, VerifiedTurn } from "../../packages/sdk/src/index.ts"
import type { Execution } from "./folder.ts"

export interface Evidence {
  readonly session: Pick<Session, "seq" | "status">
  /** The whole log. */
  readonly history: readonly Event[]
  readonly turns: readonly TurnRecord[]
  readonly verified: readonly VerifiedTurn[]
  /** Ids of acknowledged prompts; a repeat is no second prompt. */
  readonly receipts: readonly string[]
  readonly executions: readonly Execution[]
  /** Sequences in the order in which they arrived. */
  readonly followed: readonly number[]
}

export interface Account {
  readonly what: string
  readonly holdfast: string
  readonly outside?: string
  /** Null where there is nothing to judge. */
  readonly balances: boolean | null
  readonly remark: string
}

export function judge(evidence: Evidence): readonly Account[] {
  return [
    ...judgePrompts(evidence),
    ...judgeCalls(evidence),
    ...judgeRequests(evidence),
    judgeEvents(evidence),
  ]
}

function judgePrompts({ session, history, turns, receipts }: Evidence): readonly Account[] {
  const admitted = factsOf(history, "prompt.admitted").map(({ prompt }) => prompt as string)
  const promoted = eventsOf(history, "prompt.promoted")
  const done = turns.filter(({ settled }) => settled?.status === "done")
  const answered = promoted.filter(({ seq }) => done.some(({ startedSeq }) => startedSeq > seq))
  const { owing, pending } = session.status
  return [
    {
      what: "prompts accepted",
      holdfast: count(admitted.length),
      outside: count(new Set(receipts).size),
      balances: isOnce(admitted) && sameMembers(admitted, receipts),
      remark: "receipts that the tour holds",
    },
    {
      what: "prompts answered",
      holdfast: count(answered.length),
      balances:
        answered.length === admitted.length &&
        isOnce(promoted.map(({ fact }) => fact.prompt)) &&
        !owing &&
        pending === 0,
      remark: owing || pending > 0 ? "something is still due" : "nothing is due any more",
    },
  ]
}

function judgeCalls({ history, executions }: Evidence): readonly Account[] {
  const started = factsOf(history, "call.started").map(({ call }) => call as string)
  const settled = factsOf(history, "call.settled")
  const ran = executions.map(({ call }) => call)
  const ranOf = (calls: readonly string[]) => ran.filter((call) => calls.includes(call)).length
  const commands = factsOf(history, "part.recorded").flatMap(({ part }) =>
    part.type === "call" && part.name === "bash" ? [part.call as string] : [],
  )
  const ended = (isIt: (state: string) => boolean) =>
    settled
      .filter(({ call, outcome }) => commands.includes(call) && isIt(outcome.state))
      .map(({ call }) => call as string)
  const finished = ended((state) => state === "done")
  const unknown = ended((state) => state !== "done")
  const known = ran.every((call) => started.includes(call))
  return [
    {
      what: "tool calls started",
      holdfast: count(started.length),
      balances:
        isOnce(started) &&
        sameMembers(
          started,
          settled.map(({ call }) => call),
        ) &&
        started.length === settled.length,
      remark: "each once, and each settled once",
    },
    {
      what: "  commands finished",
      holdfast: count(finished.length),
      outside: count(ranOf(finished)),
      balances:
        known &&
        isOnce(ran) &&
        sameMembers(
          finished,
          ran.filter((call) => !unknown.includes(call)),
        ),
      remark: "lines that the commands wrote",
    },
    {
      what: "  outcome unknown",
      holdfast: count(unknown.length),
      outside: count(ranOf(unknown)),
      balances: isOnce(ran),
      remark: unknown.length === 0 ? "none" : "declared so, and not run again",
    },
  ]
}

function judgeRequests({ turns, verified }: Evidence): readonly Account[] {
  const same = verified.filter(({ verdict }) => verdict.kind === "same")
  const ledgers = turns.flatMap(({ settled }) => (settled === null ? [] : [settled.ledger]))
  const breaks = turns.flatMap(({ started }) => started.break ?? [])
  const sum = (of: (usage: (typeof ledgers)[number]["usage"]) => number) =>
    ledgers.reduce((total, { usage }) => total + of(usage), 0)
  const cached = sum(({ cacheRead }) => cacheRead)
  const read = cached + sum(({ input, cacheWrite }) => input + cacheWrite)
  return [
    {
      what: "requests to the model",
      holdfast: count(turns.length),
      balances: ledgers.length === turns.length,
      remark: "every turn has settled",
    },
    {
      what: "  rebuilt from the log",
      holdfast: count(same.length),
      balances: same.length === turns.length,
      remark: "the bytes that were sent",
    },
    {
      what: "  breaks",
      holdfast: count(breaks.length),
      balances: null,
      remark:
        breaks.length === 0
          ? "each extends the one before"
          : breaks.map(({ segment, reason }) => `${segment}: ${reason}`).join("; "),
    },
    {
      what: "  read from the cache",
      holdfast: `${read === 0 ? 0 : Math.round((100 * cached) / read)} %`,
      balances: null,
      remark: `${count(cached)} of ${count(read)} tokens`,
    },
  ]
}

function judgeEvents({ session, followed }: Evidence): Account {
  return {
    what: "events",
    holdfast: count(session.seq),
    outside: count(followed.length),
    balances: followed.length === session.seq && followed.every((seq, at) => seq === at + 1),
    remark: "followed: no gap, none twice",
  }
}

const eventsOf = <T extends FactType>(history: readonly Event[], type: T) =>
  history.flatMap(({ seq, fact }) => (fact.type === type ? [{ seq, fact: fact as FactOf<T> }] : []))

const factsOf = <T extends FactType>(history: readonly Event[], type: T): readonly FactOf<T>[] =>
  eventsOf(history, type).map(({ fact }) => fact)

const isOnce = (list: readonly string[]): boolean => new Set(list).size === list.length

const sameMembers = (a: readonly string[], b: readonly string[]): boolean =>
  a.every((item) => b.includes(item)) && b.every((item) => a.includes(item))

const count = (amount: number): string => amount.toLocaleString("en-US")
