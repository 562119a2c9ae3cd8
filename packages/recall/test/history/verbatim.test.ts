/** The user's words in the History Baseline: as they said them while there is room, and never joined to what they did not say. */
import { expect, test } from "vitest"
import { budgetOf } from "@holdfast/recall/cut"
import { slotTokens } from "@holdfast/recall/slots"
import { layOut } from "@holdfast/recall/history/layout"
import type { Compartment } from "@holdfast/schema/fact/recall"
import type { Message } from "@holdfast/schema/message"
import type { SignalId } from "@holdfast/schema/id"
import { assistant, call, text, user } from "../history.ts"
import { ask, grown, type Talk, talk } from "../talk.ts"
import { early, middle } from "./told.ts"

const ledger = (of: number, lines: number): string =>
  Array.from(
    { length: lines },
    (_, at) => `entry-${of}-${at * 37} Hargreaves-${of * 100 + at} paid ${of}${at * 7} for loaf_${of}_${at}`,
  ).join("\n")

const step = (n: number): string =>
  `Step ${n}: read l${n}.txt, and compare it with what customer Hargreaves-${n} said about the missing loaf on ${n} March.`

/** A prompt, a file that is full of names, and an answer. */
const round = (n: number, prompt: string, lines: number): readonly Message[] => [
  user(10 * n, prompt),
  assistant(10 * n + 1, { ...call(n, ledger(n, lines)), input: { path: `l${n}.txt` } }),
  assistant(10 * n + 2, text(`The ledger l${n}.txt has ${lines} entries.`)),
]

const linesOf = ({ frozen }: Talk) =>
  (frozen.slots?.baseline ?? "").split("\n").filter((line) => /^[DU] #\d+ /.test(line))

test("[HI1 DK1] what the user said stands word by word before names that only tools put out", () => {
  const limits = { contextTokens: 32_000, outputTokens: 4_000, answered: null }
  const umlauts = "Mind the umlauts: Bäckerei, not Baeckerei. Then read l6.txt."
  const prompts = Array.from({ length: 14 }, (_, n) => (n === 5 ? umlauts : step(n + 1)))
  const asked = prompts.flatMap((prompt, n) => round(n + 1, prompt, 40))
  const begun = ask(talk([user(1, "Use UTC in all timestamps.")], { limits })).after
  const before = grown(begun, assistant(2, text("Yes.")), ...asked, user(500, "Thanks"))
  const { after } = ask(before, { signals: ["sig_fold" as SignalId] })
  const lines = linesOf(after).join("\n")
  for (const [n, prompt] of prompts.entries())
    if (prompt !== umlauts && 10 * n + 10 < after.frozen.from) expect(lines).toContain(JSON.stringify(prompt))
  expect(after.frozen.slots?.baseline).toMatch(/^N .*loaf_/m)
  expect(slotTokens(after.frozen.slots).baseline).toBeLessThanOrEqual(budgetOf(limits))
})

test("[HI1 DK1] where there is room a sentence that holds a rule stands whole on its line, and so does a part of one prompt", () => {
  const limits = { contextTokens: 60_000, outputTokens: 4_000, answered: null }
  const rules = [
    "Use tabs, not spaces, in Makefiles.",
    "Timeouts are 30 s, except for uploads, which get 300 s.",
    "Colours must be written as hex, for example #A1B2C3, never as names.",
    "Only touch packages/a, packages/b and packages/c.",
    "From now on the log level is debug, not info, in the staging environment only.",
    "You may delete temp files; never delete anything in /srv/keep, though.",
    "Bitte niemals Umlaute ersetzen, außer in Dateinamen.",
  ]
  const shop = (n: number) =>
    `The shop in street number ${n} gets its delivery on Friday. Its code is ${"ABCDEFGHIJ"[n]}${n}. Look at f${n}.txt for it.`
  const said = rules.flatMap((rule, n) => [user(2 * n + 1, rule), assistant(2 * n + 2, text("Yes."))])
  const asked = Array.from({ length: 9 }, (_, n) => round(n + 5, shop(n), 260)).flat()
  const begun = ask(talk(said, { limits })).after
  const { after } = ask(grown(begun, ...asked, user(500, "Thanks")), { signals: ["sig_fold" as SignalId] })
  const lines = linesOf(after)
  for (const [n, rule] of rules.entries()) expect(lines).toContain(`D #${2 * n + 1} ${JSON.stringify(rule)}`)
  const gone = asked.filter(({ kind, seq }) => kind === "user" && seq < after.frozen.from)
  expect(gone.length).toBeGreaterThan(3)
  for (const { seq } of gone) expect(lines).toContain(`U #${seq} ${JSON.stringify(shop(seq / 10 - 5))}`)
})

test("[HI1 DK1] what the user asked to hold stands before names that everybody speaks of, in a small budget too", () => {
  const rules = Array.from(
    { length: 30 },
    (_, n) => `D #${n + 1} "Never open valve_${n} by hand, or the pumps run dry."`,
  )
  const names = Array.from({ length: 400 }, (_, n) => `module_${n}.ts`).join(" ")
  const span = {
    id: "c1-90",
    fromSeq: 1,
    toSeq: 90,
    title: "valves",
    importance: 50,
    episode: "talk",
  } as const
  const tiers = [`${rules.join("\n")}\nN9 ${names}`, "", "", ""] as const
  const [part] = layOut([{ ...span, tiers } as unknown as Compartment], 900).shown
  const shown = part?.compartment.tiers[part.tier] ?? ""
  expect(rules.filter((_, n) => !shown.includes(`valve_${n}`))).toEqual([])
})

/** Each stretch of words that stands together on the lines of a message. */
function stretchesOf(line: string): readonly string[] {
  const words = line.replace(/^. (?:#\d+ ?)+/, "")
  return words.split(" · ").flatMap((piece) => {
    const said = piece.startsWith('"') ? String(JSON.parse(piece)) : piece
    return said
      .split("…")
      .map((stretch) => stretch.trim())
      .filter((stretch) => stretch !== "")
  })
}

test.each([12_000, 20_000, 40_000])(
  "[HI1 PR7] in a window of %i tokens no two words are told together that the user did not say together",
  (contextTokens) => {
    const limits = { contextTokens, outputTokens: 2_000, answered: null }
    const long = Array.from({ length: 40 }, (_, n) => step(n + 1)).join(" ")
    const first = [...early.messages, user(100, long), assistant(101, text("Yes.")), ...middle(111).messages]
    let all: readonly Message[] = first
    let now = ask(talk(first, { limits })).after
    let shortened = 0
    for (let n = 20; n < 50; n++) {
      const added = round(
        n,
        `${step(n)} Mind the umlauts: Bäckerei, not Baeckerei. Then go on with l${n}.`,
        contextTokens / 400,
      )
      all = [...all, ...added]
      now = ask(grown(now, ...added)).after
      for (const line of linesOf(now)) {
        const seq = Number(/#(\d+)/.exec(line)?.[1])
        const said = all.find((one) => one.seq === seq)
        const whole = said?.kind === "user" ? said.text.replaceAll(/\s+/g, " ") : ""
        for (const stretch of stretchesOf(line)) expect(whole, line).toContain(stretch)
        if (line.includes("…")) shortened += 1
      }
    }
    expect(shortened).toBeGreaterThan(0)
  },
)
