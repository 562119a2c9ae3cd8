/** Memories of a workspace in the slots: whose they are, and that a change of it folds once (WS1, HB3). */
import { describe, expect, test } from "vitest"
import { type KnownMemory, memoryBaseline, memoryDelta } from "@holdfast/recall"
import { tokensOf } from "@holdfast/recall/historian/words"
import { nothingNew } from "@holdfast/recall/slots"
import { assistant, text, user } from "./history.ts"
import { ask, grown, restarted, type Talk, talk, tool } from "./talk.ts"

const must = (seq: number, words: string, changedSeq = seq) => ({
  id: `m${seq}`,
  category: "CONSTRAINTS" as const,
  text: words,
  changedSeq,
})

type Partner = NonNullable<KnownMemory["partners"]>[number]

const web = (seq: number, epoch: number, ...memories: Partner["memories"]): Partner => ({
  key: 2,
  root: "/web",
  seq,
  epoch,
  memories,
})

const alone: KnownMemory = { seq: 1, epoch: 0, scope: "1", memories: [must(1, "Use tabs.")] }
const empty: KnownMemory = { seq: 0, epoch: 0, scope: "1", memories: [] }
const joined = (partner: Partner, own = alone): KnownMemory => ({
  ...own,
  scope: "1 with 2 CONSTRAINTS",
  partners: [partner],
})
const shared = web(9, 0, must(1, "No network in tests."))

const begun = (known: KnownMemory): Talk => ask(talk([user(1)], { memory: known })).after
const next = (asked: Talk, known: KnownMemory): Talk => ({
  ...grown(asked, assistant(2, text("yes")), user(3)),
  memory: known,
})
const moreTools = (asked: Talk): Talk => ({ ...asked, tools: [tool("read"), tool("work")] })
const slots = ({ frozen }: Talk) => frozen.slots

const changes: Readonly<Record<string, readonly [KnownMemory, KnownMemory]>> = {
  "a project that joins": [alone, joined(shared)],
  "a project that joins before anything is known of it": [empty, joined(shared, empty)],
  "a project that joins where nobody has anything to share": [empty, joined(web(0, 0), empty)],
  "another member": [
    joined(shared),
    {
      ...alone,
      scope: "1 with 2,3 CONSTRAINTS",
      partners: [shared, { ...shared, key: 3, root: "/api", memories: [] }],
    },
  ],
  "other categories": [joined(shared), { ...joined(shared), scope: "1 with 2 CONSTRAINTS,NAMING" }],
  "a project that leaves": [joined(shared), alone],
  "a project that leaves and knows nothing of itself": [joined(shared, empty), empty],
  "an edit of a partner's memory from outside": [
    joined(shared),
    joined(web(12, 12, must(1, "No network.", 12))),
  ],
}

describe("a workspace in the window", () => {
  test("[WS1] each memory of a partner stands there once, with the project that it comes from", () => {
    const baseline = slots(begun(joined(shared)))?.baseline ?? ""
    expect(baseline).toContain(
      "[CONSTRAINTS] m1 Use tabs.\nIts workspace shares memories with /web.\nFrom /web:\n[CONSTRAINTS] m1@2 No network in tests.",
    )
  })

  for (const [name, [before, now]] of Object.entries(changes))
    test(`[WS1 HB3] ${name} folds once`, () => {
      const { pass, after } = ask(next(begun(before), now))
      expect(pass).toMatchObject({ kind: "fold", applied: { reason: "memory_changed" } })
      expect(ask({ ...grown(after, user(5)), memory: now }).pass.kind).toBe("hold")
      expect(slots(restarted(after))).toEqual(slots(after))
    })

  test("[WS1 MM1] what a partner's Session writes or changes waits for a break, and is told with its project", () => {
    const now = joined(web(11, 0, must(1, "No network at all.", 10), must(11, "Node 24 or later.")))
    const asked = next(begun(joined(shared)), now)
    expect(ask(asked).pass.kind).toBe("hold")
    expect(slots(ask(asked).after)?.delta).toBe(nothingNew)
    const { pass, after } = ask(moreTools(asked))
    expect(pass.kind).toBe("refresh")
    const delta = slots(after)?.delta ?? ""
    expect(delta).toContain("From /web:\n[CONSTRAINTS] m11@2 Node 24 or later.")
    expect(delta).toContain("m1@2 No network at all. (changed)")
    expect(memoryDelta(joined(web(9, 0)), memoryBaseline(joined(shared), 1_000).marker)?.delta).toContain(
      "m1@2 holds no more.",
    )
  })

  test("[WS1 HB2] a partner that knows much leaves room for the project itself, and takes what it leaves", () => {
    const much = Array.from({ length: 300 }, (_, at) =>
      must(at + 1, `A rule of ten words, number ${at}, here.`),
    )
    const own = { ...alone, memories: much.slice(0, 10) }
    const { text: shown, marker } = memoryBaseline(joined(web(300, 0, ...much), own), 1_000)
    expect(tokensOf(shown)).toBeLessThanOrEqual(
      1_000 + tokensOf("Its workspace shares memories with /web.\nFrom /web:\n[CONSTRAINTS] "),
    )
    expect(marker?.ids.filter((id) => !id.includes("@"))).toHaveLength(10)
    expect(marker?.ids).toContain("m300@2")
    expect(marker?.ids).not.toContain("m1@2")
  })
})
