/** Key files and the profile of the user in the two slots (KF1, UP1). */
import { expect, test } from "vitest"
import type { Slots } from "@holdfast/schema/fact/recall"
import type { KnownMemory } from "../src/memory.ts"
import { foldSlots, refreshSlots, slotTokens } from "../src/slots.ts"

const known = (more: Partial<KnownMemory>): KnownMemory => ({ seq: 5, epoch: 0, memories: [], ...more })
const fold = (memory: KnownMemory, before: Slots | null = null) =>
  foldSlots({
    before,
    gone: [],
    stays: [],
    boundary: 0,
    compartments: [],
    memory,
    endsEpoch: false,
    blocked: false,
    budgetTokens: 5_000,
    memoryTokens: 1_000,
    expandable: true,
  })
const refresh = (memory: KnownMemory, before: Slots | null) =>
  refreshSlots({ before, gone: [], boundary: 0, compartments: [], memory })
const keyFiles = [{ path: "src/a.ts", text: `export const a = 1\n${"// more\n".repeat(300)}` }]

test("[UP1] what is added to the profile stands in the Delta once, and in the Baseline from the next Fold on", () => {
  const first = fold(known({ profile: ["Wants tests."] }))
  expect(first?.baseline).toContain("- Wants tests.")
  const refreshed = refresh(known({ profile: ["Wants tests.", "Writes Dutch."] }), first)
  expect(refreshed.baseline).toBe(first?.baseline)
  expect(refreshed.delta).toContain("- Writes Dutch.")
  expect(refreshed.delta).not.toContain("Wants tests.")
  const folded = fold(known({ profile: ["Wants tests.", "Writes Dutch."] }), refreshed)
  expect(folded?.baseline).toContain("- Writes Dutch.")
  expect(folded?.delta).not.toContain("Writes Dutch.")
})
test("[UP1] where no profile is kept the slots are those of a project without one", () => {
  expect(fold(known({}))).toBeNull()
  expect(refresh(known({}), fold(known({ profile: ["Wants tests."] }))).delta).not.toContain("Wants tests.")
})
test("[KF1] key files stay in the Delta through a Fold, and do not count as news that a Fold would take in", () => {
  const folded = fold(known({ keyFiles, profile: ["Wants tests."] }))
  expect(folded?.baseline).not.toContain("export const a")
  expect(folded?.delta).toContain("--- src/a.ts\nexport const a = 1")
  expect(slotTokens(folded).delta).toBeLessThan(50)
  expect(refresh(known({ profile: ["Wants tests."] }), folded).delta).not.toContain("export const a")
})
