/** What `fold`, `flush`, `rebuild` and `receipt` say. */
import type { BreakReceipt, RebuildResult } from "@holdfast/sdk"
import { expect, test } from "vitest"
import { flushText, foldText } from "../../src/recall/fold.ts"
import { progressText, rebuildText, spanOf } from "../../src/recall/rebuild.ts"
import { receiptLines } from "../../src/recall/receipt.ts"
import { columnsOf } from "../../src/text-width.ts"

const part = (at: number) => ({
  id: `c${at}-${at + 40}`,
  fromSeq: at,
  toSeq: at + 40,
  title: "Never wake the canary, whatever it sings, and mend the cage before night",
  tier: 1,
  by: "extractive" as const,
  messages: 12,
  first: "msg_a",
  last: "msg_b",
})

const held = (at: number, tierBefore: number | null, tier: number | null) => ({
  id: `c${at}-${at + 40}`,
  fromSeq: at,
  toSeq: at + 40,
  title: "Feed it at noon",
  tierBefore,
  tier,
})

const receipt = {
  turn: "trn_0123456789abcdefghij",
  number: 12,
  startedSeq: 400,
  startedAt: 1,
  pass: "fold",
  break: { block: 3, segment: "history-baseline", reason: "cut_threshold" },
  tokensBefore: 130_400,
  tokensAfter: 51_200,
  kept: { messages: 14, compartments: 3 },
  held: [held(100, 1, 1), held(200, 1, 3), held(300, 4, null), held(400, null, 4), held(500, null, null)],
  summarised: [part(1), part(42)],
  left: ["c0-9"],
  dropped: { messages: 1, calls: 3, skeletons: 20, strips: 8 },
  cost: 0.42,
  costHistorian: 0.01,
  priceExpected: { cost: 0.4, costWarm: 0.07, tokensAgain: 50_000, cause: "break" },
} as unknown as BreakReceipt

test("[SU4] a receipt is this screen", () => {
  expect(`\n${receiptLines(receipt).join("\n")}\n`).toBe(`
Turn 12     Fold · trn_0123456789abcdefghij
because     older messages were summed up, to keep the window from filling
            (break: history-baseline)
tokens      about 130,400 before, about 51,200 after
kept        14 messages unchanged, 3 parts of the history
history     5 parts from before: 1 as full as before, 1 told in less, 1 told in
            more, 1 no longer shown, for want of room, 1 not shown, as before
  c200-240     tier 1 before, now tier 3: Feed it at noon
  c300-340     tier 4 before, now not shown: Feed it at noon
  c400-440     not shown before, now tier 4: Feed it at noon
dropped     1 message, 3 calls wholly and 20 but for their names, 8 stripped
summed up   24 messages in 2 parts; tier 1 tells most, tier 4 least
  c1-41        #1–#41, 12 messages, tier 1: Never wake the canary, whatever it…
  c42-82       #42–#82, 12 messages, tier 1: Never wake the canary, whatever it…
left        1 part, replaced by others: c0-9
cost        the turn $0.42 · input about $0.40, from the cache $0.070 ·
            historian $0.010
`)
})

test("[SU4] no figure of a receipt is cut, and in a pipe nothing is", () => {
  const left = Array.from({ length: 40 }, (_, at) => `c${at}-${at + 9}`)
  const priceExpected = { ...receipt.priceExpected!, costOtherwise: 12.34, cause: "cold" as const }
  const full = { ...receipt, left, cost: 123.45, costHistorian: 67.89, priceExpected }
  const cost =
    "the turn $123.45 · input about $0.40, left as it was $12.34 (the cache had lapsed) · historian $67.89"
  const screen = receiptLines(full)
  expect(screen.slice(-3)).toEqual([
    "left        40 parts, replaced by others: c0-9, c1-10, c2-11, c3-12, and 36 more",
    "cost        the turn $123.45 · input about $0.40, left as it was $12.34 (the",
    "            cache had lapsed) · historian $67.89",
  ])
  expect(receiptLines(full, 160).at(-1)).toBe(`cost        ${cost}`)
  const piped = receiptLines(full, Infinity)
  expect(piped.join("\n")).not.toContain("…")
  expect(piped).toContain(`left        40 parts, replaced by others: ${left.join(", ")}`)
  expect(piped.find((line) => line.startsWith("  c1-41"))).toContain("mend the cage before night")
})

test("[SU4] a receipt says plainly where nothing was dropped or summed up", () => {
  const dropped = { messages: 0, calls: 0, skeletons: 0, strips: 0 }
  const lines = receiptLines({ ...receipt, dropped, summarised: [] } as BreakReceipt)
  expect(lines).toContain("dropped     nothing")
  const shorter = receiptLines({ ...receipt, dropped: { ...dropped, shortened: 4 } })
  expect(shorter).toContain("dropped     4 shortened")
  expect(lines).toContain("summed up   nothing")
})

test("[SU4 DK1] what was archived is told as such, and what stood in parts before as summed up again", () => {
  const archives = [
    { ...held(100, 2, 1), archived: "now" as const },
    { ...held(200, 3, 4), archived: "before" as const },
  ]
  const again = { ...part(1), archived: true, messagesBefore: 8 }
  const one = { ...receipt, held: archives, summarised: [again, part(42)] } as unknown as BreakReceipt
  const lines = receiptLines(one)
  expect(lines).toContain("history     2 parts from before: 1 archived, 1 archived before")
  expect(lines.filter((line) => line.startsWith("  c"))).toEqual([
    "  c100-140     tier 2 before, now archived: Feed it at noon",
    expect.stringMatching(/^  c1-41 {8}#1–#41, 12 messages, archived: Never wake/),
    expect.stringMatching(/^  c42-82 {7}#42–#82, 12 messages, tier 1: Never wake/),
  ])
  const summed = (summarised: readonly object[]) =>
    receiptLines({ ...one, summarised } as BreakReceipt).find((line) => line.startsWith("summed up"))
  expect(summed([again, part(42)])).toMatch(
    /^summed up +16 messages and 8 that stood in parts before in 2 parts;/,
  )
  expect(summed([{ ...again, messagesBefore: 12 }])).toMatch(
    /^summed up +12 messages that stood in parts before in 1 part;/,
  )
})

test("[SU4] a receipt of many parts stays on a screen of 80 columns and 24 lines", () => {
  const summarised = Array.from({ length: 300 }, (_, at) => part(at * 41))
  const fallen = Array.from({ length: 200 }, (_, at) => held(at * 41, 1, 2))
  const screens = [
    { ...receipt, summarised, held: [] },
    { ...receipt, summarised, held: fallen },
    { ...receipt, summarised: [], held: fallen },
  ].map((one) => receiptLines(one))
  for (const lines of screens) {
    expect(lines.length).toBeLessThan(24)
    expect(lines.every((line) => columnsOf(line) <= 80)).toBe(true)
  }
  expect(screens.map((lines) => lines.filter((line) => line.startsWith("  … and ")))).toEqual([
    ["  … and 290 more"],
    ["  … and 196 more", "  … and 294 more"],
    ["  … and 190 more"],
  ])
})

const nothing = { tokens: 900, tokensCached: 800, obstacle: null, break: null, costExpected: 0.01 }

test("[PS7 SU4] flush says what it does and what it costs, or that nothing waits", () => {
  expect(flushText(nothing, nothing)).toMatch(/^Nothing waits that could be done now/)
  const after = {
    ...nothing,
    tokens: 700,
    tokensCached: 100,
    break: { block: 1, segment: "tail" as const, reason: "flush" },
    costExpected: 0.2,
    priceExpected: {
      cost: 0.2,
      costWarm: 0.07,
      costOtherwise: 0.05,
      tokensAgain: 600,
      cause: "break" as const,
    },
  }
  const dropping = (many: number) =>
    ({ recall: { waiting: [{ kind: "drop", count: many }] } }) as unknown as typeof nothing
  const left = { ...after, ...dropping(3), break: after.break, tokens: 700, tokensCached: 100 }
  expect(flushText({ ...dropping(20), ...nothing }, left)).toBe(
    "The next request does what waits (17 drops): about 700 tokens instead of 900, of which the provider reads about 100 from its cache, for about $0.20 instead of $0.050. Nothing is folded. 3 drops among the newest messages and outputs still wait.",
  )
  const due = { ...after, break: { ...after.break, reason: "cut_threshold" } }
  expect(flushText(due, due)).toMatch(/The provider would have had to read it anew without this, too\.$/)
  expect(flushText(after, after)).toMatch(/It was asked for before, and is done once\.$/)
  const asked = { ...after, break: { ...after.break, reason: "cut_asked" } }
  expect(flushText(nothing, asked)).toMatch(
    /^The next request takes out what is not needed any more: .* The fold that was asked for is done with it\.$/,
  )
})

test("[TU6 SU4] fold says what it takes out and what it costs, or that nothing is done and why", () => {
  const session = "ses_0123456789abcdefghij"
  expect(foldText(session, nothing, nothing)).toBe(
    `Nothing is done, and nothing is paid for it: not enough can be taken out to be worth it, and the next request keeps its 900 tokens. To see what they are: holdfast window ${session}`,
  )
  const priceExpected = {
    cost: 0.003,
    costWarm: 0.002,
    costOtherwise: 0.001,
    tokensAgain: 40,
    cause: "break" as const,
  }
  const after = {
    ...nothing,
    tokens: 700,
    tokensCached: 100,
    break: { block: 1, segment: "tail" as const, reason: "cut_asked" },
    costExpected: 0.003,
    priceExpected,
  }
  expect(foldText(session, nothing, after)).toContain("from its cache, for about $0.0030 instead of $0.0010.")
  const flushed = { ...after, break: { ...after.break, reason: "flush" } }
  expect(foldText(session, flushed, flushed)).toMatch(
    /^Nothing is folded: .* The flush .* about 700 tokens\.$/,
  )
  const cold = { ...after, priceExpected: { ...priceExpected, costOtherwise: 0.04, cause: "cold" as const } }
  expect(foldText(session, nothing, cold)).toContain(
    "for about $0.0030 instead of $0.040. The provider's cache has lapsed anyway. What it leaves out",
  )
  // What rides on the pass may make a cut request larger than the one before it.
  expect(foldText(session, { ...nothing, tokens: 650 }, { ...after, tokensBefore: 1_000 })).toMatch(
    /^The next request will have about 700 tokens instead of 1,000,/,
  )
  const unknown = { cost: null, costWarm: null, costOtherwise: null }
  const unpriced = { ...after, costExpected: null, priceExpected: { ...priceExpected, ...unknown } }
  expect(foldText(session, nothing, unpriced)).toContain("at an unknown price, since the model has none")
})

const rebuilt: RebuildResult = {
  ranges: 2,
  unchanged: 1,
  overtaken: 0,
  compartmentsBefore: 9,
  compartmentsAfter: 7,
  messages: 210,
  byModel: 0,
  withoutModel: [],
  cost: 0,
}

test.each([
  [
    rebuilt,
    "210 messages were read, and 9 parts of the history became 7, for $0. 1 range had been rebuilt before and stayed. The next request shows them, and the provider reads it anew.",
  ],
  [
    { ...rebuilt, ranges: 0, unchanged: 3 },
    "Nothing was changed: 3 ranges already say what the messages say.",
  ],
  [
    { ...rebuilt, ranges: 0, unchanged: 1, byModel: 1, cost: 0.033 },
    "Nothing was changed: 1 range already says what the messages say. The historian's model wrote 1 of 1 range. It was asked, at a cost of $0.033.",
  ],
  [
    { ...rebuilt, ranges: 0, overtaken: 2 },
    "Nothing was changed: 1 range already says what the messages say. 2 ranges changed meanwhile; repeat the command for them.",
  ],
  [
    { ...rebuilt, ranges: 0, unchanged: 0, overtaken: 1 },
    "Nothing was changed. 1 range changed meanwhile; repeat the command for them.",
  ],
  [
    {
      ...rebuilt,
      unchanged: 0,
      byModel: 1,
      withoutModel: [
        { code: "provider_failed", message: "It answered 500.", ranges: 2 },
        { code: "empty_answer", message: "It said nothing.", ranges: 1 },
        { code: "job_timeout", message: "It was not done within 300 s.", ranges: 1 },
      ],
      cost: null,
    },
    "210 messages were read, and 9 parts of the history became 7, for an unknown cost. The historian's model wrote 1 of 5 ranges. Written without it: 2 because it failed: It answered 500. 1 because its answer was useless: It said nothing. 1 because it timed out: It was not done within 300 s. To have them written by a model, mend that and repeat the command. The next request shows them, and the provider reads it anew.",
  ],
  [
    { ...rebuilt, compartmentsBefore: 0 },
    "Nothing to rebuild: no part of the history is stored yet. Parts that are planned are written with the next request.",
  ],
])("[HI7 SU4] rebuild says what it did and what it cost", (result, text) =>
  expect(rebuildText(result)).toBe(text),
)

test("[SU4] whoever waits for a rebuild hears how far it is", () => {
  expect(progressText(1, 20_400)).toContain("Rebuilding for 20 s: 1 range of the history is written.")
  expect(progressText(0, 10_000)).toContain("0 ranges of the history are written.")
})

test.each([
  ["c12-310", { fromSeq: 12, toSeq: 310 }],
  ["#12-#310", { fromSeq: 12, toSeq: 310 }],
  ["c12-310r0a1b2c3d", { fromSeq: 12, toSeq: 310 }],
])("[HI7] %s is a range", (range, span) => expect(spanOf(range)).toEqual(span))

test.each(["12", "c310-12", "all"])("[HI7] %s is no range", (range) =>
  expect(() => spanOf(range)).toThrow("is no range. Give one such as c12-310"),
)

test("[SU4] fold promises nothing where the next request breaks nothing, whatever it weighs", () => {
  const text = foldText("ses_0123456789abcdefghij", nothing, { ...nothing, tokens: 400, break: null })
  expect(text).toMatch(/^Nothing is done, and nothing is paid for it/)
})
