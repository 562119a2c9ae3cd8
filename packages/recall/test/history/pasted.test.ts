/** Rules that were said once, in a conversation into which code and logs are pasted ever since (HI1). */
import { expect, test } from "vitest"
import { passagesOf } from "@holdfast/recall/historian/paste"
import { assistant, call, text, user } from "../history.ts"
import { ask, grown, talk } from "../talk.ts"

/** Longer than what a line in few words has room for: with labels, exceptions and conditions. */
const rules = [
  "Whenever the schema of an order changes, always run scripts/regenerate-orders, unless nothing but a comment in orders/schema.ts changed.",
  "Releases: never publish the till to region-south7 on a market day, unless Ingrid from the warehouse has agreed to it in a message.",
  "Note: the demo account is otter-3391 and must not be shown in a screenshot, a log or a slide, however handy that would be.",
  "Weights are always whole grams, rounded half to even, except for spices, which have two places in src/spices/weights.ts.",
  "Reply in English, but quote what a customer wrote in the language in which they wrote it, without translating any of it.",
  "Remember: shop 5120 keeps the old price list until 2027-06-30, and every other shop has list v4 with the barcodes.",
  "Rule 7: a transfer is tried at most 4 times with a pause of 350 ms, except for refunds, which are never tried again.",
  "Before you tell me that a task is finished, run npm run inspect, and where that needs more than five minutes run inspect:short.",
]

const names = ["basket", "parcel", "ledger", "courier", "voucher", "pallet"] as const
const nameOf = (n: number): string => `${names[n % names.length] ?? ""}${n}`

/** With comments that sound like rules, without a fence. */
const code = (of: number, lines: number): string =>
  Array.from({ length: lines / 8 }, (_, n) => {
    const at = of * 1_000 + n
    return [
      `/** Never opens a ${nameOf(at)} twice; every caller must close it, unless it is empty. */`,
      `export function open${at}(held: ${nameOf(at)}Of): readonly string[] {`,
      `  // Always the newest first, so that nothing waits.`,
      `  const found = held.list.filter((one) => one.seq > ${at})`,
      `  if (found.length === 0) return []`,
      `  return found.map(({ name }) => name + "-${at}")`,
      `}`,
      ``,
    ].join("\n")
  }).join("\n")

const log = (of: number, lines: number): string =>
  Array.from(
    { length: lines },
    (_, n) =>
      `2026-11-0${(n % 8) + 1} 09:${10 + (n % 50)}:07 ERROR worker ${n}: parcel ${of}${n} must never be empty, only retry`,
  ).join("\n")

test.each([
  ["code", 32_000, code],
  ["code", 120_000, code],
  ["logs", 32_000, log],
])(
  "[HI1 TU6] rules stand whole beside %s that was pasted in a window of %d tokens, however many Folds ago they were said",
  (_, contextTokens, pasted) => {
    const limits = { contextTokens, outputTokens: 4_000, answered: null }
    const said = rules.flatMap((rule, n) => [user(2 * n + 1, rule), assistant(2 * n + 2, text("Noted."))])
    let now = ask(talk([...said, user(20, "Begin.")], { limits })).after
    const lines = contextTokens / 300
    for (let seq = 100, folds = 0; folds < 12; seq += 4) {
      const { pass, after } = ask(
        grown(
          now,
          assistant(seq, { ...call(seq, code(seq, lines)), input: { path: `src/p${seq}.ts` } }),
          assistant(seq + 1, text(`Looked at p${seq}.`)),
          user(seq + 2, `What of this?\n${pasted(seq, lines)}`),
        ),
      )
      now = after
      if (pass.applied?.reason.startsWith("cut_") === true) folds += 1
    }
    const shown = now.frozen.slots?.baseline ?? ""
    expect(rules.filter((rule) => !shown.includes(JSON.stringify(rule)))).toEqual([])
    expect(
      shown.split("\n").filter((line) => /^D .*(?:Never opens|newest first|must never)/.test(line)),
    ).toEqual([])
  },
)

test("[HI1] a run of lines that look like code is pasted, with its comments; sentences around it are not", () => {
  const passages = passagesOf(
    `Mend this, please.\n${code(1, 8)}\nUse tabs in it.\nNever call open1000() twice.`,
  )
  expect(passages.map(({ pasted }) => pasted)).toEqual([false, true, false])
  expect(passages[1]?.text).toContain("Always the newest first")
  expect(passages[2]?.text).toBe("Use tabs in it.\nNever call open1000() twice.")
  const commented = "/* What follows\n\n" + "must never be touched by hand\n".repeat(5) + "*/\nconst a = 1"
  expect(passagesOf(commented)).toEqual([{ text: commented, pasted: true }])
  const own = "Always call close() at the end.\n\n- Never `a => b`.\nAsk before you delete."
  expect(passagesOf(own)).toEqual([{ text: own, pasted: false }])
})
