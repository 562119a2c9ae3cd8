/** What a window is said to show of its history. */
import { expect, test } from "vitest"
import { shownCompartments } from "@holdfast/recall"
import { tokensOf } from "../../src/historian/words.ts"

test("[SU2 PG3] a part counts what the window shows of it, not all that is kept of it", () => {
  const kept = `U #1 Mend the cage.\nN ${"src/cage.ts ".repeat(200)}`
  const part = (fromSeq: number) => ({
    id: `c${fromSeq}-${fromSeq + 8}`,
    fromSeq,
    toSeq: fromSeq + 8,
    title: "Mend the cage.",
    tiers: [kept, kept, kept, kept] as const,
    importance: 40,
    episode: "talk",
  })
  const slots = {
    baseline: "Older messages:\n## c1-9\nU #1 Mend the cage.\n## c10-18 Mend the cage.\n\n## Memory\nMuch.",
    delta: "Nothing.",
    boundary: 19,
    markers: { shown: [1, 10].map((at) => ({ id: part(at).id, tier: at === 1 ? 1 : 4 })) },
  }
  const shown = shownCompartments(
    { slots } as unknown as Parameters<typeof shownCompartments>[0],
    [part(1), part(10)] as unknown as Parameters<typeof shownCompartments>[1],
  )
  expect(shown.map(({ tokens }) => tokens)).toEqual([
    tokensOf("## c1-9\nU #1 Mend the cage.\n"),
    tokensOf("## c10-18 Mend the cage.\n"),
  ])
})
