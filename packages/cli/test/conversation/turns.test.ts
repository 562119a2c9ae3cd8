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
