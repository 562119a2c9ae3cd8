/** The window of a Session as a screen: golden screens, and bounds that hold for any values. */
import type { PlannedRequest, Session, TurnRecord } from "@holdfast/sdk"
import { describe, expect, test } from "vitest"
import { breakReason } from "@holdfast/recall/break"
import { EpochCause } from "@holdfast/schema/fact/context"
import type { Spent } from "@holdfast/schema/model"
import { columnsOf, fit } from "../src/text-width.ts"
import { cacheLoss } from "../src/window/cache-loss.ts"
import {
  layoutWindow,
  type NextPrice,
  screenColumns,
  screenLines,
  type WindowView,
} from "../src/window/layout.ts"
import { windowView } from "../src/window/view.ts"
import { besideText } from "../src/window/window.ts"

const plain = (_: string, text: string): string => text

const segment = (name: string, tokens: number, cachedTokens: number, source: string, why: string) => ({
  name,
  tokens,
  cachedTokens,
  source,
  why,
})

const spent = (input: number, cacheRead: number, output: number, cost: number | null): Spent => ({
  usage: { input, cacheRead, cacheWrite: 0, output },
  accuracy: "exact",
  cost,
})

const view: WindowView = {
  session: "ses_0123456789abcdefghij",
  title: "Read README.md and describe this project.",
  state: "idle",
  model: "local/small",
  limitTokens: 200_000,
  note: "nothing is due",
  segments: [
    segment("tools", 1_204, 1_204, "3 tool definitions", "The model may call these tools."),
    segment(
      "facts (Baseline)",
      3_402,
      3_402,
      "core/date, core/environment",
      "Sent unchanged since event 3 (Epoch).",
    ),
    segment("agent prompt", 310, 310, "agent prompt", "Says how the selected agent works."),
    segment("messages (tail)", 57_424, 40_000, "24 messages ".repeat(9), "What was said and done so far."),
  ],
  recall: {
    parts: [
      { id: "c1-40", tier: 3 },
      { id: "c41-90", tier: 1 },
      { id: "c91-120", tier: 1 },
    ],
    messagesHidden: 61,
    tags: 48,
    tagsDropped: 6,
    usage: 0.335,
    threshold: 0.65,
    tokensLeft: 58_560,
    waiting: "2 drops",
  },
  lastBreak: { turn: 3, cause: "the first facts were told anew (break: system)" },
  nextBreak: null,
  nextPrice: { cost: 0.0231, lapsed: false, leftAsItIs: null, cached: null },
  lastTurn: spent(15_184, 44_916, 512, 0.0712),
  spent: spent(92_089, 310_222, 9_120, 1.432),
  turns: 12,
}

test("[SU2] a window of four segments is this screen", () => {
  expect(`\n${layoutWindow(view, plain).join("\n")}\n`).toBe(`
Read README.md and describe this project.                                   idle
ses_0123456789abcdefghij                                             local/small
about 62,340 of 200,000 tokens · 31 %                             nothing is due
██████████████████▒▒▒▒▒▒▒·······················································

SEGMENT              TOKENS CACHED
tools                 1,204    yes  █
  3 tool definitions · The model may call these tools.
facts (Baseline)      3,402    yes  ███
  core/date, core/environment · Sent unchanged since event 3 (Epoch).
agent prompt            310    yes  █
  agent prompt · Says how the selected agent works.
messages (tail)      57,424   70 %  ███████████████████████████████▒▒▒▒▒▒▒▒▒▒▒▒▒
  24 messages 24 messages 24 messages 24 messa… · What was said and done so far.
together             62,340         █ cached 44,916 · ▒ new 17,424

history     3 parts for 61 messages: tier 1 ×2, tier 3 ×1 · 48 tags, 6 dropped
next fold   at 65 % of what may be sent, now 34 %: 58,560 tokens more · waits: 2
            drops
cache lost  in turn 3, because the first facts were told anew (break: system)
next turn   about $0.023 for its input
last turn   $0.071 · 60,100 tokens in (75 % from cache), 512 out
Session     $1.43 · 402,311 tokens in (77 % from cache), 9,120 out · 12 turns
`)
})

test("[SU2 TU7] says of figures that they are an estimate, or leave out what is not known", () => {
  const estimated: Spent = { ...spent(100, 0, 40, 0.5), accuracy: "estimated" }
  const incomplete: Spent = { ...spent(402_311, 0, 9_120, null), accuracy: "incomplete" }
  const told = { ...view, lastTurn: estimated, spent: incomplete, turns: 2 }
  expect(layoutWindow(told, plain).slice(-3)).toEqual([
    "last turn   about $0.50 · 100 tokens in (0 % from cache), about 40 out",
    "Session     cost unknown · at least 402,311 tokens in (0 % cached), 9,120 out ·",
    "            2 turns",
  ])
})

test("[SU2] a window that no fold makes small enough says so, and leaves nothing for its next fold", () => {
  const recall = { ...view.recall!, usage: 10.06, tokensLeft: 0, waiting: "" }
  const lines = layoutWindow({ ...view, recall, nextPrice: null }, plain)
  expect(lines.join(" ").replace(/ +/g, " ")).toContain(
    "next fold at 65 % of what may be sent, now 1006 %: more than a fold can take out",
  )
  expect(lines.some((line) => line.startsWith("next turn"))).toBe(false)
})

test("[SU2 TU7] a cost of which a part is unknown is told as the least that it can be", () => {
  const known = { ...spent(100, 0, 40, null), costKnown: 1.31 }
  const [line] = layoutWindow({ ...view, spent: known }, plain).slice(-1)
  expect(line).toBe("Session     at least $1.31 · 100 tokens in (0 % from cache), 40 out · 12 turns")
})

test("[SU2] what the history takes beside its parts is told, so that the column of tokens adds up", () => {
  const part = (place: string, tokens: number) => ({ place, tokens })
  const request = {
    compartments: [part("baseline", 780), part("delta", 170), part("hidden", 0), part("waiting", 400)],
    segments: [
      { name: "system", tokens: 900 },
      { name: "history-baseline", tokens: 5_384 },
      { name: "history-delta", tokens: 200 },
    ],
  } as unknown as PlannedRequest
  expect(besideText(request)).toBe(
    "The history takes 5,584 tokens: 950 for its parts, 4,634 for names, headings and what is known of the project.\n",
  )
})

describe("[SU2 TU7] what the input of the next request costs is told before it is sent, and why", () => {
  const told = (nextPrice: Partial<NextPrice>, cause: string | null = null) => {
    const price = { cost: 0.1043, lapsed: false, leftAsItIs: null, cached: null, ...nextPrice }
    const next = { ...view, nextBreak: cause === null ? null : { cause }, nextPrice: price }
    const lines = layoutWindow(next, plain)
    expect(lines.length).toBeLessThan(screenLines)
    const from = lines.findIndex((line) => line.startsWith("next turn"))
    const to = lines.findIndex((line) => line.startsWith("last turn"))
    return lines.slice(from, to)
  }

  test.each<readonly [string, Partial<NextPrice>, string | null, readonly string[]]>([
    ["the cache is there", {}, null, ["next turn   about $0.10 for its input"]],
    [
      "the cache has lapsed",
      { lapsed: true, cached: 0.019 },
      null,
      ["next turn   about $0.10 for its input, from the cache $0.019: the cache has", "            lapsed"],
    ],
    [
      "the tools changed",
      { cached: 0.019 },
      "the tools changed (break: tools)",
      [
        "next turn   about $0.10 for its input, from the cache $0.019: loses the cache,",
        "            because the tools changed (break: tools)",
      ],
    ],
    [
      "it is folded while the cache is cold",
      { lapsed: true, leftAsItIs: 0.47 },
      "older messages were summed up while the cache was cold (break: history-baseline)",
      [
        "next turn   about $0.10 for its input, left as it is $0.47: the cache has",
        "            lapsed; loses the cache, because older messages were summed up while",
        "            the cache was cold (break: history-baseline)",
      ],
    ],
    ["nobody knows the price", { cost: null }, null, ["next turn   input of unknown price"]],
  ])("%s", (_, price, cause, lines) => expect(told(price, cause)).toEqual(lines))
})

test("[SU2] all tiers of a long history are told, and in a pipe on one line", () => {
  const tiers = [1, 2, 3, 4, null].flatMap((tier) => Array.from({ length: 11 }, () => ({ id: "c1-2", tier })))
  const recall = { ...view.recall!, parts: tiers, messagesHidden: 12_345, tags: 23_456, tagsDropped: 1_234 }
  const text =
    "55 parts for 12,345 messages: tier 1 ×11, tier 2 ×11, tier 3 ×11, tier 4 ×11, 11 not shown · 23,456 tags, 1,234 dropped"
  const history = (columns?: number) => {
    const lines = layoutWindow({ ...view, recall }, plain, columns)
    const to = lines.findIndex((line) => line.startsWith("next fold"))
    return lines.slice(
      lines.findIndex((line) => line.startsWith("history")),
      to,
    )
  }
  expect(history()).toHaveLength(2)
  expect(
    history()
      .map((line) => line.slice(12))
      .join(" "),
  ).toBe(text)
  expect(history(160)).toEqual([`history     ${text}`])
  const piped = layoutWindow({ ...view, recall, note: "why ".repeat(40) }, plain, Infinity)
  expect(piped).toContain(`history     ${text}`)
  expect(piped.join("\n")).not.toContain("…")
  // What is drawn stays as it is on 80 columns.
  expect(piped.find((line) => line.startsWith("█"))).toHaveLength(screenColumns)
})

test("[SU2] with more segments than can be told in full, each keeps one line", () => {
  const names = ["tools", "system", "agent", "baseline", "delta", "notes", "tail"]
  const segments = names.map((name, at) =>
    segment(name, 100 * (at + 1), at < 3 ? 100 * (at + 1) : 0, "", "because"),
  )
  expect(layoutWindow({ ...view, segments }, plain).slice(5, 13)).toEqual([
    "SEGMENT              TOKENS CACHED                      WHY",
    "tools                   100    yes  ███                 because",
    "system                  200    yes  █████               because",
    "agent                   300    yes  ████████            because",
    "baseline                400     no  ▒▒▒▒▒▒▒▒▒▒          because",
    "delta                   500     no  ▒▒▒▒▒▒▒▒▒▒▒▒▒       because",
    "notes                   600     no  ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒     because",
    "tail                    700     no  ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒  because",
  ])
})

test("[SU2] bars give way to reasons, which are read to their end", () => {
  const names = ["params", "tools", "system", "agent", "history-baseline", "history-delta", "tail"]
  const why = "Says how the selected agent works."
  const segments = names.map((name) => segment(name, 700, 0, "", why))
  const lines = layoutWindow({ ...view, segments }, plain).slice(6, 13)
  expect(lines[4]).toBe(`history-baseline        700     no  ${"▒".repeat(8)}  ${why}`)
  expect(lines.every((line) => line.endsWith(why))).toBe(true)
})

test("[SU2] why nothing would be sent is read to its end", () => {
  const note = `A request was declined for its price: about $0.075 for its input, above the setting cost.askAbove 0.01.`
  const lines = layoutWindow({ ...view, note }, plain)
  expect(
    lines
      .slice(3, 5)
      .map((line) => line.trim())
      .join(" "),
  ).toBe(note)
  expect(lines.length).toBeLessThan(screenLines)
  expect(layoutWindow({ ...view, note, segments: [] }, plain).join(" ")).toContain(note)
})

test("[SU2] colours add nothing but colours", () => {
  const painted = layoutWindow(view, (style, text) => `<${style}>${text}</>`)
  expect(painted.join("\n")).toContain(`<green>${"█".repeat(31)}</><yellow>${"▒".repeat(13)}</>`)
  expect(painted.map((line) => line.replaceAll(/<\/?\w*>/g, ""))).toEqual(layoutWindow(view, plain))
})

test("[SU2] a Session without a turn says so", () => {
  const empty = { ...view, segments: [], lastBreak: null, lastTurn: null, limitTokens: null, title: null }
  expect(`\n${layoutWindow(empty, plain).join("\n")}\n`).toBe(`
(no title)                                                                  idle
ses_0123456789abcdefghij                                             local/small
0 tokens, limit unknown                                           nothing is due

Nothing would be sent.
`)
})

test("[SU2] unknown limit and price, no break and no cache are said in words", () => {
  const lines = layoutWindow(
    {
      ...view,
      limitTokens: null,
      recall: null,
      lastBreak: null,
      nextPrice: null,
      lastTurn: null,
      spent: spent(0, 0, 0, null),
      segments: [segment("messages (tail)", 12, 0, "1 message", "")],
    },
    plain,
  )
  expect(lines.slice(2)).toEqual([
    "12 tokens, limit unknown                                          nothing is due",
    "▒".repeat(80),
    "",
    "SEGMENT              TOKENS CACHED",
    `messages (tail)          12     no  ${"▒".repeat(44)}`,
    "  1 message",
    "together                 12         █ cached 0 · ▒ new 12",
    "",
    "cache lost  never: every request repeated the one before it (no break)",
    "last turn   none has settled yet",
    "Session     cost unknown · 0 tokens in (0 % from cache), 0 out · 12 turns",
  ])
})

test("[SU2] figures and causes that need two lines are shown to their end", () => {
  const lines = layoutWindow(
    {
      ...view,
      lastBreak: { turn: 127, cause: "older messages were left out (break: history-delta)" },
      spent: { ...spent(92_089_000, 310_222_000, 9_120_000, null), accuracy: "incomplete" },
      turns: 1_200,
    },
    plain,
  )
  expect(lines.slice(-6)).toEqual([
    "cache lost  in turn 127, because older messages were left out (break:",
    "            history-delta)",
    "next turn   about $0.023 for its input",
    "last turn   $0.071 · 60,100 tokens in (75 % from cache), 512 out",
    "Session     cost unknown · at least 402,311,000 tokens in (77 % cached),",
    "            9,120,000 out · 1,200 turns",
  ])
})

describe("[SU2] never more than 80 columns and 24 lines", () => {
  const long = "An endless reason with 漢字 and 🙂 and \u001b[31mred\u001b[0m ".repeat(9)
  const sizes = [0, 1, 7, 999, 123_456, 9_999_999_999]
  for (const columns of [20, 60, 72, 80, 200]) {
    for (const segments of [0, 1, 7, 12, 13, 400]) {
      test(`${segments} segments on ${columns} columns`, () => {
        const lines = layoutWindow(
          {
            ...view,
            session: long,
            title: long,
            state: long,
            model: long,
            note: long,
            limitTokens: segments % 2 === 0 ? 1_000 : null,
            segments: Array.from({ length: segments }, (_, at) => ({
              name: long,
              tokens: sizes[at % sizes.length] ?? 0,
              cachedTokens: at % 3 === 0 ? (sizes[at % sizes.length] ?? 0) : 0,
              source: long,
              why: long,
            })),
            lastBreak: { turn: 9_999_999, cause: long },
            nextBreak: { cause: long },
          },
          plain,
          columns,
        )
        expect(lines.length).toBeLessThan(screenLines)
        const most = Math.max(screenColumns, columns)
        for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(most)
        expect(lines.join("\n")).not.toContain("\u001b")
        const shown = lines.filter((line) => line.startsWith("An endless reaso… ")).length
        if (segments > 11) {
          expect(shown).toBeGreaterThanOrEqual(6)
          expect(lines.join("\n")).toContain(`… and ${segments - shown} smaller ones`)
        }
      })
    }
  }
})

test.each([
  [12, "cache lost  not known: 12 imported turns cannot be judged"],
  [1, "cache lost  never since the import (no break): 1 imported turn cannot be judged"],
])("[SU2] of %i imported turns nobody says that they kept a cache", (turnsImported, told) =>
  expect(layoutWindow({ ...view, lastBreak: null, turnsImported }, plain)).toContain(told),
)

test("[SU2] the numbers are those of the planned request and of the ledger", () => {
  const usage = { input: 10, output: 5, cacheRead: 60, cacheWrite: 30 }
  const turn = (id: string, cost: number): TurnRecord =>
    ({
      started: { turn: id, request: { blocks: 3 } },
      settled: { ledger: { usage, cost } },
    }) as unknown as TurnRecord
  const request = {
    model: { provider: "local", model: "small" },
    due: true,
    obstacle: null,
    segments: [{ name: "tail", source: "history", why: "kept", tokens: 90, tokensCached: 60, blocks: [] }],
    limit: { contextTokens: 1_000, outputTokens: 100 },
    lastBreak: { turn: "trn_b", block: 3, segment: "system", reason: "epoch_incompatible" },
    break: { block: 0, segment: "tools", reason: "tools_changed" },
    costExpected: 0.4,
    priceExpected: { cost: 0.4, costWarm: 0.1, costOtherwise: 0.3, tokensAgain: 80, cause: "cold" },
    cost: { lastTurn: 0.5, session: 0.75, accuracy: { lastTurn: "exact", session: "estimated" } },
  } as unknown as PlannedRequest
  const session = {
    id: "ses_1",
    title: "t",
    status: { state: "idle", owing: true },
  } as unknown as Session
  expect(windowView(session, request, [turn("trn_a", 0.25), turn("trn_b", 0.5)])).toEqual({
    recall: null,
    session: "ses_1",
    title: "t",
    state: "idle, an answer is owed (owing)",
    model: "local/small",
    limitTokens: 1_000,
    note: "a turn is due",
    segments: [segment("messages (tail)", 90, 60, "history", "kept")],
    lastBreak: { turn: 2, cause: "the first facts were told anew (break: system)" },
    nextBreak: { cause: "the tools changed (break: tools)" },
    nextPrice: { cost: 0.4, lapsed: true, leftAsItIs: 0.3, cached: null },
    lastTurn: { usage, accuracy: "exact", cost: 0.5 },
    spent: {
      usage: { input: 20, output: 10, cacheRead: 120, cacheWrite: 60 },
      accuracy: "estimated",
      cost: 0.75,
    },
    turns: 2,
  })
  const obstacle = { code: "too_large", message: "It does not fit." }
  expect(windowView(session, { ...request, obstacle }, [])).toMatchObject({
    note: "It does not fit.",
    nextBreak: null,
    nextPrice: null,
  })
})

test.each([
  ["plain", 10, "plain"],
  ["much too long", 8, "much to…"],
  ["漢字漢字", 5, "漢字…"],
  ["🙂🙂🙂", 4, "🙂…"],
  ["e\u0301e\u0301e\u0301", 2, "e\u0301…"],
  ["two\nlines\t here", 20, "two lines here"],
  ["x", 0, ""],
])("%j in %d columns is %j", (text, columns, fitted) => {
  expect(fit(text, columns)).toBe(fitted)
  expect(columnsOf(fitted)).toBeLessThanOrEqual(columns)
})

describe("[SU2] a lost cache is told in words, the term behind them", () => {
  test.each([
    ["model_changed", "the model changed (break: tools)"],
    ["cut_overflow", "older messages were left out (break: tools)"],
    ["cut_asked", "older messages were summed up, as somebody asked (break: tools)"],
    ["a_code_of_tomorrow", "a code of tomorrow (break: tools)"],
  ])("%s", (reason, words) => expect(cacheLoss({ segment: "tools", reason })).toBe(words))

  test("each reason of the ledger has words of its own", () => {
    const none = {
      modelChanged: false,
      toolsChanged: false,
      optionsChanged: false,
      paramsChanged: false,
      epochCause: null,
      cut: null,
      work: null,
      quarantined: false,
      unsent: null,
      unknown: null,
    }
    const changed = ["modelChanged", "toolsChanged", "optionsChanged", "paramsChanged", "quarantined"]
    const codes = [
      ...changed.map((cause) => breakReason({ ...none, [cause]: true })),
      ...EpochCause.literals
        .filter((cause) => cause !== "first")
        .map((epochCause) => breakReason({ ...none, epochCause })),
      ...["ceiling", "overflow", "refusal", "asked", "images", "threshold", "forced", "idle"].map((cut) =>
        breakReason({ ...none, cut }),
      ),
      ...["execute_threshold", "execute_forced", "execute_idle", "history_changed", "flush", "asked"].map(
        (work) => breakReason({ ...none, work }),
      ),
      ...["encoder_changed", "previous_unknown"].map((unknown) => breakReason({ ...none, unknown })),
      breakReason(none),
      "system_role_unanswered",
    ]
    const asIs = codes.filter((code) =>
      cacheLoss({ segment: "tools", reason: code }).startsWith(`${code.replaceAll("_", " ")} (`),
    )
    expect(asIs).toEqual([])
  })
})
