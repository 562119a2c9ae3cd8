/** How models are shown: the list, and the note when another one takes over. */
import { expect, test } from "vitest"
import type { Event, ListedModel } from "@holdfast/sdk"
import { makeTranscript } from "../src/conversation/transcript.ts"
import { formatListing } from "../src/models/layout.ts"
import type { ProviderListing } from "../src/models/listing.ts"
import { columnsOf } from "../src/text-width.ts"

const paint = (_: string, text: string) => text
const model: ListedModel = {
  provider: "p",
  model: "m",
  wire: "openai-chat",
  contextTokens: 1_047_576,
  outputTokens: 999,
  price: { input: 1_234.5678, output: 0, cacheRead: 0.0061, cacheWrite: 12.5 },
  tools: true,
  images: false,
  structuredOutput: false,
  reasoning: "none",
  cache: { written: "markers", tokensMin: 4_096, lives: ["5m", "1h"] },
  variants: [],
  default: false,
  fallback: null,
}
const provider: ProviderListing = {
  name: "p",
  wire: "openai-chat",
  baseUrl: "http://127.0.0.1:1",
  paid: false,
  key: "given",
  keyProblem: null,
  ambient: false,
  open: false,
  models: [model],
}
const list = (columns: number, ...models: readonly ListedModel[]) =>
  formatListing({ paint, columns }, { providers: [{ ...provider, models }], problems: [] })

test("[CA1] marks, limits, prices, abilities and the cache stand in their columns", () => {
  const unknown = { written: "unknown", tokensMin: null, lives: [] } as const
  expect(
    list(
      100,
      { ...model, default: true },
      {
        ...model,
        model: "other",
        fallback: 2,
        price: null,
        images: true,
        cache: unknown,
        reasoning: "effort",
      },
    ).split("\n"),
  ).toEqual([
    "p · key given · openai-chat · http://127.0.0.1:1",
    "  MODEL    WINDOW OUTPUT      IN     OUT    READ   WRITE CAN  CACHE",
    "* m         1.04M    999    1235       0  0.0061    12.5 t··· m4096",
    "2 other     1.04M    999       –       –       –       – ti·r –",
    "",
    "* default, 1 2 … order of fallback. Prices: dollars for a million tokens, – if not known.",
    "CAN: t tools, i images, s structured output, r reasoning.",
    "CACHE: m marked, b breakpoints, a automatic, and from how many tokens on; – if not known.",
    "",
  ])
})

test.each([
  ["markers", 512, "m512"],
  ["breakpoints", 1_024, "b1024"],
  ["automatic", 4_096, "a4096"],
] as const)(
  "[CA1] a cache that is written by %s shows from how many tokens on",
  (written, tokensMin, shown) =>
    expect(list(100, { ...model, cache: { written, tokensMin, lives: [] } })).toMatch(
      new RegExp(`^ {2}m .* ${shown}$`, "m"),
    ),
)

test.each([100, 200, 60])("[CA1] on %i columns no line is wider than 100, whatever is listed", (columns) => {
  const long = { ...model, model: "vendor/名前".repeat(30), variants: ["fast", "slow".repeat(30)] }
  const { baseUrl } = provider
  const listing = {
    providers: [
      {
        ...provider,
        key: "missing" as const,
        keyProblem: "takes its key from nowhere. ".repeat(20),
        baseUrl: baseUrl + "/x".repeat(99),
        models: [long],
      },
    ],
    problems: [],
  }
  const widest = formatListing({ paint, columns }, listing).split("\n").map(columnsOf)
  expect(Math.max(...widest)).toBeLessThanOrEqual(Math.min(100, Math.max(columns, 90)))
})

test("[CA3] a model that takes over is told with both names, the reason and the time", () => {
  let written = ""
  const write = (text: string) => void (written += text)
  const fallback = {
    from: { provider: "a", model: "one" },
    to: { provider: "b", model: "two" },
    until: Date.UTC(2026, 0, 1),
    reason: { code: "overloaded", message: "It is overloaded." },
  }
  makeTranscript({ write, paint, columns: 80 }).takeDurable({
    fact: { type: "session.updated", fallback },
  } as Event)
  expect(written).toMatch(/^\nIt is overloaded\. a\/one rests until \d\d:\d\d:\d\d; b\/two goes on\.\n$/)
})
