/** Which calls go round in a circle: by the facts of a log, one table. */
import { expect, test } from "vitest"
import type { Fact } from "../src/event.ts"
import type { CallId, MessageId, PromptId, TurnId } from "../src/id.ts"
import type { CallOutcome } from "../src/message.ts"
import { advanceCalls, findLoop, type RecentCall } from "../src/state/recent-calls.ts"

const turn = "trn_1" as TurnId
const message = "msg_1" as MessageId

let calls = 0
const asked = (name: string, input: object, call: string): Fact => ({
  type: "part.recorded",
  turn,
  message,
  index: 0,
  part: { type: "call", call: call as CallId, nativeId: "", name, input: input as never },
  tokens: 1,
})
const settled = (call: string, outcome: Partial<CallOutcome>): Fact => ({
  type: "call.settled",
  turn,
  message,
  call: call as CallId,
  outcome: { state: "done", output: "same", truncated: null, errorCode: null, ...outcome },
  effects: [],
  added: [],
  tokens: 1,
})

interface Called {
  readonly name: string
  readonly input?: object
  readonly outcome?: Partial<CallOutcome>
}

function called({ name, input = {}, outcome = {} }: Called): readonly Fact[] {
  const id = `call_${++calls}`
  return [asked(name, input, id), settled(id, outcome)]
}
const all = (...made: readonly Called[]): readonly Fact[] => made.flatMap(called)
const times = <A>(count: number, make: (at: number) => A): readonly A[] =>
  Array.from({ length: count }, (_, at) => make(at))

const promoted: Fact = {
  type: "prompt.promoted",
  prompt: "prm_1" as PromptId,
  message,
  bodySeq: 1 as never,
  tokens: 1,
  added: [],
}
const a: Called = { name: "a" }
const b: Called = { name: "b" }
const loopIn = (facts: readonly Fact[]) => findLoop(facts.reduce(advanceCalls, []))

test.each<readonly [string, readonly Fact[], readonly string[] | null]>([
  ["five equal calls", all(a, a, a, a, a), ["a"]],
  ["four equal calls", all(a, a, a, a), null],
  ["five with other calls before them", all(b, b, a, a, a, a, a), ["a"]],
  ["five with another call between them", all(a, a, b, a, a, a), null],
  [
    "five that failed alike",
    all(...times(5, () => ({ ...a, outcome: { state: "failed" as const } }))),
    ["a"],
  ],
  [
    "four that failed and one that did not",
    all(...times(4, () => ({ ...a, outcome: { state: "failed" as const } })), a),
    null,
  ],
  [
    "five with results of their own",
    all(...times(5, (at) => ({ ...a, outcome: { output: `${at}` } }))),
    null,
  ],
  ["five with inputs of their own", all(...times(5, (at) => ({ ...a, input: { at } }))), null],
  [
    "five whose input has its members in another order",
    all(
      ...times(5, (at) => ({
        ...a,
        input: at % 2 === 0 ? { x: 1, y: [{ p: 1, q: 2 }] } : { y: [{ q: 2, p: 1 }], x: 1 },
      })),
    ),
    ["a"],
  ],
  [
    "five whose lists have another order",
    all(...times(5, (at) => ({ ...a, input: { list: at === 0 ? [1, 2] : [2, 1] } }))),
    null,
  ],
  ["four rounds of two", all(a, b, a, b, a, b, a, b), ["a", "b"]],
  ["three and a half rounds", all(b, a, b, a, b, a, b), null],
  [
    "four rounds with a change in the third",
    all(a, b, a, b, { ...a, outcome: { output: "else" } }, b, a, b),
    null,
  ],
  ["four rounds of three", all(...times(4, () => [a, b, { name: "c" }]).flat()), null],
  ["calls on both sides of a prompt", [...all(a, a, a), promoted, ...all(a, a)], null],
  ["five after a prompt", [...all(a, a), promoted, ...all(a, a, a, a, a)], ["a"]],
  [
    "looks at a job that goes on",
    all(...times(9, () => ({ ...a, outcome: { stillRunning: true as const } }))),
    null,
  ],
  [
    "waits between looks at a job",
    all(...times(9, () => [a, { ...b, outcome: { stillRunning: true as const } }]).flat()),
    null,
  ],
  [
    "five looks at a job that has ended",
    all({ ...a, outcome: { stillRunning: true } }, a, a, a, a, a),
    ["a"],
  ],
])("[DR8] %s", (_, facts, loop) => expect(loopIn(facts)).toEqual(loop))

test("[DR8] goes by the order of the answer, whichever call ended first", () => {
  const round = (): readonly Fact[] => {
    const [first, second] = [`call_${++calls}`, `call_${++calls}`]
    const parts = [asked("a", {}, first), asked("b", {}, second)]
    return [...parts, ...(calls % 4 === 0 ? [first, second] : [second, first]).map((id) => settled(id, {}))]
  }
  expect(loopIn(times(4, round).flat())).toEqual(["a", "b"])
})

test("[DR8] counts no call that has not settled", () =>
  expect(loopIn([...all(a, a, a, a), asked("a", {}, "call_open")])).toBeNull())

test("[DR8] keeps eight calls, however many there were", () => {
  const kept = all(...times(100, () => a)).reduce(advanceCalls, [] as readonly RecentCall[])
  expect(kept).toHaveLength(8)
  expect(JSON.stringify(kept).length).toBeLessThan(1_000)
})
