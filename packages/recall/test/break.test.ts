import { expect, test } from "vitest"
import type { Block } from "@holdfast/llm/wire"
import type { SegmentName } from "@holdfast/schema/turn"
import { type BreakCauses, describeBreak, explainByUnsent } from "../../src/session/ledger.ts"

const block = (hash: string, segment: SegmentName = "tail"): Block => ({
  segment,
  role: "user",
  kind: "text",
  unit: null,
  json: "{}",
  hash,
  bytes: 2,
  tokens: 1,
  markable: true,
  native: null,
})
const none: BreakCauses = {
  modelChanged: false,
  toolsChanged: false,
  optionsChanged: false,
  paramsChanged: false,
  epochCause: null,
  reduction: null,
  quarantined: false,
}
const before = [block("tools", "tools"), block("base", "system"), block("one"), block("two")]

test("[TU7] has no break for the first request, an equal one, and one that only grows", () => {
  expect(describeBreak(null, before, none)).toBeNull()
  expect(describeBreak(before, before, none)).toBeNull()
  expect(describeBreak(before, [...before, block("three")], none)).toBeNull()
})

test("[TU7] names the first changed block and the segment it stands in", () => {
  const cases: [number, readonly Block[]][] = [
    [0, [block("other", "tools"), ...before.slice(1)]],
    [1, [...before.slice(0, 1), block("other", "system"), ...before.slice(2)]],
    [3, before.slice(0, 3)],
  ]
  for (const [at, after] of cases) {
    expect(describeBreak(before, after, none)).toEqual({
      block: at,
      segment: before[at]?.segment,
      reason: "unexplained",
    })
  }
})

test("[TU7] draws the reason from what the boundary decided, the widest cause first", () => {
  const after = [block("other", "tools")]
  const reason = (causes: Partial<BreakCauses>) =>
    describeBreak(before, after, { ...none, ...causes })?.reason
  expect(reason({ paramsChanged: true })).toBe("params_changed")
  expect(reason({ paramsChanged: true, optionsChanged: true })).toBe("options_changed")
  expect(reason({ optionsChanged: true, reduction: "ceiling" })).toBe("reduction_ceiling")
  expect(reason({ reduction: "ceiling", epochCause: "incompatible" })).toBe("epoch_incompatible")
  expect(reason({ epochCause: "incompatible", toolsChanged: true })).toBe("tools_changed")
  expect(reason({ toolsChanged: true, modelChanged: true })).toBe("model_changed")
})

test.each([
  ["model_changed", { modelChanged: true }],
  ["options_changed", { optionsChanged: true }],
  ["params_changed", { paramsChanged: true }],
] as const)("[TU7] breaks at the settings by %s when the blocks did not change", (reason, causes) =>
  expect(describeBreak(before, before, { ...none, ...causes })).toEqual({
    block: 0,
    segment: "params",
    reason,
  }),
)

test("[TU7] takes the reason from a turn that sent nothing, and from no other", () => {
  const found = { block: 1, segment: "system", reason: "unexplained" } as const
  const named = { ...found, reason: "epoch_incompatible" }
  expect(explainByUnsent(found, { attempts: [], break: named })).toEqual(named)
  expect(explainByUnsent(found, { attempts: [{ failure: null, waitMs: 0 }], break: named })).toEqual(found)
  expect(explainByUnsent(found, { attempts: [], break: null })).toEqual(found)
  const own = { ...found, reason: "tools_changed" }
  expect(explainByUnsent(own, { attempts: [], break: named })).toEqual(own)
  expect(explainByUnsent(null, { attempts: [], break: named })).toBeNull()
})
