/** What `holdfast turns` says beside its table. */
import { expect, test } from "vitest"
import { ledgerText } from "../../src/turns.ts"
import type { TurnRecord } from "@holdfast/sdk"

const turn = (settled: Partial<NonNullable<TurnRecord["settled"]>> = {}): TurnRecord =>
  ({
    startedSeq: 4,
    startedAt: 1_000,
    started: { turn: "trn_1", model: { provider: "sim", model: "script" }, break: null },
    settled: {
      turn: "trn_1",
      status: "done",
      reason: null,
      ledger: {
        usage: { input: 10, output: 2, cacheRead: 90, cacheWrite: 5 },
        cost: 0.5,
        attempts: [{}],
        durationMs: 7,
        finish: "end",
      },
      ...settled,
    },
  }) as unknown as TurnRecord

test("[FA2] an extra that a turn went without stands under the ledger, with its turn", () => {
  const leftOut = [{ extra: "A reminder of notes", problem: "not within 3000 ms" }]
  expect(ledgerText([turn(), turn({ leftOut })], null).slice(1)).toEqual([
    "Turn 2: A reminder of notes could not be made and was left out: not within 3000 ms\n",
  ])
})

test("[TU7 LL5] a request that kept a cache stands behind its turn, with its tokens and its price", () => {
  const usage = { input: 1, output: 1, cacheRead: 7_000, cacheWrite: 20 }
  const model = { provider: "sim", model: "script" }
  const warmed = [{ seq: 9, at: 2_000, model, inRow: 1, usage, cost: 0.0075 }] as unknown as NonNullable<
    TurnRecord["warmed"]
  >
  const [table = ""] = ledgerText([{ ...turn(), warmed }, turn()], null)
  const rows = table
    .trimEnd()
    .split("\n")
    .map((line) => line.trim().split(/ {2,}/))
  expect(rows.slice(1).map((row) => row.slice(0, 3))).toEqual([
    ["1", "sim/script", "done"],
    ["sim/script", "kept warm", "7,021"],
    ["2", "sim/script", "done"],
  ])
  expect(rows[2]).toEqual(["sim/script", "kept warm", "7,021", "1", "7,000", "20", "$0.0075", "–"])
})

test("[TU7 SU2] why a cache was lost is read to its end, on a narrow screen below its turn", () => {
  const broken = { ...turn(), started: { ...turn().started, break: cut } } as TurnRecord
  const [narrow = ""] = ledgerText([turn(), broken], null, 80)
  const cause = "older messages were summed up, to keep the window from filling"
  expect(narrow.trimEnd().split("\n").slice(2)).toEqual([
    "   2  sim/script  done    105    2          90        5  $0.50         1   7",
    `      cache lost: ${cause}`,
    "      (break: history-baseline)",
  ])
  const [wide = ""] = ledgerText([turn(), broken], null, 170)
  expect(wide).toMatch(new RegExp(`^ +2 .*${cause} \\(break: history-baseline\\) +1 +7$`, "m"))
})
const cut = { segment: "history-baseline", reason: "cut_threshold" }

test("[TU1 TU7 SU2] on a narrow screen models and verdicts stand whole below the turn from which on they hold", () => {
  const by = (model: string, id: string): TurnRecord => ({
    ...turn(),
    started: { ...turn().started, turn: id, model: { provider: "provider", model } } as TurnRecord["started"],
  })
  const [long, other] = ["a-model-of-the-first-of-april", "a-model-of-the-second-of-april"]
  const turns = [by(long, "trn_1"), by(long, "trn_2"), by(other, "trn_3"), by(other, "trn_4")]
  const problem = "An event that this version does not know stands before it."
  const verified = turns.map(({ started: { turn: id } }, at) => ({
    turn: id,
    verdict: at < 3 ? { kind: "same" } : { kind: "unreadable", problem },
  })) as unknown as NonNullable<Parameters<typeof ledgerText>[1]>
  const [text = ""] = ledgerText(turns, verified, 80)
  const row = (at: number) => `   ${at}  done    105    2          90        5  $0.50         1   7`
  expect(text.trimEnd().split("\n")).toEqual([
    "TURN  STATUS   IN  OUT  CACHE READ  WRITTEN   COST  ATTEMPTS  MS",
    row(1),
    `      model: provider/${long}`,
    "      rebuilt: same",
    row(2),
    row(3),
    `      model: provider/${other}`,
    row(4),
    "      rebuilt: unreadable: An event that this version does not know stands",
    "      before it.",
  ])
})
