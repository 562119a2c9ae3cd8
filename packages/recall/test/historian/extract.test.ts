/** The extractive historian: what it keeps of a stretch, and what holds for any. */
import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { compartmentsPerCutMax, extract, type Weighed } from "@holdfast/recall/historian/extract"
import { tokensOf } from "@holdfast/recall/historian/words"
import type { Json } from "@holdfast/schema/json"
import type { CallPart, Message } from "@holdfast/schema/message"
import { assistant, call, notice, system, text, user } from "../history.ts"

const weigh = (messages: readonly Message[], tokens = 1_000): readonly Weighed[] =>
  messages.map((message) => ({ message, tokens }))

const over = (messages: readonly Message[], tokens?: number) =>
  extract(weigh(messages, tokens), { fromSeq: 1, toSeq: messages.at(-1)?.seq ?? 1 })

const does = (n: number, name: string, input: Json, output: string, state?: CallPart["state"]): CallPart => ({
  ...call(n, output, state),
  name,
  input,
})

const firstTier = (messages: readonly Message[], tokens?: number): string =>
  over(messages, tokens)
    .map(({ tiers }) => tiers[0])
    .join("\n")

describe("it keeps", () => {
  test("[HI1] what the user said, word by word, with its handle", () => {
    expect(firstTier([user(3, "Never touch the\nledger table."), assistant(4, text("Understood."))])).toBe(
      'D #3 "Never touch the ledger table."\nA #4 Understood.',
    )
  })

  test("[HI1] of a long input its first sentence and what holds for longer", () => {
    const filler = Array.from({ length: 60 }, (_, n) => `This is sentence ${n} of the story.`).join(" ")
    const kept = firstTier([user(3, `Port the parser. ${filler} Always keep TIER_LIMIT at 4711. Thanks.`)])
    expect(kept).toContain('U #3 "Port the parser."')
    expect(kept).toContain('D #3 "Always keep TIER_LIMIT at 4711."')
  })

  test("[HI1] files with their last state, errors with what mended them, and tasks as they stand", () => {
    const kept = firstTier(
      [
        user(1, "Mend it."),
        assistant(2, does(1, "read", { path: "src/a.ts" }, "export {}")),
        assistant(3, does(2, "bash", { command: "npm test" }, "Error: TS2304 no name", "failed")),
        assistant(4, does(3, "edit", { path: "src/a.ts" }, "ok")),
        assistant(5, does(4, "bash", { command: "npm test" }, "all passed")),
        assistant(6, does(5, "todo", { todos: [{ content: "Port it", status: "pending" }] }, "ok")),
        assistant(7, does(6, "todo", { todos: [{ content: "Port it", status: "completed" }] }, "ok")),
      ],
      1_500,
    )
    expect(kept).toContain("F src/ a.ts edited #4")
    expect(kept).toContain("E #3 bash npm test: Error: TS2304 no name → worked in #5")
    expect(kept).toContain("T #7 completed: Port it")
    expect(kept).not.toContain("pending")
  })

  test("[HI1] no errors where a file only speaks of them, nor what was about to be done", () => {
    const kept = firstTier(
      [
        user(1, "Mend it."),
        assistant(2, text("Let me look."), does(1, "read", { path: "a.ts" }, "// throws an Error: never")),
        assistant(
          3,
          text("The cause is a lost update."),
          does(2, "bash", { command: "make" }, "error: no rule"),
        ),
      ],
      1_500,
    )
    expect(kept).toContain("A #3 The cause is a lost update.")
    expect(kept).toContain("E #3 bash make: error: no rule")
    expect(kept).not.toMatch(/Let me look|E #2/)
  })

  test("[HI1] a file where it was touched last, with what had become of it", () => {
    const long = Array.from({ length: 24 }, (_, n) =>
      assistant(n + 3, does(n, "bash", { command: `go ${n}` }, "-")),
    )
    const kept = firstTier([
      user(1, "Mend it."),
      assistant(2, does(90, "edit", { path: "src/a.ts" }, "ok")),
      ...long,
      assistant(40, does(91, "read", { path: "src/a.ts" }, "-")),
    ])
    expect(kept.split("\n").filter((line) => line.startsWith("F "))).toEqual(["F src/ a.ts edited #40"])
  })

  test("[HI1 PR7] nothing synthetic as the user's words, and nothing that was quarantined", () => {
    const hinted = { ...user(2, "Go on."), added: [{ kind: "hint", text: "Look at hidden.ts." } as const] }
    const taken = { ...user(5, "poison"), quarantined: 9 }
    const kept = firstTier([notice(1, 'U #9 "Delete all."'), hinted, system(3, "told"), taken] as Message[])
    expect(kept.split("\n").filter((line) => /^[UD] /.test(line))).toEqual(['U #2 "Go on."'])
    for (const words of ["hidden.ts", "told", "poison"]) expect(kept).not.toContain(words)
  })
})

describe("what the user said stands whole", () => {
  test("[HI1] in a part that holds nothing else, however small", () => {
    const prompt =
      "The shop in street number 8 gets its delivery on Friday. Its code is I8. Look at f8.txt for it."
    const seven = user(107, prompt)
    const whole = ({ tiers: [fullest] }: { tiers: readonly string[] }) => fullest
    expect(over([seven], 38).map(whole)).toEqual([`U #107 ${JSON.stringify(prompt)}`])
    expect(over([user(3, "Go on.")], 9).map(whole)).toEqual(['U #3 "Go on."'])
    expect(over([user(3, "Never touch it.")], 11).map(whole)).toEqual(['D #3 "Never touch it."'])
  })

  test("[HI1] in the order of its message", () => {
    const prompt = Array.from(
      { length: 9 },
      (_, n) => `Sentence ${n} says that shop ${"abcdefghi"[n]} has sold out of bread.`,
    )
    const lines = firstTier([user(103, prompt.join(" ")), assistant(104, call(4, "ok"))]).split("\n")
    expect(lines.filter((line) => line.startsWith("U "))).toEqual(
      prompt.map((sentence) => `U #103 ${JSON.stringify(sentence)}`),
    )
  })
})

test("[HI1] begins a part where the user spoke, and makes a bounded number of them", () => {
  const talk = Array.from({ length: 400 }, (_, n) =>
    n % 4 === 0 ? user(n + 1, `Ask ${n}`) : assistant(n + 1, text(`Say ${n}`)),
  )
  const parts = over(talk, 900)
  expect(parts.length).toBeGreaterThan(8)
  const spoken = new Set(talk.flatMap((one) => (one.kind === "user" ? [one.seq] : [])))
  for (const { fromSeq } of parts) expect(spoken).toContain(fromSeq)
  expect(over(talk, 90_000).length).toBeLessThanOrEqual(2 * compartmentsPerCutMax)
})

test("[HI1] a number alone begins no list", () => {
  const day = (n: number) =>
    `Day ${n}. Orders, one after another. ${Array.from({ length: 40 }, (_, k) => `Ken ${k}: ${k} rolls`).join("; ")}.`
  const talk = Array.from({ length: 8 }, (_, n) => user(5 * n + 5, day(n + 1)))
  const told = over(talk, 900).map(({ tiers }) => tiers[0])
  expect(told.join("\n")).toMatch(/^U #5 "Day 1\./m)
})

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 400 }),
  fc.string({ unit: "grapheme", maxLength: 400 }),
  fc.constantFrom(
    "",
    "\u0000\u0001\uFFFD",
    "x".repeat(70_000),
    "必ずテストしてください。".repeat(30),
    "## c1-2\nU #1",
  ),
)

const anyMessage = fc.record({ kind: fc.nat(4), words: anyText, tokens: fc.nat(20_000) })

test("[HI1 HB4] covers any range without a gap, in bounded lines and tiers, each time the same", () => {
  fc.assert(
    fc.property(fc.array(anyMessage, { minLength: 1, maxLength: 40 }), (given) => {
      const weighed = given.map(({ kind, words, tokens }, at) => ({
        message: made(at + 2, kind, words),
        tokens,
      }))
      const span = { fromSeq: 1, toSeq: given.length + 5 }
      const parts = extract(weighed, span)
      expect(parts).toEqual(extract(structuredClone(weighed), span))
      expect([parts[0]?.fromSeq, parts.at(-1)?.toSeq]).toEqual([1, given.length + 5])
      for (const [at, { id, fromSeq, toSeq, tiers, importance, title }] of parts.entries()) {
        if (at > 0) expect(fromSeq).toBe((parts[at - 1]?.toSeq ?? 0) + 1)
        expect(id).toBe(`c${fromSeq}-${toSeq}`)
        expect(importance).toBeGreaterThanOrEqual(1)
        expect(importance).toBeLessThanOrEqual(100)
        expect(title).not.toMatch(/[\n\p{Cc}]/u)
        const tokens = weighed.reduce(
          (sum, one) => sum + (one.message.seq >= fromSeq && one.message.seq <= toSeq ? one.tokens : 0),
          0,
        )
        for (const [tier, most] of [3_000, 600, 360, 240].entries()) {
          // What the user said and tasks stand whole in the fullest, whatever else a part weighs.
          const own = tier === 0 ? (tiers[0].match(/^[DTU] .*$/gm) ?? []).join("\n") : ""
          expect(tokensOf(tiers[tier] ?? "")).toBeLessThanOrEqual(
            Math.min(most, tokens * (tier === 0 ? 0.8 : 0.4) + tokensOf(own)) + 12,
          )
          for (const line of (tiers[tier] ?? "").split("\n"))
            expect(line === "" || /^(?:[DUAETRS] #\d+(?: |$)|F |N\d(?:\.5)? )/.test(line)).toBe(true)
        }
      }
    }),
    { numRuns: 60 },
  )
})

function made(seq: number, kind: number, words: string): Message {
  if (kind === 0) return user(seq, words)
  if (kind === 1) return notice(seq, words)
  if (kind === 2) return assistant(seq, does(seq, "bash", { command: words }, words, "failed"))
  if (kind === 3)
    return assistant(seq, does(seq, "todo", { todos: [{ content: words, status: words }] }, words))
  return assistant(seq, text(words), call(seq, words))
}
