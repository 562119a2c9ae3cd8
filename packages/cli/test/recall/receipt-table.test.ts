/** Which break `holdfast receipt` tells of, and what its table says of each (SU4). */
import type { BreakReceipt } from "@holdfast/sdk"
import { expect, test } from "vitest"
import { chosenReceipt, receiptRow } from "../../src/recall/receipt.ts"

const receipt = (number: number): BreakReceipt =>
  ({
    turn: `trn_${number}`,
    number,
    pass: "fold",
    break: { block: 3, segment: "history-baseline", reason: "cut_threshold" },
    tokensBefore: 130_400,
    tokensAfter: 51_200,
    summarised: [],
    dropped: { messages: 1, calls: 3, skeletons: 20, strips: 8, images: 2 },
    cost: 0.42,
  }) as unknown as BreakReceipt

const receipts = [receipt(4), receipt(12)]

test("[SU4] a receipt is that of the newest break, or of the turn that is named by its number or its id", () => {
  expect(chosenReceipt(receipts, null)?.number).toBe(12)
  expect(chosenReceipt(receipts, "4")?.number).toBe(4)
  expect(chosenReceipt(receipts, "trn_4")?.number).toBe(4)
  expect(chosenReceipt([], null)).toBeNull()
})

test("[SU4] of a turn that broke nothing it says which ones did", () => {
  expect(() => chosenReceipt(receipts, "5")).toThrow(
    "There is no break of the cache in a turn 5. These did: 4, 12.",
  )
  expect(() => chosenReceipt([], "5")).toThrow("There is no break of the cache in a turn 5. None did.")
})

test("[SU4] a row of all receipts counts what was dropped whole or but for its name, images among it", () =>
  expect(receiptRow(receipt(12))).toEqual([
    "12",
    "fold",
    "130,400",
    "51,200",
    "0",
    "26",
    "$0.42",
    "older messages were summed up, to keep the window from filling (break: history-baseline)",
  ]))
