/** A Fold that a person asks for: it takes from the tail, and what is told of history decays as on any other (TU6, DK1, SU4). */
import { expect, test } from "vitest"
import { render } from "@holdfast/recall"
import { shownTiers } from "@holdfast/recall/slots"
import type { SignalId } from "@holdfast/schema/id"
import { assistant, call, text, user } from "../history.ts"
import { ask, grown, historyOf, type Talk, talk, tool } from "../talk.ts"

const limits = { contextTokens: 32_000, outputTokens: 4_000, answered: null }
const fold = { signals: ["sig_fold" as SignalId] }

/** What a ledger of a bakery says: names that nobody spoke of. */
const ledger = (of: number, lines: number): string =>
  Array.from(
    { length: lines },
    (_, at) => `entry-${of}-${at * 37} Hargreaves-${of * 100 + at} paid ${of}${at * 7} for loaf_${at}`,
  ).join("\n")

const round = (n: number, lines: number): Talk["messages"] => [
  user(10 * n, `Step ${n}: read l${n}.txt, and compare it with what customer Hargreaves-${n} said.`),
  assistant(10 * n + 1, { ...call(n, ledger(n, lines)), input: { path: `l${n}.txt` } }),
  assistant(10 * n + 2, text(`The ledger l${n}.txt has ${lines} entries.`)),
]

/** Rules, and three prompts that read files, folded once. */
function folded(): Talk {
  const tools = [{ ...tool("read"), description: "Reads a file. ".repeat(500) }]
  const begun = ask(talk([user(1, "Use UTC in all timestamps.")], { limits, tools })).after
  const read = grown(
    begun,
    assistant(2, text("Yes.")),
    ...[1, 2, 3].flatMap((n) => round(n, 200)),
    user(50, "Thanks"),
  )
  const { pass, after } = ask(read, fold)
  expect(pass).toMatchObject({ kind: "fold", applied: { reason: "cut_asked" } })
  return after
}

const tiersIn = ({ frozen }: Talk) => new Map(shownTiers(frozen.slots).map(({ id, tier }) => [id, tier]))

test("[TU6 DK1 SU4] asked for again where hardly a tail is left, it leaves the history as it is", () => {
  const first = folded()
  const again = grown(first, assistant(51, text("You are welcome.")), user(52, "Thanks again"))
  const { pass, after } = ask(again, fold)
  expect(pass).toMatchObject({ kind: "refresh", break: null, applied: { reason: "asked", ops: [] } })
  expect(after.frozen.slots).toEqual(first.frozen.slots)
})

test("[TU6 DK1] what was told before is told in the tiers that any other Fold would give it", () => {
  let asked = folded()
  for (let n = 6; n < 20; n++) {
    asked = grown(asked, ...round(n, 60), user(10 * n + 5, "Go on"))
    const { pass, after } = ask(asked, fold)
    expect(pass).toMatchObject({ kind: "fold", applied: { reason: "cut_asked" } })
    const other = ask({ ...after, model: "claude-other" })
    expect(other.pass.kind).toBe("fold")
    expect(tiersIn(after)).toEqual(tiersIn(other.after))
    asked = after
  }
  expect(historyOf(asked).compartments.length).toBeGreaterThan(3)
  expect(render({ messages: [], frozen: asked.frozen }).historyBaseline).toHaveLength(1)
})
