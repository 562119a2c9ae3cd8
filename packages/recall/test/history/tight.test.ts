/** A window that is all but full: what is known waits, and what was told is told in less (TU6, HB4). */
import { expect, test } from "vitest"
import type { KnownMemory } from "@holdfast/recall"
import { knownCompartments, nothingNew, shownTiers } from "@holdfast/recall/slots"
import type { MemoryId } from "@holdfast/schema/memory/memory"
import { assistant, call, published, text, user, words } from "../history.ts"
import { ask, encodeTalk, grown, publishedTo, type Talk, talk, tool } from "../talk.ts"

const ceilingTokens = ({ limits }: Talk): number => limits.contextTokens - limits.outputTokens

/** Room for what did not fit. */
const wider = ({ limits }: Talk): Talk["limits"] => ({
  ...limits,
  contextTokens: limits.contextTokens + 1_000,
})

/** The talk with one more message, as large as leaves so many tokens free. */
function filled(asked: Talk, last: (tokens: number) => Talk["messages"][number], freeTokens: number): Talk {
  const sizeWith = (tokens: number) => encodeTalk(grown(asked, last(tokens))).tokens
  const [bare, more] = [sizeWith(0), sizeWith(1_000)]
  const wanted = ceilingTokens(asked) - freeTokens - bare
  return grown(asked, last((wanted * 1_000) / (more - bare)))
}

const memory = (seq: number, statement: string): KnownMemory["memories"][number] => ({
  id: `m${seq}` as MemoryId,
  category: "PROJECT_RULES",
  text: statement,
  changedSeq: seq,
})

test("[TU6 HB3] memory that has no room waits, though the prefix breaks, for a break that has room", () => {
  const [one, two] = [memory(1, "Use tabs."), memory(2, `Files are ${"kebab-case ".repeat(40)}`)]
  const begun = ask(talk([user(1)], { memory: { seq: 1, epoch: 0, memories: [one] } })).after
  const known = grown(
    { ...begun, memory: { seq: 2, epoch: 0, memories: [one, two] } },
    assistant(2, text("Yes.")),
  )
  const full = filled(known, (tokens) => user(3, words(tokens)), 60)
  const { pass, after } = ask({ ...full, tools: [tool("work")] })
  expect(pass).toMatchObject({ kind: "refresh", applied: { reason: "tools_changed" } })
  expect(pass.encoded.tokens).toBeLessThanOrEqual(ceilingTokens(full))
  expect(after.frozen.slots?.delta).toBe(nothingNew)
  const later = ask({ ...after, limits: wider(after), tools: [tool("read")] })
  expect(later.pass.kind).toBe("refresh")
  expect(later.after.frozen.slots?.delta).toContain("m2 Files are kebab-case")
})

test("[HB4 TU6] where the tail takes the room, a part that was written anew is told in less, and once", () => {
  const begun = ask(talk([user(1), assistant(2, text(words(2_000))), user(3)])).after
  const folded = ask({ ...publishedTo(begun, published(1, 2)), model: "claude-other" }).after
  expect(shownTiers(folded.frozen.slots)).toEqual([{ id: "c1-2", tier: 1 }])
  const unread = filled(folded, (tokens) => assistant(4, call(1, words(tokens))), 60)
  const steps = Array.from({ length: 40 }, (_, at) => `A step ${at} of what was planned came to its end`)
  const anew = {
    id: "c1-2r",
    tiers: [steps.join("\n"), steps.slice(0, 4).join("\n"), "A planned", ""],
  } as const
  const asked = publishedTo(unread, published(1, 2, anew, ["c1-2"]))
  const { pass, after } = ask(asked)
  expect(pass).toMatchObject({ kind: "fold", applied: { reason: "history_changed" } })
  expect(pass.encoded.tokens).toBeLessThanOrEqual(ceilingTokens(asked))
  expect(after.messages.map(({ seq }) => seq)).toEqual([3, 4])
  expect(knownCompartments(after.frozen.slots)).toEqual(["c1-2r"])
  expect(shownTiers(after.frozen.slots)).toEqual([{ id: "c1-2r", tier: 3 }])
  const fuller = ask({ ...asked, limits: wider(asked) }).after
  expect(shownTiers(fuller.frozen.slots)).toEqual([{ id: "c1-2r", tier: 1 }])
})
