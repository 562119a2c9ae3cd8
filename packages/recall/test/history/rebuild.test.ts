/** Which parts are made anew together, and when the window has to be stated anew behind that. */
import { describe, expect, test } from "vitest"
import { rebuildRanges } from "@holdfast/recall"
import { compartmentsPerCutMax, extract } from "@holdfast/recall/historian/extract"
import { gradedNames } from "@holdfast/recall/historian/names"
import { archiveOf } from "@holdfast/recall/history/archive"
import { compartmentText } from "@holdfast/recall/history/layout"
import { rebuildRange } from "@holdfast/recall/history/rebuild"
import { isOutdated, owesBaseline, settleUpdates } from "@holdfast/recall/slots"
import type { Compartment } from "@holdfast/schema/fact/recall"
import type { Seq } from "@holdfast/schema/id"
import { assistant, text, user } from "../history.ts"

const part = (fromSeq: number, toSeq: number): Compartment => ({
  id: `c${fromSeq}-${toSeq}`,
  fromSeq: fromSeq as Seq,
  toSeq: toSeq as Seq,
  title: "what happened",
  tiers: ["told in full", "told", "", ""],
  importance: 50,
  episode: "talk",
})

const everything = { fromSeq: 0, toSeq: Number.MAX_SAFE_INTEGER }

describe("[HI7 HB4] parts are made anew together", () => {
  const together = (standing: readonly Compartment[], from: number, kept: readonly number[] = []) =>
    rebuildRanges(standing, everything, { from, kept: new Set(kept) }).map(({ replaces }) =>
      replaces.map(({ id }) => id),
    )
  const three = [part(1, 9), part(10, 20), part(21, 30)]

  test("where they are neighbours that all left the window, or all wait", () => {
    expect(together(three, 31)).toEqual([["c1-9", "c10-20", "c21-30"]])
    expect(together(three, 0)).toEqual([["c1-9", "c10-20", "c21-30"]])
  })

  test("and never across the boundary, nor with one whose input is still shown", () => {
    expect(together(three, 21)).toEqual([["c1-9", "c10-20"], ["c21-30"]])
    expect(together(three, 31, [15])).toEqual([["c1-9"], ["c10-20"], ["c21-30"]])
  })

  test("no more of them than one cut would write", () => {
    const many = Array.from({ length: 2 * compartmentsPerCutMax + 1 }, (_, n) => part(n + 1, n + 1))
    const sizes = together(many, 1_000).map(({ length }) => length)
    expect(sizes).toEqual([compartmentsPerCutMax, compartmentsPerCutMax, 1])
  })

  test("and what was rebuilt together before, but never with what was not", () => {
    const rebuilt = (mark: string, one: Compartment) => ({ ...one, id: `${one.id}r${mark}` })
    const [a, b, c] = three as [Compartment, Compartment, Compartment]
    const standing = [rebuilt("0123abcd", a), rebuilt("0123abcd", b), c]
    expect(together(standing, 31)).toEqual([["c1-9r0123abcd", "c10-20r0123abcd"], ["c21-30"]])
    expect(together([rebuilt("0123abcd", a), rebuilt("4567cdef", b)], 31)).toHaveLength(2)
  })

  test("nor where something stands between them", () => {
    expect(together([part(1, 9), part(11, 20)], 31)).toEqual([["c1-9"], ["c11-20"]])
  })
})

test("[HI7] of a span only the parts that lie in it as a whole are made anew", () => {
  const standing = [part(1, 9), part(10, 20), part(21, 30)]
  const within = (fromSeq: number, toSeq: number) =>
    rebuildRanges(standing, { fromSeq, toSeq }, { from: 31, kept: new Set() }).map((range) => [
      range.fromSeq,
      range.toSeq,
    ])
  expect(within(10, 20)).toEqual([[10, 20]])
  expect(within(10, 29)).toEqual([[10, 20]])
  expect(within(2, 30)).toEqual([[10, 30]])
  expect(within(11, 19)).toEqual([])
})

test("[HI7 DK1] an archive that is made anew names what it named before", () => {
  const said = [1, 3, 5].flatMap((seq) => [
    user(seq, `Read src/canary_${seq}.ts, and never wake it.`),
    assistant(seq + 1, text(`The cage of src/canary_${seq}.ts has_door_${seq}.`)),
  ])
  const weighed = said.map((message) => ({ message, tokens: 400 }))
  const archive = archiveOf(extract(weighed, { fromSeq: 1, toSeq: 6 }), 500)
  const fresh = rebuildRange({ fromSeq: 1, toSeq: 6, replaces: [archive] }, said)?.compartments
  const names = (one: Compartment | undefined) => gradedNames(one?.tiers[0] ?? "").map(({ name }) => name)
  expect(names(archive).length).toBeGreaterThan(3)
  expect(fresh?.map(({ episode }) => episode)).toEqual(["archive"])
  expect(names(fresh?.[0]).toSorted()).toEqual(names(archive).toSorted())
})

test("[HB3] slots are outdated once a part that they know was replaced, be it one that they had no room for", () => {
  const markers = {
    updates: [],
    owes: false,
    shown: [{ id: "c10-20", tier: 1 }],
    hidden: ["c1-9"],
    added: [],
  }
  const slots = { baseline: "b", delta: "d", boundary: 21, markers }
  expect(isOutdated(slots, [part(1, 9), part(10, 20), part(21, 30)])).toBe(false)
  expect(isOutdated(slots, [{ ...part(1, 9), id: "c1-9r" }, part(10, 20)])).toBe(true)
  expect(isOutdated(slots, [part(1, 9), { ...part(10, 20), id: "c10-20r" }])).toBe(true)
})

test("[EP12 HB4] a fresh Baseline takes what sources said out of the Delta, and leaves its parts there", () => {
  const updates = [{ key: "sim/fact", text: "The sky is grey." }]
  const markers = { updates, owes: true, shown: [], hidden: [], added: ["c1-9"] }
  const slots = { baseline: "", delta: "", boundary: 10, markers }
  const settled = settleUpdates(slots, [part(1, 9), part(10, 20)])
  expect(settled?.delta).toContain("told in full")
  expect(settled?.delta).not.toContain("grey")
  expect(settled?.delta).not.toContain("c10-20")
  expect(owesBaseline(settled)).toBe(false)
})

test("[HI1] what the user asked to hold is named in every tier that is shown", () => {
  const held = { ...part(1, 9), tiers: ['D #3 "Always ask."\nA did it', "A did it", "A did", ""] as const }
  for (const tier of [0, 1, 2] as const) expect(compartmentText(held, tier)).toContain("#3")
})
