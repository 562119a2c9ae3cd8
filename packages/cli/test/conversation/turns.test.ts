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
