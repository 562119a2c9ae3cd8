/** Project memory in the slots: when it comes in, what it says, and that nothing else moves a byte. */
import { describe, expect, test } from "vitest"
import { type KnownMemory, memoryBaseline, memoryDelta, shownMemories } from "@holdfast/recall"
import { tokensOf } from "@holdfast/recall/historian/words"
import { nothingNew } from "@holdfast/recall/slots"
import { memoryCategories } from "@holdfast/schema/memory/categories"
import type { MemoryId } from "@holdfast/schema/memory/memory"
import { assistant, published, text, user, words } from "./history.ts"
import { ask, grown, publishedTo, restarted, signal, type Talk, talk, tool } from "./talk.ts"

const memory = (seq: number, statement: string, changedSeq = seq, category = 0) => ({
  id: `m${seq}` as MemoryId,
  category: memoryCategories[category] ?? memoryCategories[0],
  text: statement,
  changedSeq,
})

const known = (seq: number, epoch: number, ...memories: KnownMemory["memories"]): KnownMemory => ({
  seq,
  epoch,
  memories,
})

const two = known(2, 0, memory(1, "Use tabs."), memory(2, "Files are kebab-case.", 2, 4))
const begun = (from: KnownMemory | null): Talk => ask(talk([user(1)], { memory: from })).after
const next = (asked: Talk, memoryNow: KnownMemory | null): Talk => ({
  ...grown(asked, assistant(2, text("yes")), user(3)),
  memory: memoryNow,
})
const moreTools = (asked: Talk): Talk => ({ ...asked, tools: [tool("read"), tool("work")] })
const slots = ({ frozen }: Talk) => frozen.slots

describe("memory in the window", () => {
  test("[HB2 MM1] the first request holds what is known, each once, and an empty project changes nothing", () => {
    const after = begun(two)
    expect(slots(after)?.baseline).toContain(
      "[PROJECT_RULES] m1 Use tabs.\n[NAMING] m2 Files are kebab-case.",
    )
    expect(slots(after)?.delta).toBe(nothingNew)
    expect(slots(begun(null))).toBeNull()
    expect(slots(begun(known(0, 0)))).toBeNull()
  })

  const three = known(3, 0, ...two.memories, memory(3, "Ports begin at 4000."))
  const quiet: Readonly<Record<string, KnownMemory>> = {
    "a memory that was written": three,
    "one that was changed in a Session": known(3, 0, memory(1, "Use spaces.", 3), two.memories[1] as never),
    "one that was archived or has expired": known(3, 0, memory(1, "Use tabs.")),
  }
  for (const [name, now] of Object.entries(quiet))
    test(`[MM1 HB3] ${name} breaks nothing by itself`, () => {
      const { pass, after } = ask(next(begun(two), now))
      expect(pass.kind).toBe("hold")
      expect(slots(after)).toEqual(slots(begun(two)))
    })

  test("[MM1 HB2 SE1] at a break that comes anyway the Delta tells what is new and what of the Baseline changed, and both are shown", () => {
    const now = known(5, 0, memory(1, "Use spaces.", 4), memory(5, "Ports begin at 4000."))
    const { pass, after } = ask(moreTools(next(begun(two), now)))
    expect(pass).toMatchObject({ kind: "refresh", applied: { reason: "tools_changed" } })
    expect(slots(after)?.baseline).toBe(slots(begun(two))?.baseline)
    const delta = slots(after)?.delta ?? ""
    expect(delta).toContain("m5 Ports begin at 4000.")
    expect(delta).toContain("m1 Use spaces. (changed)")
    expect(delta).toContain("m2 holds no more.")
    expect(new Set(shownMemories(slots(after)))).toEqual(new Set(["m1", "m2", "m5"]))
    expect(ask(grown(after, user(5))).pass.kind).toBe("hold")
  })

  test("[HB2] changes of what no Baseline holds are told as what they are now, or not at all", () => {
    const marker = memoryDelta(known(9, 0, memory(7, "new", 8)), {
      seq: 2,
      ids: ["m1"],
      delta: "",
      updates: 0,
    })
    expect(marker?.delta).toContain("m7 new")
    expect(marker?.delta).toContain("m1 holds no more.")
    expect(marker?.delta).not.toContain("changed")
    expect(marker?.updates).toBe(1)
  })

  test("[HB3] an edit from outside folds once, and each memory stands in the Baseline once", () => {
    const edited = known(4, 4, memory(1, "Use spaces.", 4), memory(3, "Ports begin at 4000."))
    const { pass, after } = ask(next(begun(two), edited))
    expect(pass).toMatchObject({ kind: "fold", applied: { reason: "memory_changed" } })
    expect(slots(after)?.baseline.match(/m1 Use spaces\./g)).toHaveLength(1)
    expect(slots(after)?.baseline.match(/m3 Ports/g)).toHaveLength(1)
    expect(slots(after)?.delta).toBe(nothingNew)
    expect(ask({ ...grown(after, user(5)), memory: edited }).pass.kind).toBe("hold")
    expect(slots(restarted(after))).toEqual(slots(after))
  })

  test("[HB3] an edit from outside that a first Delta tells folds nothing", () => {
    const edited = known(2, 2, memory(2, "Use tabs."))
    const { pass, after } = ask(moreTools(next(begun(null), edited)))
    expect(pass).toMatchObject({ kind: "refresh", applied: { reason: "tools_changed" } })
    expect(slots(after)?.delta).toContain("m2 Use tabs.")
    expect(ask(grown(after, user(5))).pass.kind).toBe("hold")
  })

  test("[HB3 PS4] memory that waits makes no Delta too full that tells a part, where nothing breaks", () => {
    const spoken = talk([user(1), assistant(2, text(words(2_000))), user(3)], { memory: two })
    const folded = ask({ ...publishedTo(ask(spoken).after, published(1, 2)), model: "claude-other" }).after
    const more = grown(folded, assistant(4, text(words(2_000))), user(5))
    const told = ask(moreTools(publishedTo(more, published(3, 4)))).after
    expect(slots(told)?.delta).toContain("## c3-4")
    const long = known(3, 0, ...two.memories, memory(3, `Ports ${"begin at 4000 ".repeat(150)}`))
    const waiting = { ...grown(told, assistant(6, text("Yes.")), user(7)), memory: long }
    const { pass, after } = ask(waiting, { waiting: [signal("sig_1", "execute")] })
    expect(pass).toMatchObject({ kind: "refresh", break: null, applied: { ops: [] } })
    expect(slots(after)).toEqual(slots(told))
    expect(ask({ ...waiting, tools: [] }).pass.kind).toBe("fold")
  })

  test("[HB3] more than 40 changes are taken into a Baseline, at a break that comes anyway", () => {
    const many = Array.from({ length: 41 }, (_, at) => memory(at + 1, `v${at}`))
    // A window so large that the Delta is not full by its size.
    const limits = { contextTokens: 200_000, outputTokens: 1_000, answered: null }
    const asked = ask(talk([user(1)], { memory: known(41, 0, ...many), limits })).after
    const now = known(90, 0, ...many.map((one) => ({ ...one, text: `${one.text} new`, changedSeq: 90 })))
    expect(ask(next(asked, now)).pass.kind).toBe("hold")
    expect(ask(moreTools(next(asked, now))).pass.kind).toBe("fold")
  })

  test("[HB2] a Baseline stays within its budget, and prefers what was written last", () => {
    const many = Array.from({ length: 300 }, (_, at) =>
      memory(at + 1, `A rule of ten words, number ${at}, that takes room.`),
    )
    const { text: shown, marker } = memoryBaseline(known(300, 0, ...many), 1_000)
    expect(tokensOf(shown)).toBeLessThanOrEqual(1_000)
    expect(marker?.ids).toContain("m300")
    expect(marker?.ids).not.toContain("m1")
  })
})
