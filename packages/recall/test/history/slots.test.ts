/** What the two history slots say of the parts that they hold, hide or wait for, and how much room they take. */
import { describe, expect, test } from "vitest"
import type { Compartment, Slots } from "@holdfast/schema/fact/recall"
import type { SignalId, Seq } from "@holdfast/schema/id"
import { moveBehind, type Published, shownTiers } from "@holdfast/recall"
import { tokensOf } from "@holdfast/recall/historian/words"
import { archiveOf } from "@holdfast/recall/history/archive"
import { refreshMemory } from "@holdfast/recall/history/fold"
import { endMoves } from "@holdfast/recall/history/move"
import { isArchive, publish, uncoveredSpan } from "@holdfast/recall/history/publish"
import { foldSlots, refreshSlots } from "@holdfast/recall/slots"
import { emptyFrozen, frozenOf } from "@holdfast/schema/state/frozen"
import { cutBelow } from "../history.ts"

const part = (fromSeq: number, toSeq: number, more: Partial<Compartment> = {}): Compartment => ({
  id: `c${fromSeq}-${toSeq}`,
  fromSeq: fromSeq as Seq,
  toSeq: toSeq as Seq,
  title: "what happened",
  tiers: [`A #${fromSeq} ${"told in full ".repeat(30)}`, `A #${fromSeq} told`, `A #${fromSeq} told`, ""],
  importance: 50,
  episode: "talk",
  ...more,
})
const parts = (count: number) => Array.from({ length: count }, (_, n) => part(10 * n + 1, 10 * n + 10))

const fold = (compartments: readonly Compartment[], budgetTokens: number, docs = ""): Slots | null =>
  foldSlots({
    before: null,
    gone: [],
    stays: [],
    boundary: 1_000,
    compartments,
    memory: null,
    endsEpoch: true,
    blocked: false,
    budgetTokens,
    memoryTokens: 0,
    docs,
    expandable: true,
  })

test("[TG4 SU2] what has no room is named from its first message to its last, to be read by one call", () => {
  const slots = fold(parts(60), 700)
  const { hidden = [] } = (slots?.markers ?? {}) as { readonly hidden?: readonly string[] }
  expect(hidden.length).toBeGreaterThan(1)
  const last = hidden.at(-1)?.split("-")[1]
  expect(slots?.baseline).toContain(
    `Of #1 to #${last} nothing is shown here; context_expand reads c1-${last}.`,
  )
})

test("[HB2 DK1] documents leave parts what they do not take: together they stay within the budget", () => {
  const docs = "Line of a document.\n".repeat(200)
  const budgetTokens = tokensOf(docs) + 600
  const slots = fold(parts(60), budgetTokens, docs)
  expect(slots?.baseline).toContain(docs)
  expect(tokensOf(slots?.baseline ?? "")).toBeLessThanOrEqual(budgetTokens)
})

test("[HB4 SU2] a Delta tells no part whose last message is still shown, and the others in their fullest tier", () => {
  const slots = refreshSlots({
    before: fold([part(1, 10)], 4_000),
    gone: [],
    boundary: 30,
    compartments: [part(1, 10), part(11, 20), part(21, 30)],
  })
  expect(slots.delta).toContain("## c11-20")
  expect(slots.delta).not.toContain("## c21-30")
  expect(shownTiers(slots)).toEqual([
    { id: "c1-10", tier: 1 },
    { id: "c11-20", tier: 1 },
  ])
})

test("[UP1] what is seen of the user before there is any history is told with the next break", () => {
  const view = { messages: [], frozen: emptyFrozen }
  const known = (profile: readonly string[]) => ({ seq: 5, epoch: 0, memories: [], profile })
  const history = { compartments: [], end: 0, expandable: true }
  const told = refreshMemory(view, { ...history, memory: known(["Writes Dutch."]) })
  expect(told?.frozen.slots?.delta).toContain("- Writes Dutch.")
  expect(refreshMemory(view, { ...history, memory: known([]) })).toBeNull()
})

describe("[MK2] a move that waits", () => {
  const fact = { toSeq: 20 as Seq, compartments: [part(1, 20)] } as unknown as Published
  const ends = (from: number, to: number) =>
    endMoves([moveBehind(fact, "sig_1" as SignalId)], fact, from, to).map(({ outcome }) => outcome)

  test("is done with once the last message of its history has left, and not before", () => {
    expect([ends(1, 20), ends(1, 21), ends(1, 90)]).toEqual([[], ["applied"], ["applied"]])
  })

  test("is found applied where the boundary stood there before", () => {
    expect([ends(20, 40), ends(21, 21), ends(21, 40)]).toEqual([["applied"], ["already"], ["already"]])
  })
})

test("[DK1] an archive weighs as much as the weightiest part that it stands for", () => {
  const run = [part(1, 10, { importance: 20 }), part(11, 20, { importance: 90 }), part(21, 30)]
  expect(archiveOf(run, 0).importance).toBe(90)
})

test("[DK1] an archive is called by the newest of what it stands for, as far as there is room", () => {
  const run = Array.from({ length: 30 }, (_, n) => part(n + 1, n + 1, { title: `mended cage number ${n}` }))
  const { title } = archiveOf(run, 0)
  expect(title).toContain("mended cage number 29")
  expect(title).not.toContain("mended cage number 0;")
})

test("[DK1 HB4] what decay passes joins the archive that stands there: one at the oldest end, however many Folds", () => {
  const archive = archiveOf(parts(3), 0)
  const standing = [archive, ...parts(60).slice(3)]
  const { facts, compartments } = publish({
    history: { compartments: standing, end: 600, expandable: true },
    frozen: emptyFrozen,
    gone: [],
    below: 601,
    kept: [],
    budgetTokens: 900,
  })
  expect(facts.flatMap(({ replaces }) => replaces)).toContain(archive.id)
  expect(compartments.filter(isArchive)).toHaveLength(1)
  expect(compartments[0]?.fromSeq).toBe(1)
})

test("[HB4] of what an import hid, all up to the boundary is still to be told, and nothing that is shown", () => {
  const markers = { inputs: 3 }
  const frozen = frozenOf([cutBelow(21)], { baseline: "", delta: "told", boundary: 21, markers } as Slots)
  expect(uncoveredSpan(frozen, { end: 10 })).toEqual({ fromSeq: 11, toSeq: 20 })
  expect(uncoveredSpan(frozen, { end: 20 })).toBeNull()
})
