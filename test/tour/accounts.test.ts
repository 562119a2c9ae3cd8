/** The books of the tour: honest evidence balances, and each lie shows in the account that it is about. */
import { expect, test } from "vitest"
import type { Event, Fact } from "@holdfast/schema/event"
import type { TurnRecord, VerifiedTurn } from "@holdfast/schema/turn-record"
import { type Evidence, judge } from "../../scripts/tour/accounts.ts"

const event = (fact: object, at: number) => ({ seq: at + 1, fact: fact as Fact }) as Event
const history = [
  { type: "prompt.admitted", prompt: "a" },
  { type: "prompt.promoted", prompt: "a" },
  { type: "part.recorded", part: { type: "call", name: "bash", call: "c1" } },
  { type: "call.started", call: "c1" },
  { type: "call.settled", call: "c1", outcome: { state: "done" } },
  { type: "part.recorded", part: { type: "call", name: "bash", call: "c2" } },
  { type: "call.started", call: "c2" },
  { type: "call.settled", call: "c2", outcome: { state: "interrupted" } },
].map(event)
const ledger = { usage: { input: 25, cacheRead: 50, cacheWrite: 25, output: 1 } }
const turn = (status: string, startedSeq: number) =>
  ({ startedSeq, started: { break: null }, settled: { status, ledger } }) as unknown as TurnRecord
const same = { verdict: { kind: "same" } } as VerifiedTurn

const honest: Evidence = {
  session: { seq: 8, status: { owing: false, pending: 0 } } as Evidence["session"],
  history,
  turns: [turn("interrupted", 3), turn("done", 6)],
  verified: [same, same],
  receipts: ["a", "a"],
  executions: [{ call: "c1", script: "bake" }],
  followed: [1, 2, 3, 4, 5, 6, 7, 8],
}

const wrongIn = (lie: Partial<Evidence>) =>
  judge({ ...honest, ...lie })
    .filter(({ balances }) => balances === false)
    .map(({ what }) => what.trim())

test("honest evidence balances, whether the unknown call had done its work or not", () => {
  expect(wrongIn({})).toEqual([])
  expect(wrongIn({ executions: [...honest.executions, { call: "c2", script: "bake" }] })).toEqual([])
})

test.each<readonly [string, Partial<Evidence>, readonly string[]]>([
  ["[PR1] a receipt without its prompt", { receipts: ["a", "b"] }, ["prompts accepted"]],
  [
    "[PR4] a prompt promoted twice",
    { history: [...history, event(history[1]?.fact ?? {}, 8)] },
    ["prompts answered"],
  ],
  [
    "[PR8] a prompt without an answer",
    { turns: [turn("interrupted", 6), turn("done", 1)] },
    ["prompts answered"],
  ],
  [
    "[PR8] a Session that owes",
    { session: { seq: 8, status: { owing: true, pending: 0 } } as Evidence["session"] },
    ["prompts answered"],
  ],
  ["[TU2] a call that never settled", { history: history.slice(0, 7) }, ["tool calls started"]],
  [
    "[TU2] a command run twice",
    { executions: [...honest.executions, ...honest.executions] },
    ["commands finished", "outcome unknown"],
  ],
  ["[TU2] a command that did not run", { executions: [] }, ["commands finished"]],
  [
    "[TU2] an execution without its call",
    { executions: [...honest.executions, { call: "c9", script: "bake" }] },
    ["commands finished"],
  ],
  [
    "[DR4] a turn left open",
    {
      turns: [...honest.turns, { startedSeq: 8, started: { break: null }, settled: null } as TurnRecord],
      verified: [same, same, same],
    },
    ["requests to the model"],
  ],
  [
    "[TU1] a request that is rebuilt differently",
    { verified: [same, { verdict: { kind: "different", expected: "x", found: "y" } } as VerifiedTurn] },
    ["rebuilt from the log"],
  ],
  ["[EV1] an event that was missed", { followed: [1, 2, 3, 4, 5, 6, 8] }, ["events"]],
  ["[EV1] an event that came twice", { followed: [1, 2, 3, 4, 4, 5, 6, 7] }, ["events"]],
])("%s does not balance", (_, lie, wrong) => expect(wrongIn(lie)).toEqual(wrong))

test("[TU7] breaks are told with segment and reason, and the share of the cache is of all input", () => {
  const started = { break: { block: 1, segment: "tail", reason: "history was cut" } }
  const turns = [{ startedSeq: 3, started, settled: { status: "done", ledger } } as unknown as TurnRecord]
  const accounts = judge({ ...honest, turns, verified: [same] })
  expect(accounts.find(({ what }) => what.trim() === "breaks")).toMatchObject({
    holdfast: "1",
    remark: "tail: history was cut",
  })
  expect(accounts.find(({ what }) => what.includes("cache"))).toMatchObject({
    holdfast: "50 %",
    remark: "50 of 100 tokens",
  })
})
