import { expect, test } from "vitest"
import type { Block } from "@holdfast/llm/wire"
import type { SegmentName } from "@holdfast/schema/turn"
import { type BreakCauses, describeBreak, sameSegment } from "../src/break.ts"

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
  cut: null,
  work: null,
  quarantined: false,
  unsent: null,
  unknown: null,
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

test("[TU7] names the earlier segment where one went and another stands in its place", () => {
  const [tools, base, one] = before as [Block, Block, Block]
  expect(describeBreak([tools, base], [base], none)?.segment).toBe("tools")
  expect(describeBreak([base, one], [tools, base, one], none)?.segment).toBe("tools")
  const delta = block("delta", "history-delta")
  expect(describeBreak([base, delta, one], [base, one], none)).toMatchObject({
    block: 1,
    segment: "history-delta",
  })
})

test("[TU7] draws the reason from what changed, the widest cause first", () => {
  const after = [block("other", "tools")]
  const reason = (causes: Partial<BreakCauses>) =>
    describeBreak(before, after, { ...none, ...causes })?.reason
  expect(reason({ unsent: "epoch_moved" })).toBe("epoch_moved")
  expect(reason({ unsent: "epoch_moved", unknown: "encoder_changed" })).toBe("encoder_changed")
  expect(reason({ unknown: "encoder_changed", paramsChanged: true })).toBe("params_changed")
  expect(reason({ unsent: "epoch_moved", paramsChanged: true })).toBe("params_changed")
  expect(reason({ paramsChanged: true, optionsChanged: true })).toBe("options_changed")
  expect(reason({ optionsChanged: true, quarantined: true })).toBe("quarantine")
  expect(reason({ quarantined: true, epochCause: "incompatible" })).toBe("epoch_incompatible")
  expect(reason({ epochCause: "incompatible", cut: "ceiling" })).toBe("cut_ceiling")
  expect(reason({ cut: "ceiling", toolsChanged: true })).toBe("tools_changed")
  expect(reason({ toolsChanged: true, modelChanged: true })).toBe("model_changed")
})

test("[TU7] breaks from the first block on where the previous request is not known", () => {
  const unknown = { ...none, unknown: "previous_unknown" }
  expect(describeBreak(null, before, unknown)).toEqual({
    block: 0,
    segment: "tools",
    reason: "previous_unknown",
  })
  expect(describeBreak(null, before, { ...unknown, modelChanged: true })?.reason).toBe("model_changed")
})

test("[TU7] tells a system role that became plain text from every other change", () => {
  const asked = { ...block("fact"), role: "system" } as const
  const causes = { ...none, toolsChanged: true }
  expect(describeBreak([asked], [block("fact as text")], causes)?.reason).toBe("system_role_unanswered")
  expect(describeBreak([asked], [{ ...asked, hash: "other" }], causes)?.reason).toBe("tools_changed")
})

test("[PS2] compares a segment by what it says, wherever it stands", () => {
  const [tools, base, one] = before as [Block, Block, Block]
  expect(sameSegment([tools, base], [base, one], "system")).toBe(true)
  expect(sameSegment([base], [block("other", "system")], "system")).toBe(false)
  expect(sameSegment([base], [], "system")).toBe(false)
  expect(sameSegment([tools], [one], "agent")).toBe(true)
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
