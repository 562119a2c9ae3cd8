/** Receipts as a fold of records: what each break changed, and nothing that another one did. */
import { expect, test } from "vitest"
import { startReceipts } from "@holdfast/core/preview/receipts"
import type { Fact, FactOf } from "@holdfast/schema/event"
import type { PassOp } from "@holdfast/schema/fact/recall"
import type { CallId, MessageId } from "@holdfast/schema/id"

const drop = (call: number | null, image?: number, leaves: "nothing" | "skeleton" = "nothing"): PassOp => ({
  op: "drop",
  unit: {
    message: "msg_1" as MessageId,
    call: call === null ? null : (`call_${call}` as CallId),
    ...(image !== undefined && { image }),
  },
  leaves,
})

const pass = (ops: readonly PassOp[], tokensBefore: number, tokensAfter: number): Fact => ({
  type: "pass.applied",
  pass: "refresh",
  reason: "flush",
  ops,
  slots: null,
  consumes: [],
  tokensBefore,
  tokensAfter,
})

const turn = (n: number, model = "one"): Fact =>
  ({
    type: "turn.started",
    turn: `trn_${n}`,
    message: `msg_t${n}`,
    model: { provider: "sim", model },
    pass: "refresh",
    request: { tokensEstimated: 70 },
    break: { block: 1, segment: "tail", reason: "flush" },
  }) as unknown as FactOf<"turn.started">

const settled = (n: number, cacheRead: number): Fact =>
  ({
    type: "turn.settled",
    turn: `trn_${n}`,
    ledger: { cost: 0.1, attempts: [{ usage: { input: 5, cacheRead, cacheWrite: 0, output: 9 } }] },
  }) as unknown as Fact

function receiptsOf(...facts: readonly Fact[]) {
  const receipts = startReceipts()
  for (const [at, fact] of facts.entries()) receipts.add({ seq: at + 1, time: at, fact })
  return receipts.made
}

test("[SU4 TG1] images that went alone are no calls and no messages, and calls that left a skeleton are told apart", () => {
  const [made] = receiptsOf(
    pass([drop(1), drop(2, undefined, "skeleton"), drop(3, 1), drop(null, 2), drop(null)], 90, 60),
    turn(1),
  )
  expect(made?.dropped).toEqual({ messages: 1, calls: 1, skeletons: 1, strips: 0, images: 2 })
})

test("[SU4] a receipt tells what its own break dropped, not what an earlier one did", () => {
  const made = receiptsOf(pass([drop(1)], 100, 90), turn(1), pass([drop(2)], 95, 80), turn(2), turn(3))
  expect(made.map(({ dropped: { calls }, tokensBefore }) => [calls, tokensBefore])).toEqual([
    [1, 100],
    [1, 95],
    [0, 70],
  ])
})

test("[SU4] where two passes led to one turn, its receipt begins before the first of them", () => {
  const [made] = receiptsOf(pass([drop(1)], 100, 90), pass([drop(2)], 95, 80), turn(1))
  expect(made).toMatchObject({ dropped: { calls: 2 }, tokensBefore: 100, tokensAfter: 80 })
})

test("[SU2 SU4] a receipt counts as the provider did: what was sent as the ledger has it, what was taken out by the answer before", () => {
  const begun = [turn(1), settled(1, 51), pass([drop(1)], 95, 70), turn(2)]
  // 56 for 70 are four fifths.
  expect(receiptsOf(...begun).at(-1)).toMatchObject({ tokensBefore: 76, tokensAfter: 56 })
  const made = receiptsOf(...begun, settled(2, 44), turn(3), settled(3, 45))
  expect(made[1]).toMatchObject({ tokensBefore: 76, tokensAfter: 49, cost: 0.1 })
  expect(made[2]).toMatchObject({ tokensBefore: 50, tokensAfter: 50 })
})

test("[SU2 SU4] what one model counted says nothing of a request to another; nor does what settles later say anything of another break", () => {
  const begun = [turn(1), settled(1, 51), pass([drop(1)], 95, 70), turn(2, "two")]
  expect(receiptsOf(...begun).at(-1)).toMatchObject({ tokensBefore: 95, tokensAfter: 70 })
  const quiet = { ...turn(3, "two"), break: null } as unknown as Fact
  const made = receiptsOf(...begun, settled(2, 30), quiet, settled(3, 65))
  expect(made).toHaveLength(2)
  // 35 for 70 are half.
  expect(made[1]).toMatchObject({ tokensBefore: 48, tokensAfter: 35, cost: 0.1 })
})

test("[SU4 TU7] a request that was refused here has no receipt, and what its jobs cost is told with the next one", () => {
  const job = { type: "job.settled", kind: "historian", cost: 0.2 } as unknown as Fact
  const refused = {
    type: "turn.settled",
    turn: "trn_1",
    ledger: { cost: 0, attempts: [] },
  } as unknown as Fact
  const made = receiptsOf(job, turn(1), refused, turn(2), settled(2, 51))
  expect(made.map(({ turn: of, costHistorian }) => [of, costHistorian])).toEqual([["trn_2", 0.2]])
  // One that was killed may have been sent, and what a pass took out is gone.
  const killed = {
    ...refused,
    ledger: { cost: null, attempts: [], accuracy: "incomplete" },
  } as unknown as Fact
  expect(receiptsOf(turn(1), killed)).toHaveLength(1)
  expect(receiptsOf(pass([drop(1)], 95, 70), turn(1), refused)).toHaveLength(1)
})

const part = (id: string, fromSeq: number) => ({ id, fromSeq, toSeq: fromSeq + 1, title: `part ${id}` })

/** Slots that show some parts in their tiers, and have no room for others. */
const folded = (shown: Readonly<Record<string, number>>, hidden: readonly string[] = []): Fact =>
  ({
    ...pass([], 90, 60),
    pass: "fold",
    slots: {
      baseline: "told",
      delta: "",
      boundary: 9,
      markers: { shown: Object.entries(shown).map(([id, tier]) => ({ id, tier })), hidden, added: [] },
    },
  }) as unknown as Fact

const published = (...compartments: readonly ReturnType<typeof part>[]): Fact =>
  ({ type: "history.published", compartments, by: "extractive", job: null }) as unknown as Fact

test("[SU4] of parts that were there before it tells how full each was shown and is, and none counts as kept that is not shown", () => {
  const receipt = receiptsOf(
    published(part("a", 1), part("b", 3), part("c", 5), part("d", 7)),
    folded({ a: 1, b: 1, d: 2 }, ["c"]),
    turn(1),
    published(part("e", 9)),
    folded({ a: 1, b: 4, e: 1 }, ["c"]),
    turn(2),
  ).at(-1)
  expect(receipt).toMatchObject({ kept: { compartments: 2 }, left: ["d"] })
  expect(receipt?.held.map(({ id, tierBefore, tier }) => [id, tierBefore, tier])).toEqual([
    ["a", 1, 1],
    ["b", 1, 4],
    ["c", null, null],
  ])
  expect(receipt?.summarised.map(({ id, tier }) => [id, tier])).toEqual([["e", 1]])
})

const archive = (id: string, fromSeq: number) => ({ ...part(id, fromSeq), episode: "archive" })
const said = (n: number): Fact =>
  ({ type: "notice.promoted", message: `msg_n${n}` }) as unknown as FactOf<"notice.promoted">
const cutBelow = (below: number, fact: Fact): Fact =>
  ({ ...fact, ops: [{ op: "cut", below, kept: [], messages: 2 }] }) as unknown as Fact

test("[SU4 DK1] an archive is told as one since the break that made it, also under the id of the part that it stands for", () => {
  const made = receiptsOf(
    published(part("a", 1)),
    folded({ a: 2 }),
    turn(1),
    published(archive("a", 1)),
    folded({ a: 1 }),
    turn(2),
    folded({ a: 1 }),
    turn(3),
  )
  expect(made.map(({ held }) => held.map(({ archived }) => archived))).toEqual([[], ["now"], ["before"]])
})

test("[SU4 DK1] messages that stood in parts before are told apart from those that left with the break", () => {
  const receipt = receiptsOf(
    said(1),
    said(2),
    said(3),
    said(4),
    published(part("a", 1)),
    cutBelow(3, folded({ a: 1 })),
    turn(1),
    published({ ...archive("b", 1), toSeq: 4 }),
    cutBelow(5, folded({ b: 4 })),
    turn(2),
  ).at(-1)
  expect(receipt?.summarised).toMatchObject([{ id: "b", archived: true, messages: 4, messagesBefore: 2 }])
})

const job = (kind: "historian" | "editor" | "title", cost: number | null): Fact =>
  ({ type: "job.settled", job: "ses_j", kind, outcome: "failed", cost }) as unknown as Fact

test("[SU4] each job of the historian is paid for in one receipt, that of the break behind it, whatever came of it", () => {
  const made = receiptsOf(
    job("historian", 0.1),
    job("title", 5),
    job("editor", 0.2),
    turn(1),
    turn(2),
    job("historian", null),
    turn(3),
    turn(4),
  )
  expect(made.map(({ costHistorian }) => costHistorian)).toEqual([expect.closeTo(0.3), 0, null, 0])
})
