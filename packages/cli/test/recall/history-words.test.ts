/** What `window` and `receipt` say of parts that were archived or have no room, of a fold that is due, and of a first request. */
import type { BreakReceipt } from "@holdfast/sdk"
import { expect, test } from "vitest"
import { rebuildText } from "../../src/recall/rebuild.ts"
import { receiptLines } from "../../src/recall/receipt.ts"
import { layoutWindow, type NextPrice, type RecallView, type WindowView } from "../../src/window/layout.ts"

const recall: RecallView = {
  parts: [{ id: "c1-40", tier: 1 }],
  messagesHidden: 61,
  tags: 4,
  tagsDropped: 0,
  usage: 0.3,
  threshold: 0.65,
  tokensLeft: 58_560,
  waiting: "",
}

function screen(more: Partial<RecallView>, nextPrice: NextPrice | null = null): string {
  const nothing = { usage: { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }, accuracy: "exact", cost: 0 }
  const view = {
    session: "ses_0123456789abcdefghij",
    title: null,
    state: "idle",
    model: "local/small",
    limitTokens: 200_000,
    note: "",
    segments: [{ name: "tail", tokens: 9, cachedTokens: 0, source: "", why: "" }],
    recall: { ...recall, ...more },
    lastBreak: null,
    nextBreak: null,
    nextPrice,
    lastTurn: null,
    spent: nothing,
    turns: 1,
  } as unknown as WindowView
  return layoutWindow(view, (_, text) => text, 400).join("\n")
}

test("[SU2] each part is counted once: in its tier, as archived, or as not shown", () => {
  const parts = [
    { id: "c1-40", tier: 4, archived: true },
    { id: "c41-50", tier: null, archived: true },
    { id: "c51-60", tier: null },
    { id: "c61-70", tier: 4 },
    { id: "c71-80", tier: 1 },
  ]
  expect(screen({ parts })).toContain(
    "5 parts for 61 messages: tier 1 ×1, tier 4 ×1, archived ×1, 2 not shown · 4 tags",
  )
})

test("[SU2] past the threshold there is nothing left, and only past the window more than a fold can take out", () => {
  expect(screen({ usage: 0.7, tokensLeft: 0 })).toContain("now 70 %: 0 tokens more")
  expect(screen({ usage: 1.2, tokensLeft: 0 })).toContain("now 120 %: more than a fold can take out")
})

test("[SU2 SU4] what a fold costs stands beside what it would cost to leave it, also where that is less", () => {
  const price = { cost: 0.5, lapsed: false, leftAsItIs: 0.02, cached: null }
  expect(screen({}, price)).toContain("about $0.50 for its input, left as it is $0.020")
})

const receipt = {
  turn: "trn_0123456789abcdefghij",
  number: 1,
  pass: "fold",
  break: null,
  tokensBefore: 1,
  tokensAfter: 1,
  kept: { messages: 1, compartments: 0 },
  held: [],
  summarised: [],
  left: [],
  dropped: { messages: 0, calls: 0, skeletons: 0, strips: 0 },
  cost: 0,
  costHistorian: 0,
  priceExpected: null,
} as unknown as BreakReceipt
const told = (more: Partial<BreakReceipt>) => receiptLines({ ...receipt, ...more }, 400).join("\n")

test("[SU4] a receipt without a break is of the first request", () => {
  expect(told({})).toMatch(/^because +it was the first$/m)
})

test("[SU4] a historian whose cost nobody knows is named, and one that cost nothing is not", () => {
  expect(told({ costHistorian: null })).toMatch(/^cost .* · historian \S/m)
  expect(told({ costHistorian: 0 })).not.toContain("historian")
})

test("[SU4] a part that was archived and has no room is told as one of these", () => {
  const span = { fromSeq: 1, toSeq: 9, title: "cage" }
  const held = [
    { id: "c1-9", ...span, tierBefore: 4, tier: null, archived: "now" },
    { id: "c10-19", ...span, tierBefore: 4, tier: 4, archived: "now" },
  ] as unknown as BreakReceipt["held"]
  expect(told({ held })).toContain("2 parts from before: 1 archived, 1 no longer shown, for want of room")
})

test("[HI7 SU4] what changed while the rest was rebuilt is told with what was done", () => {
  const result = {
    ranges: 2,
    unchanged: 0,
    overtaken: 1,
    compartmentsBefore: 6,
    compartmentsAfter: 5,
    messages: 40,
    byModel: 0,
    withoutModel: [],
    cost: 0,
  }
  expect(rebuildText(result, { costExpected: 0.05 })).toMatch(
    /the provider reads it anew, for about \$0\.050\.$/,
  )
  const text = rebuildText(result)
  expect(text).toMatch(/40 messages were read.* 1 range changed meanwhile; repeat the command for them\./)
})
